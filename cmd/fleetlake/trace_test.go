package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/google/go-cmp/cmp"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// spans is an OpenTelemetry collector, and what it received.
type spans struct {
	t      testing.TB
	server *httptest.Server
	runs   chan string // gets the id of each root span's run

	mu    sync.Mutex // until the server is closed
	raw   bytes.Buffer
	about map[string]string // the resource
	all   []*tracepb.Span
}

func newCollector(t testing.TB) *spans {
	t.Helper()
	s := &spans{t: t, runs: make(chan string, 100)}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

func (s *spans) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collectorpb.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		s.t.Errorf("%s: %v", r.URL.Path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.raw, "%v%s%s", r.Header, body, &request)
	for _, resource := range request.ResourceSpans {
		s.about = texts(resource.Resource.Attributes)
		for _, scope := range resource.ScopeSpans {
			s.all = append(s.all, scope.Spans...)
			for _, span := range scope.Spans {
				if len(span.ParentSpanId) == 0 {
					s.runs <- span.Name
				}
			}
		}
	}
}

// texts are attributes in words.
func texts(attributes []*commonpb.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range attributes {
		m[a.Key] = fmt.Sprint(a.Value.GetIntValue())
		if _, ok := a.Value.Value.(*commonpb.AnyValue_StringValue); ok {
			m[a.Key] = a.Value.GetStringValue()
		}
	}
	return m
}

// under lists the spans below one, by name in the order of their ends; the parent of a run is "".
func (s *spans) under(parent string) map[string][]*tracepb.Span {
	children := map[string][]*tracepb.Span{}
	for _, span := range s.all {
		if string(span.ParentSpanId) == parent {
			children[span.Name] = append(children[span.Name], span)
		}
	}
	return children
}

// only is the one span of a name below a parent, which lasts as long at least.
func (s *spans) only(parent *tracepb.Span, name string) *tracepb.Span {
	s.t.Helper()
	all := s.under(string(parent.GetSpanId()))[name]
	if len(all) != 1 {
		s.t.Fatalf("%d spans %q below %q, want one", len(all), name, parent.GetName())
	}
	if parent != nil && (all[0].StartTimeUnixNano < parent.StartTimeUnixNano || all[0].EndTimeUnixNano > parent.EndTimeUnixNano) {
		s.t.Errorf("%q lasts longer than %q", name, parent.Name)
	}
	return all[0]
}

// TestRunIsTraced compares the spans of a run, with requests that failed and were tried again,
// against its report and its journal.
func TestRunIsTraced(t *testing.T) {
	t.Parallel()
	w, c := newWorld(t, simulator.Config{Vessels: 400}), newCollector(t)
	w.configure(1_000_000, smallJob)
	w.faults(simulator.Fault{Kind: simulator.Unavailable, Operation: "by-status", Next: 1}, simulator.Fault{Kind: simulator.Cut, Operation: "particulars", Next: 1})
	w.env = append(w.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.server.URL, "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test")
	var r report.Report
	if err := json.Unmarshal([]byte(w.must(exitDone, "run", "nightly", "--json").stdout), &r); err != nil {
		t.Fatal(err)
	}
	c.server.Close()
	run := c.only(nil, "run")
	want := map[string]string{"fleetlake.run": r.Run, "fleetlake.job": "nightly", "fleetlake.snapshot_date": r.Date, "fleetlake.state": "done", "fleetlake.stop": "",
		"fleetlake.requests": fmt.Sprint(r.Requests()), "fleetlake.credits.spent": fmt.Sprint(r.Credits.Spent), "fleetlake.credits.planned": fmt.Sprint(r.Credits.Planned)}
	if diff := cmp.Diff(want, texts(run.Attributes)); diff != "" {
		t.Errorf("attributes of the run (-report +span):\n%s", diff)
	}
	for _, phase := range []string{"recover", "plan", "transform", "publish"} {
		c.only(run, phase)
	}
	harvest := c.only(run, "harvest")
	lanes := map[string]*tracepb.Span{api.Credits.Name: harvest} // the free calls belong to none
	for _, name := range []string{"by-type", "by-status", "particulars"} {
		lanes[name] = c.only(harvest, "lane "+name)
	}
	c.matches(t, r, lanes, filepath.Join(w.dir, "fleetlake-data", "journal"))
	if c.about["service.name"] != "fleetlake" || c.about["service.version"] == "" || c.about["deployment.environment.name"] != "test" {
		t.Errorf("resource %v", c.about)
	}
	for _, secret := range []string{"planted-key", w.dir, w.base, "imo_or_mmsi", "Malta"} {
		if bytes.Contains(c.raw.Bytes(), []byte(secret)) {
			t.Errorf("the collector was sent %q", secret)
		}
	}
}

