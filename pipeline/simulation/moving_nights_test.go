package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// movingNights reads the moving fleet night by night, with a clock that may be wrong.
type movingNights struct {
	machine
	*moving
	t      *testing.T
	offset time.Duration // of the clock of the machine from that of the bubble
	late   int           // the night whose slot did not run, and is still to run; -1 is none
	runs   int
	back   bool              // a run is rolled back that the next undo publishes again, too
	ids    map[string]string // the vessels by their first names, at the last check
}

// movingJob lists all countries, and looks up each ship every few nights.
var movingJob = plan.Job{Name: "nightly", Location: time.UTC, Deadline: deadline, List: plan.List{By: "country"},
	Lookup: plan.Lookup{Want: []string{"management"}, MaxAge: 60 * time.Hour, MaxRequests: 40}}

// movingEvents lists what can happen in a night, each as often as it is drawn.
var movingEvents = append(slices.Repeat(strings.Fields("plain later later"), 12), strings.Fields("stop kill kill kill-publishing outage outage rollback undo ahead back late late")...)

// movingEvent draws the event of a night. The first nights and those before a check are plain, so that there is something
// to miss, and nothing is left to decide. The short form has one of each of the commonest kinds.
func movingEvent(r *rand.Rand, night, nights int) string {
	switch {
	case night < 3 || nights-night <= 2 || checkedNights-night%checkedNights <= 3:
		return "plain"
	case nights < checkedNights:
		return []string{"kill", "later", "rollback"}[night%3]
	}
	return movingEvents[r.IntN(len(movingEvents))]
}

// TestAMovingFleet harvests nights of a fleet that moves while it is read. Runs are stopped and killed, the service goes away,
// nights are rolled back, clocks are wrong and slots late; lists contradict themselves, countries come and go, and companies are
// written in any dress. No vessel is gone, reflagged, renamed, sold or another one that is not, and none is missed; what is
// doubtful is marked. FLEETLAKE_SEED plays one seed, FLEETLAKE_NIGHTS so many nights of it, and FLEETLAKE_KEEP is
// where the data directory of a seed that fails is copied to.
func TestAMovingFleet(t *testing.T) {
	nights := number("FLEETLAKE_NIGHTS", long(8, 200))
	for seed := range uint64(long(1, 5)) {
		if one := number("FLEETLAKE_SEED", -1); one >= 0 && seed != uint64(one) {
			continue
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playMoving(t, seed, nights) })
		})
	}
}

// checkedNights is after how many nights the tables are compared with what happened.
const checkedNights = 50

func playMoving(t *testing.T, seed uint64, nights int) {
	w := &movingNights{t: t, moving: newMoving(seed, 36), late: -1, ids: map[string]string{}}
	w.service = &service{answers: w.moving}
	api, stop := w.service.start()
	defer stop()
	defer w.closeFile()
	api.Now, api.MaxInFlight = w.now, 1 // one request of a kind after the other, so that a seed nearly repeats what it did
	w.p = pipeline.Pipeline{Dir: filepath.Join(directory(t), "data"), Service: api, Now: w.now, AcceptIssues: true}
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("seed %d, night %d: %v\n%s", seed, w.night, p, debug.Stack())
		}
	}()
	defer func() {
		if keep := os.Getenv("FLEETLAKE_KEEP"); keep != "" && t.Failed() {
			w.closeFile()
			w.must(os.CopyFS(filepath.Join(keep, fmt.Sprint("moving-", seed)), os.DirFS(w.p.Dir)))
		}
	}()
	for night := range nights {
		time.Sleep(time.Until(start.AddDate(0, 0, night).Add(2 * time.Hour))) // of virtual time: the next night comes
		r := rand.New(rand.NewPCG(seed, 1000+uint64(night)))
		w.play(night, movingEvent(r, night, nights), r)
		if night == nights-1 || night%checkedNights == checkedNights-1 {
			w.check()
			t.Logf("%d nights, %d of them whole, in %d runs: %d ships left, %d changed their flags, %d their names and %d companies; %d have the MMSI of one that left; lists missed %d ships and showed %d on two pages; %d times a country was not accepted any more",
				night+1, len(w.readings), w.runs, w.countLeft(), w.count("flag"), w.count("name"), w.count(roles[0])+w.count(roles[1]), w.given, w.missed, w.marked, w.withheld)
		}
		if t.Failed() {
			return
		}
	}
	if w.count("flag") == 0 || nights > checkedNights && min(w.missed, w.marked, w.count(roles[0]), w.count(roles[1]), w.given, w.withheld) == 0 {
		t.Error("the nights are too quiet to test anything")
	}
}

// now is the clock of the machine.
func (w *movingNights) now() time.Time { return time.Now().Add(w.offset).UTC() }

