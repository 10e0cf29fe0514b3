package simulation

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// start is day 0, and the first moment of every bubble.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// world is a scenario that is played: the service, the data directory, and what must hold of both.
type world struct {
	configuration
	machine
	t      *testing.T
	sim    *simulator.Simulator
	root   string        // of all data directories
	moves  int           // to other machines
	offset time.Duration // of the clock of the machine from that of the bubble
	began  time.Time     // day 0 by the clock of the bubble
	night  night

	money    money
	journal  reading
	out      map[string]bool // runs that were rolled back
	faulty   bool            // the service or the machine were out of order this night
	silent   map[string]bool // nights on which the service said that no status search has a vessel
	later    bool            // this night's runs are published later, with others
	compared map[string]bool // the runs whose plan was compared with what was fresh
	runs     int
	failures []string
}

// newWorld makes the world of a scenario, and returns what ends it.
func newWorld(t *testing.T, s scenario) (*world, func()) {
	w := &world{configuration: configure(s.seed), t: t, root: directory(t), began: time.Now(), out: map[string]bool{}, silent: map[string]bool{}, compared: map[string]bool{}}
	w.fleet.Start = start
	sim, err := simulator.New(w.fleet)
	w.must(err)
	w.sim, w.service = sim, &service{answers: sim}
	w.drawWatch(rand.New(rand.NewPCG(s.seed, 6)))
	api, stop := w.service.start()
	api.Now, api.MaxInFlight = w.now, w.inFlight
	w.p = pipeline.Pipeline{Dir: filepath.Join(w.root, "data"), Service: api, Now: w.now, AcceptIssues: true, Log: slog.New(overdue{slog.DiscardHandler})}
	w.money, w.journal = newMoney(w), newReading()
	return w, func() {
		w.closeFile()
		stop()
	}
}

// drawWatch gives jobs with lookups a watch list, the same to all that have one: vessels of the first day by
// their IMO number or their MMSI, which may change, and a number that no vessel has.
func (w *world) drawWatch(r *rand.Rand) {
	fleet, watch := w.sim.Truth(0), []string{"9074729"}
	for range 1 + r.IntN(5) {
		v := fleet[r.IntN(len(fleet))]
		number, byIMO := strings.CutPrefix(v.VesselID, "IMO")
		if !byIMO || r.IntN(2) == 0 {
			number = v.MMSI
		}
		watch = append(watch, number)
	}
	for i := range w.jobs {
		if lookup := &w.jobs[i].Lookup; len(lookup.Want) > 0 && r.IntN(2) == 0 {
			lookup.Watch, lookup.WatchedOnly = watch, r.IntN(2) == 0
		}
	}
}

// directory makes a directory, which the test removes. Its path does not have the name of the test: that of
// a scenario which is played twice has a character that no path of a database may have.
func directory(t *testing.T) string {
	dir, err := os.MkdirTemp("", "simulation")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// overdue fails a test whose run does not end.
type overdue struct{ slog.Handler }

func (overdue) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

func (overdue) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "run has not ended") {
		panic(r.Message)
	}
	return nil
}

// fail records that a check failed. The first words name the check.
func (w *world) fail(check, format string, args ...any) {
	if len(w.failures) < 30 {
		w.failures = append(w.failures, fmt.Sprintf("day %d, %s: %s: ", w.night.day, w.night.event, check)+fmt.Sprintf(format, args...))
	}
}

// now is the clock of the machine.
func (w *world) now() time.Time { return start.Add(time.Since(w.began)).Add(w.offset) }

// today is the snapshot date of a job by the clock of the machine. The fleet is always that of this date:
// to the program, a machine with a wrong clock is one in another time.
func (w *world) today() string { return w.now().In(w.jobs[0].Location).Format(time.DateOnly) }

// setClock changes the clock of the machine, and lets the fleet be that of its date.
func (w *world) setClock(offset time.Duration) {
	w.offset = offset
	w.sim.SetDay(dayOf(w.today()))
}

// dayOf returns the day of a date.
func dayOf(date string) int {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return int(at.Sub(start) / (24 * time.Hour))
}

// run runs a job to its end, and checks what it spent.
func (w *world) run(job plan.Job) (r report.Report, err error) {
	w.service.begin(0, false, nil)
	return w.runWith(context.Background(), job)
}

// runWith runs a job as a process does: under the lock.
func (w *world) runWith(ctx context.Context, job plan.Job) (r report.Report, err error) {
	w.money.before(job)
	unlock, err := datadir.Lock(w.p.Dir, "the simulation")
	w.must(err)
	began := time.Now()
	r, err = w.process(ctx, job)
	if took := time.Since(began); took > deadline+time.Minute {
		w.fail("end", "a run took %v", took)
	}
	w.must(unlock())
	w.settle()
	w.money.after(job, r, err)
	w.runs++
	return r, err
}

// kill runs a job in a process that is killed; see machine.kill. It reports whether the run got so far.
func (w *world) kill(job plan.Job, request int, answered bool, phase string) (killed bool) {
	w.money.before(job)
	killed = w.machine.kill(func(ctx context.Context) { w.process(ctx, job) }, request, answered, phase)
	w.money.after(job, report.Report{}, nil)
	w.runs++
	return killed
}

// dark plays one night, and publishes its runs at once or later.
func (w *world) dark(n night, later bool) {
	time.Sleep(time.Until(w.began.AddDate(0, 0, n.day).Add(w.hour))) // of virtual time: the next night comes
	w.night, w.faulty, w.later = n, false, later
	w.setClock(0)
	w.play(rand.New(rand.NewPCG(n.seed, 3)))
	w.setClock(0)
}

// checkHistory compares all that the tables say with all answers on record.
func (w *world) checkHistory() {
	w.must(w.recover())
	newModel(w, w.checkTables()).check()
}
