package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// away is a service that answers everything, the free call too, in one wrong way for a while.
type away struct {
	sim      http.Handler
	kind     string
	from, to time.Time
}

// awayKinds lists these ways; refused connections never reach the handler.
var awayKinds = []string{"500", "502", "503", "504", "HTML with 200", "404", "refused", "hanging", "429"}

func (a *away) now() bool {
	now := time.Now()
	return !now.Before(a.from) && now.Before(a.to)
}

func (a *away) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.now() {
		a.sim.ServeHTTP(w, r)
		return
	}
	switch a.kind {
	case "HTML with 200":
		io.WriteString(w, "<html><body>We will be back soon</body></html>")
	case "hanging":
		io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
		<-r.Context().Done()
	default:
		var status int
		fmt.Sscan(a.kind, &status)
		w.WriteHeader(status)
	}
}

// serve is connect for a service that is away at times.
func (a *away) serve() (extract.Service, func()) {
	network, stop := memory.Serve(a)
	dial := func(ctx context.Context, net_, address string) (net.Conn, error) {
		if a.kind == "refused" && a.now() {
			return nil, &net.OpError{Op: "dial", Net: net_, Err: syscall.ECONNREFUSED}
		}
		return network.Dial(ctx, net_, address)
	}
	return extract.Service{BaseURL: "http://127.0.0.1" + simulator.BasePath, Key: "k", Dial: dial}, stop
}

// outageJob has a list, a sweep and lookups that together take some minutes at the limits.
func outageJob() plan.Job {
	return plan.Job{Name: "nightly", Location: time.UTC, Budget: 5000, Deadline: 4 * time.Hour,
		List:   plan.List{By: "country", Countries: []string{"Panama", "Liberia", "China", "Malta", "Greece", "Chad", "Norway", "Italy"}},
		Sweep:  plan.Sweep{Statuses: []string{"moored", "under-way"}, Zones: []string{"china-coast", "north-sea", "baltic-sea", "black-sea", "red-sea"}},
		Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour, MaxRequests: 30}}
}

// outageNight is the outcome of a night with an outage.
type outageNight struct {
	end    journal.End
	took   time.Duration
	listed []string
	totals map[string]inputs.Total
}

// playOutage runs one night of a small fleet, with an outage that begins after some time.
func playOutage(t *testing.T, kind string, after, lasting time.Duration, totals map[string]inputs.Total) (n outageNight) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 700, Key: "k", Credits: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		service, stop := (&away{sim: sim, kind: kind, from: start.Add(after), to: start.Add(after + lasting)}).serve()
		defer stop()
		s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: outageJob(), totals: maps.Clone(totals),
			targets: map[string]*inputs.Target{}, seen: map[string]bool{}, refused: map[string]bool{}}
		if s.totals == nil {
			s.totals = map[string]inputs.Total{}
		}
		s.p.fill()
		date := start.UTC().Format(time.DateOnly)
		s.run(date, 0)
		n.took = time.Since(start)
		n.end = lastEnd(t, s.p, date)
		s.load()
		n.listed, n.totals = slices.Sorted(maps.Keys(s.targets)), s.totals
	})
	return n
}

func lastEnd(t *testing.T, p *Pipeline, date string) (end journal.End) {
	t.Helper()
	paths, err := journal.Segments(p.segments() + "/" + date)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range journal.Read(paths[len(paths)-1]) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == journal.KindEnd {
			end = *e.End
		}
	}
	return end
}

// TestANightSurvivesAnyOutage takes the service away once in a night, at any moment, in any way, for
// up to the patience: the night ends by itself, done, with every vessel listed. It samples some 50
// nights, 200 with FLEETLAKE_LONG; FLEETLAKE_TEST_OUTAGES=all plays 200 moments of each kind.
func TestANightSurvivesAnyOutage(t *testing.T) {
	t.Parallel()
	first := playOutage(t, "none", 0, 0, nil)
	known := playOutage(t, "none", 0, 0, first.totals)
	if first.end.State != report.StateDone || known.end.State != report.StateDone || len(first.listed) < 200 {
		t.Fatalf("nights without an outage end %+v and %+v with %d vessels", first.end, known.end, len(first.listed))
	}
	moments := long(52, 200)
	if os.Getenv("FLEETLAKE_TEST_OUTAGES") == "all" {
		moments = 200
	}
	kinds := func(moment int) []string {
		if moment == 0 || os.Getenv("FLEETLAKE_TEST_OUTAGES") == "all" {
			return awayKinds // the first calls of a run have code of their path alone
		}
		return []string{awayKinds[moment%len(awayKinds)]}
	}
	const groups = 4
	for g := range groups {
		t.Run(fmt.Sprint("moments ", g), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(g)))
			for moment := g; moment < moments; moment += groups {
				for _, kind := range kinds(moment) {
					lasting := []time.Duration{20 * time.Second, time.Duration(r.Int64N(int64(30 * time.Minute))), 30 * time.Minute}[r.IntN(3)]
					totals, clean := first.totals, known
					if r.IntN(2) == 0 {
						totals, clean = nil, first
					}
					after := clean.took * time.Duration(moment) / time.Duration(moments)
					n := playOutage(t, kind, after, lasting, totals)
					if n.end.State != report.StateDone || !slices.Equal(n.listed, clean.listed) || n.took > clean.took+lasting+20*time.Minute {
						t.Errorf("%s for %v after %v of %v, totals known: %v: %+v after %v with %d of %d vessels", kind, lasting, after, clean.took,
							totals != nil, n.end, n.took, len(n.listed), len(clean.listed))
					}
				}
			}
		})
	}
}