// matches compares the spans of requests with the report by operation, and each with its
// entry of the journal.
func (s *spans) matches(t *testing.T, r report.Report, lanes map[string]*tracepb.Span, root string) {
	t.Helper()
	entries, tries := map[string]journal.Entry{}, map[string]int{}
	for e, err := range journal.Read(journal.Path(root, r.Date, r.Run)) {
		if err != nil {
			t.Fatal(err)
		}
		entries[fmt.Sprint(e.N)] = e
	}
	for _, lane := range r.Lanes {
		got := report.Lane{Operation: lane.Operation, Answers: lane.Answers, Limited: lane.Limited}
		for _, span := range s.all {
			about := texts(span.Attributes)
			if span.Name != "request "+lane.Operation {
				continue
			}
			e, ok := entries[about["fleetlake.entry"]]
			delete(entries, about["fleetlake.entry"])
			if status := about["http.response.status_code"]; !ok || e.Operation != lane.Operation || e.Outcome != about["fleetlake.outcome"] ||
				fmt.Sprint(e.Credits) != about["fleetlake.credits"] || status != fmt.Sprint(e.Status) && (status != "" || e.Status != 0) {
				t.Errorf("span %v, entry %+v", about, e)
			}
			failed := e.Outcome != extract.OutcomeOK && e.Outcome != extract.OutcomeEmpty && e.Outcome != extract.OutcomeProbe
			if is := span.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR; is != failed || failed && span.Status.Message != e.Outcome {
				t.Errorf("outcome %s, status %v", e.Outcome, span.Status)
			}
			if parent := string(span.ParentSpanId); parent != string(lanes[lane.Operation].SpanId) && e.Outcome != extract.OutcomeProbe {
				t.Errorf("request of %s: the parent is not its lane", lane.Operation)
			}
			got.Requests, got.Credits = got.Requests+1, got.Credits+e.Credits
			tries[about["fleetlake.attempt"]+" "+e.Outcome]++
		}
		if diff := cmp.Diff(lane, got); diff != "" {
			t.Errorf("%s (-report +spans):\n%s", lane.Operation, diff)
		}
	}
	for n, e := range entries {
		if e.Kind == journal.KindAnswer || e.Kind == journal.KindBalance {
			t.Errorf("entry %s has no span: %s", n, e.Operation)
		}
	}
	if tries["1 unavailable"] != 1 || tries["1 network"] != 1 || tries["2 ok"]+tries["2 empty"] != 2 {
		t.Errorf("tries: %v", tries)
	}
}

// TestACollectorThatFailsHarmsNoRun compares with a run that has no collector. Where the settings are refused, or
// the answer of the collector, the run is one of a night that is done.
func TestACollectorThatFailsHarmsNoRun(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	rude := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "planted answer", http.StatusUnauthorized)
	}))
	t.Cleanup(rude.Close)
	for name, c := range map[string]struct {
		env  []string
		says string // "" is nothing
		done bool   // the night is
	}{
		"none":                   {nil, "", false},
		"one that is turned off": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1/planted", "OTEL_SDK_DISABLED=true"}, "", true},
		"one that is not there":  {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://planted:planted@127.0.0.1:1/planted"}, "connection refused", false},
		"one that is silent": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + silent.Addr().String() + "/planted",
			"OTEL_EXPORTER_OTLP_TIMEOUT=600000", "OTEL_BSP_EXPORT_TIMEOUT=600000"}, "no answer in time", false},
		"one that refuses":     {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + rude.URL + "/planted"}, "status 401", true},
		"one without a scheme": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=planted:4318"}, "OTEL_EXPORTER_OTLP_ENDPOINT", true},
		"headers that are none": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_HEADERS=planted,x=planted%zz",
			"OTEL_RESOURCE_ATTRIBUTES=planted"}, "parse headers", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob)
			if c.done {
				w.has(smallJob, time.Now().UTC().Format(time.DateOnly))
			}
			w.env = append(w.env, c.env...)
			start := time.Now()
			o := w.must(exitDone, "run", "nightly", "--json")
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
			var r report.Report
			if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || r.State != report.StateDone || !c.done && r.Credits.Spent != w.sim.Bill().Spent || r.Rows["listings"] == 0 {
				t.Errorf("report %v: %s", err, o.stdout)
			}
			if n := strings.Count(o.stderr, `"traces not delivered"`); n > 1 || strings.Contains(o.stderr, "traces") != (c.says != "") || !strings.Contains(o.stderr, c.says) || strings.Contains(strings.ReplaceAll(o.stderr, "planted-key", ""), "planted") {
				t.Errorf("%d complaints, want %q and no secret:\n%s", n, c.says, o.stderr)
			}
		})
	}
}

// TestServeDeliversARunWhenItEnds has an exporter that would wait for an hour by itself.
func TestServeDeliversARunWhenItEnds(t *testing.T) {
	t.Parallel()
	w, c := newWorld(t, simulator.Config{Vessels: 400}), newCollector(t)
	w.due(1_000_000, smallJob, "")
	w.env = append(w.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.server.URL, "OTEL_BSP_SCHEDULE_DELAY=3600000")
	d := w.serve()
	d.hears("run published")
	select {
	case name := <-c.runs:
		if name != "run" {
			t.Errorf("a root %q", name)
		}
	case <-time.After(time.Minute):
		t.Errorf("no span within a minute:\n%s", d.said())
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	c.server.Close()
	if strings.Contains(c.raw.String(), "planted-key") {
		t.Error("the key is in a span")
	}
}

func TestWithoutACollectorNothingIsMade(t *testing.T) {
	none := newTraces(func(string) string { return "" }, slog.New(slog.DiscardHandler))
	if none != nil || none.tracer() != nil {
		t.Errorf("made %v", none)
	}
	none.flush()
	none.close(time.Second)
}
