package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// recorder collects the spans of a pipeline.
type recorder struct {
	*tracetest.SpanRecorder
	tracer trace.Tracer
}

func newRecorder(t *testing.T) recorder {
	t.Helper()
	kept := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(kept))
	t.Cleanup(func() { provider.Shutdown(t.Context()) })
	return recorder{kept, provider.Tracer("test")}
}

// paths returns the ended spans with those above them, and the error of each: "run/plan: unexpected".
func (r recorder) paths() []string {
	byID := map[trace.SpanID]sdk.ReadOnlySpan{}
	for _, s := range r.Ended() {
		byID[s.SpanContext().SpanID()] = s
	}
	var all []string
	for _, s := range r.Ended() {
		path := s.Name()
		for up, ok := byID[s.Parent().SpanID()]; ok; up, ok = byID[up.Parent().SpanID()] {
			path = up.Name() + "/" + path
		}
		if s.Status().Code == codes.Error {
			path += ": " + s.Status().Description
		}
		all = append(all, path)
	}
	return all
}

// tracedPipeline lists one country of a simulated service.
func tracedPipeline(t *testing.T) (*Pipeline, plan.Job, recorder) {
	t.Helper()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	sim, err := simulator.New(simulator.Config{Vessels: 200, Key: "k", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	fast := map[string]int{}
	for name := range limits {
		fast[name] = 1_000_000
	}
	r := newRecorder(t)
	p := &Pipeline{Dir: t.TempDir(), Tracer: r.tracer, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: fast}}
	return p, plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "country", Countries: []string{"Malta"}}}, r
}

// TestSpansOfARunThatRecovers begins where an earlier run could not publish: there are spans of both
// runs.
func TestSpansOfARunThatRecovers(t *testing.T) {
	p, job, r := tracedPipeline(t)
	blocked := filepath.Join(p.Dir, "lake") // a file where a directory must be
	p.Progress = func(pr Progress) {
		if pr.Phase == "derive" {
			os.WriteFile(blocked, nil, 0o600)
		}
	}
	if _, err := p.Run(t.Context(), job, "2026-11-20"); err == nil {
		t.Fatal("no error")
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	p.Progress = nil
	if _, err := p.Run(t.Context(), job, "2026-11-21"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(r.paths(), "\n")
	for path, want := range map[string]int{
		"run":                            1,
		"run: not a directory":           1,
		"run/recover":                    2,
		"run/recover/transform":          1,
		"run/recover/publish":            1,
		"run/plan":                       2,
		"run/harvest":                    2,
		"run/harvest/lane by-type":       2,
		"run/harvest/lane by-status":     2,
		"run/harvest/lane particulars":   2,
		"run/transform":                  1,
		"run/transform: not a directory": 1,
		"run/publish":                    1,
	} {
		if got := strings.Count("\n"+lines+"\n", "\n"+path+"\n"); got != want {
			t.Errorf("%d of %q, want %d:\n%s", got, path, want, lines)
		}
	}
	if strings.Contains(lines, p.Dir) {
		t.Errorf("a span contains a path:\n%s", lines)
	}
	if got, want := strings.Count(lines, "/request "), answers(t, p); got != want || want < 8 {
		t.Errorf("%d spans of requests, %d in the journal:\n%s", got, want, lines)
	}
}

// answers counts those of all runs, and the balances.
func answers(t *testing.T, p *Pipeline) (n int) {
	t.Helper()
	paths, err := journal.Segments(p.segments())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		for e, err := range journal.Read(path) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == journal.KindAnswer || e.Kind == journal.KindBalance {
				n++
			}
		}
	}
	return n
}

// TestSpanOfARunThatPanics says so, and nothing of the panic.
func TestSpanOfARunThatPanics(t *testing.T) {
	p, job, r := tracedPipeline(t)
	p.Progress = func(pr Progress) {
		if pr.Phase == "derive" {
			panic("planted")
		}
	}
	func() {
		defer func() {
			if recover() != "planted" {
				t.Error("the panic is swallowed")
			}
		}()
		p.Run(t.Context(), job, "2026-11-20")
	}()
	last := r.Ended()[len(r.Ended())-1]
	if last.Name() != "run" || last.Status().Description != "panic" || len(last.Events()) != 0 {
		t.Errorf("%s: %v, events %v", last.Name(), last.Status(), last.Events())
	}
}

// TestNoTracerMakesNoSpan runs below a span of the caller, who did not ask for ours.
func TestNoTracerMakesNoSpan(t *testing.T) {
	p, job, r := tracedPipeline(t)
	p.Tracer = nil
	ctx, above := r.tracer.Start(t.Context(), "caller")
	if _, err := p.Run(ctx, job, "2026-11-20"); err != nil {
		t.Fatal(err)
	}
	above.End()
	if got := r.paths(); len(got) != 1 {
		t.Errorf("spans %v", got)
	}
}

func TestClassShowsNoPath(t *testing.T) {
	for want, err := range map[string]error{
		"unauthorized":      &extract.Error{Outcome: extract.OutcomeUnauthorized, Message: "planted"},
		"cancelled":         context.Canceled,
		"too many issues":   load.ErrIssues,
		"damaged journal":   journal.ErrDamaged,
		"damaged warehouse": warehouse.ErrDamaged,
		"permission denied": &os.PathError{Op: "open", Path: "/planted", Err: syscall.EACCES},
		"unexpected":        errors.New("open /planted: broken"),
	} {
		if got := derive.ErrorClass(fmt.Errorf("derive /planted: %w", err)); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