// TestAnOutageLongerThanThePatienceEndsTheNight checks that the end names the outage.
func TestAnOutageLongerThanThePatienceEndsTheNight(t *testing.T) {
	t.Parallel()
	for _, kind := range awayKinds {
		n := playOutage(t, kind, 10*time.Second, 3*time.Hour, nil)
		if n.end.State != report.StatePartial || n.end.Stop != string(report.StopService) || n.took > 40*time.Minute ||
			!strings.Contains(n.end.Reason, "the service gave no answer for 3") || !strings.Contains(n.end.Reason, "run the same command again") {
			t.Errorf("%s: %+v after %v", kind, n.end, n.took)
		}
	}
}

// blockedFor answers as the simulator does, except for one operation, whose error message can mean no
// credits or a blocked endpoint.
func blockedFor(sim http.Handler, o api.Operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, o.Path) || strings.Contains(r.URL.RawQuery, "accepted-values") {
			sim.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"detail":"credits are insufficient or the endpoint is blacklisted"}`)
	})
}

// TestABlockedOperationNeverHangsTheRun has an operation blocked under caps that its requests in
// flight use up, and under caps that they do not.
func TestABlockedOperationNeverHangsTheRun(t *testing.T) {
	for _, most := range []int{40, 900, 5000} {
		for _, o := range []api.Operation{api.ByType, api.ByStatus} {
			t.Run(fmt.Sprint(o.Name, " ", most), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 300, Key: "k", Credits: 100_000})
					if err != nil {
						t.Fatal(err)
					}
					service, stop := (&away{sim: blockedFor(sim, o)}).serve()
					defer stop()
					job := outageJob()
					job.Budget = most
					job.Lookup.MaxRequests = 5
					s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job, totals: map[string]inputs.Total{}, targets: map[string]*inputs.Target{}}
					s.p.fill()
					start := time.Now()
					s.run("2026-11-20", 0)
					if took := time.Since(start); took > time.Minute {
						t.Errorf("the run took %v", took)
					}
					if end := lastEnd(t, s.p, "2026-11-20"); end.State != report.StatePartial || end.Reason == "" {
						t.Errorf("the run ended %+v", end)
					}
				})
			})
		}
	}
}

// TestAStopAndADeadlineEndEveryWait has lanes wait for a service that asks for an hour's pause, or that
// hangs, and ends the runs by a stop or by their deadline.
func TestAStopAndADeadlineEndEveryWait(t *testing.T) {
	const most = 30 * time.Second
	handlers := map[string]http.HandlerFunc{
		"Retry-After of an hour": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		},
		"429s":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		"503s":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"hanging": func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
	}
	for name, handler := range handlers {
		for _, deadline := range []time.Duration{0, 5 * time.Second, 10 * time.Minute} {
			for _, known := range []bool{false, true} { // whether the service answered before
				t.Run(fmt.Sprint(name, " ", deadline, " ", known), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { stopWaiting(t, handler, deadline, known, most) })
				})
			}
		}
	}
}

func stopWaiting(t *testing.T, handler http.HandlerFunc, deadline time.Duration, answersFirst bool, most time.Duration) {
	sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 300, Key: "k", Credits: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var once sync.Once
	service, stop := (&away{sim: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answersFirst && time.Since(start) < 3*time.Second {
			sim.ServeHTTP(w, r)
			return
		}
		handler(w, r)
	})}).serve()
	defer once.Do(stop)
	job := outageJob()
	job.Deadline = deadline
	s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job}
	s.p.fill()
	ctx, cancel := context.WithCancel(t.Context())
	ends, want := deadline, report.StatePartial
	if deadline == 0 {
		ends, want = 3*time.Minute, report.StateInterrupted
		time.AfterFunc(ends, cancel)
	}
	defer cancel()
	w := work{job: job, decided: plan.Decide(job, plan.Inputs{Now: start}, service.PerMinute), account: credits.NewAccount(), started: start}
	w.recorded = w.record(runID(start), "2026-11-20", "test")
	segment, err := journal.Create(s.p.segments(), journal.Entry{Kind: journal.KindPlan, At: start, Plan: &w.recorded})
	if err != nil {
		t.Fatal(err)
	}
	end, err := s.p.spend(ctx, w, segment)
	if err = errors.Join(err, segment.Close()); err != nil || end.State != want {
		t.Errorf("%+v, %v", end, err)
	}
	if took := time.Since(start); took > ends+most {
		t.Errorf("the run took %v and was to end after %v", took, ends)
	}
}
