package pipeline

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// playAnswers runs one night of a small fleet against a service that answers some requests, at some
// time after the start, with an error.
func playAnswers(t *testing.T, job plan.Job, status int, words string, wrong func(after time.Duration, path string) bool) (end journal.End, took time.Duration, refused []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sim, err := simulator.New(simulator.Config{Seed: 5, Vessels: 700, Key: "k", Credits: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		service, stop := (&away{sim: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !wrong(time.Since(start), strings.TrimPrefix(r.URL.Path, simulator.BasePath)) {
				sim.ServeHTTP(w, r)
				return
			}
			w.WriteHeader(status)
			io.WriteString(w, words)
		})}).serve()
		defer stop()
		s := &fixture{t: t, sim: sim, p: &Pipeline{Dir: t.TempDir(), Service: service}, job: job, totals: map[string]inputs.Total{},
			targets: map[string]*inputs.Target{}, seen: map[string]bool{}, refused: map[string]bool{}}
		s.p.fill()
		date := start.UTC().Format(time.DateOnly)
		s.run(date, 0)
		end, took = lastEnd(t, s.p, date), time.Since(start)
		paths, err := journal.Segments(s.p.segments())
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for e, err := range journal.Read(paths[0]) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Operation == api.Particulars.Name && e.Kind == journal.KindAnswer {
				known[e.Parameters] = e.OK()
			}
		}
		for vessel, ok := range known {
			if !ok {
				refused = append(refused, vessel)
			}
		}
	})
	return end, took, refused
}

// TestLookupsDuringA404AreAskedAgain has a gateway answer every lookup with 404 for five minutes. The
// last answer to each is what the service knows.
func TestLookupsDuringA404AreAskedAgain(t *testing.T) {
	job := outageJob()
	job.Lookup.MaxRequests = 120
	gateway := func(from, to time.Duration) ([]string, time.Duration) {
		end, took, refused := playAnswers(t, job, 404, `{"error":"Not Found","message":"no route"}`, func(after time.Duration, path string) bool {
			return path == api.Particulars.Path && after >= from && after < to
		})
		for _, line := range end.LeftOut {
			if strings.Contains(line, "did not answer") {
				t.Errorf("404 from %v to %v: %s", from, to, line)
			}
		}
		if end.State != report.StateDone {
			t.Errorf("404 from %v to %v: %+v", from, to, end)
		}
		return refused, took
	}
	clean, usual := gateway(0, 0)
	for _, from := range []time.Duration{10 * time.Second, 40 * time.Second, 80 * time.Second} {
		refused, took := gateway(from, from+5*time.Minute)
		if len(refused) != len(clean) || took > usual+10*time.Minute {
			t.Errorf("404 from %v on: %d vessels are unknown, want %d, after %v", from, len(refused), len(clean), took)
		}
	}
}

// TestLookupsWithoutAnAnswerAreLeftOutForThatReason has the lookups go away for good in mid-run.
func TestLookupsWithoutAnAnswerAreLeftOutForThatReason(t *testing.T) {
	end, _, _ := playAnswers(t, outageJob(), 502, "<html>Bad Gateway</html>", func(after time.Duration, path string) bool {
		return path == api.Particulars.Path && after >= 10*time.Second
	})
	text := strings.Join(end.LeftOut, "\n")
	if end.State != report.StatePartial || !strings.Contains(text, "lookups were not answered: the service did not answer as it should") || !strings.Contains(text, "lookups are left out: the service did not answer as it should") {
		t.Errorf("%+v", end)
	}
}

// TestADeadlineTellsSinceWhenTheServiceWasAway has deadlines that are shorter than the patience.
func TestADeadlineTellsSinceWhenTheServiceWasAway(t *testing.T) {
	job := outageJob()
	job.Deadline = 10 * time.Minute
	for name, from := range map[string]time.Duration{"from the start": 0, "in mid-run": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			end, took, _ := playAnswers(t, job, 503, `{"detail":"Database temporarily unavailable"}`, func(after time.Duration, _ string) bool { return after >= from })
			if end.State != report.StatePartial || end.Stop != string(report.StopDeadline) || took > 11*time.Minute {
				t.Errorf("%+v after %v", end, took)
			}
			since := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(from).Format("2006-01-02T15:04") // when virtual time begins
			for _, want := range []string{"the deadline of 10m0s is over; ", "the service gave no answer for ", "since " + since, "503 Service Unavailable: Database temporarily unavailable"} {
				if !strings.Contains(end.Reason, want) {
					t.Errorf("%q is not reported: %s", want, end.Reason)
				}
			}
		})
	}
}