// play plays the event of a night.
func (w *movingNights) play(night int, event string, r *rand.Rand) {
	if late := w.late; late >= 0 { // before the slot of this night
		w.late = -1
		w.run(context.Background(), late)
	}
	defer func() { w.offset = 0 }()
	switch event {
	case "plain":
		w.run(context.Background(), night)
	case "later":
		w.collectOnly(night)
	case "stop":
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+r.IntN(300))*time.Second)
		w.run(ctx, night)
		cancel()
		w.sometimes(r, night)
	case "outage":
		after, lasting := time.Duration(r.IntN(400))*time.Second, time.Duration(1+r.IntN(50))*time.Minute
		w.service.awayDuring(after, lasting, []string{"503", "hanging", "refused"}[r.IntN(3)], func() { w.run(context.Background(), night) })
		w.sometimes(r, night)
	case "kill", "kill-publishing":
		w.killed(r, night, event == "kill")
	case "rollback", "undo":
		w.rollback(r, night, event == "undo")
	case "ahead":
		ahead := 1 + r.IntN(3)
		w.offset, w.quiet = time.Duration(ahead)*24*time.Hour, night+ahead
		w.run(context.Background(), night+ahead)
		w.offset = 0
		w.sometimes(r, night)
	case "back":
		w.offset = -24 * time.Hour
		w.run(context.Background(), night-1)
		w.offset = 0
		w.run(context.Background(), night)
	case "late":
		w.late = night
	}
}

// sometimes runs a night again, or for the first time.
func (w *movingNights) sometimes(r *rand.Rand, night int) {
	if r.IntN(3) > 0 {
		w.run(context.Background(), night)
	}
}

// run runs a night as a process does, as far as it comes, and notes when that makes it whole.
func (w *movingNights) run(ctx context.Context, night int) {
	w.begin(night)
	w.service.begin(0, false, nil)
	w.process(ctx, night)
	w.settle()
}

// collectOnly runs a night that is published with the next one, as when the disk is full: to publish is most of a night's work.
func (w *movingNights) collectOnly(night int) {
	w.begin(night)
	w.service.begin(0, false, nil)
	w.runs++
	c, err := w.collect(context.Background(), movingJob, start.AddDate(0, 0, night).Format(time.DateOnly))
	w.must(err)
	if w.settle(); c.Segment == "" { // the clock was ahead, and this night is read already
		return
	}
	written, err := w.deriver().Write(c.Segment)
	w.must(err)
	if written.Report.State == report.StateDone {
		w.end(written.Report.Run)
	}
}

func (w *movingNights) process(ctx context.Context, night int) {
	unlock, err := datadir.Lock(w.p.Dir, "the moving fleet")
	w.must(err)
	w.closeFile()
	w.runs++
	r, err := w.p.Run(ctx, movingJob, start.AddDate(0, 0, night).Format(time.DateOnly))
	w.must(unlock())
	if w.service.isDead() {
		return
	}
	if w.must(err); r.State == report.StateDone {
		w.end(r.Run)
	}
}

// killed kills processes, up to two in a row, and mostly resumes the night.
func (w *movingNights) killed(r *rand.Rand, night int, harvesting bool) {
	w.begin(night)
	for range 1 + r.IntN(2) {
		request, phase := 1+r.IntN(280), "none"
		if !harvesting {
			request, phase = 0, []string{"derive", "publish"}[r.IntN(2)]
		}
		w.closeFile()
		w.runs++
		w.kill(func(ctx context.Context) {
			w.p.Run(ctx, movingJob, start.AddDate(0, 0, night).Format(time.DateOnly))
		}, request, r.IntN(2) == 0, phase)
	}
	w.sometimes(r, night)
}

// rollback runs a night and rolls it back: all is known as before the night. It is then undone, and all known again as
// after it, or the night is read anew, or it stays unknown.
func (w *movingNights) rollback(r *rand.Rand, night int, undo bool) {
	_, err := w.p.Recover(context.Background())
	w.must(err)
	before, was := w.knowledge(), w.published()
	w.run(context.Background(), night)
	after, is := w.knowledge(), w.published()
	if len(is) == len(was) { // the clock was ahead, and this night is read already
		return
	}
	w.closeFile()
	_, err = derive.Rollback(context.Background(), w.deriver())
	w.must(err)
	if got := w.knowledge(); got != before {
		w.t.Errorf("night %d: a rollback leaves other knowledge than before the night:\n%s", night, difference(got, before))
	}
	if undo {
		w.closeFile()
		_, err := derive.UndoRollback(context.Background(), w.deriver())
		w.must(err)
		if got := w.knowledge(); got != after && !w.back {
			w.t.Errorf("night %d: an undone rollback leaves other knowledge than after the night:\n%s", night, difference(got, after))
		}
		if w.back { // ids are given night by night: an earlier one that is there again can take the id of a vessel that came later
			clear(w.ids)
		}
		w.back = false
		return
	}
	w.back = true
	w.undo(w.published())
	w.sometimes(r, night)
}
