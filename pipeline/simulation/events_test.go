package simulation

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// play plays the event of a night.
func (w *world) play(r *rand.Rand) {
	job := w.jobs[r.IntN(len(w.jobs))]
	switch w.night.event {
	case "plain":
		w.plain()
	case "faults":
		w.failing(w.faults(r))
	case "refusals":
		w.failing(refusals(r))
	case "outage":
		w.outage(r, job)
	case "kill":
		w.killed(r, job, "none")
	case "kill-publishing":
		w.killed(r, job, []string{"derive", "publish"}[r.IntN(2)])
	case "stop":
		w.stopped(r, job)
	case "cap":
		job.Budget = 10 + r.IntN(300)
		w.expect(w.run(job))
		w.plain()
	case "deadline":
		job.Deadline = time.Duration(1+r.IntN(300)) * time.Second
		w.faulty = true
		w.expect(w.run(job))
	case "clock":
		w.clock(r, job)
	case "rollback", "undo":
		w.rollback(r, job)
	case "rebuild":
		w.rebuild(r)
	case "upgrade":
		w.upgrade(r)
		w.plain()
	case "unwritable":
		w.unwritable(r, job)
	case "two":
		w.two(job)
	case "balance":
		w.balance(r, job)
	case "again":
		w.p.Again = true
		w.expect(w.run(job))
		w.p.Again = false
	default:
		panic(w.night.event)
	}
}

// expect fails for an error of a run that must have none.
func (w *world) expect(_ any, err error) {
	if err != nil {
		w.fail("end", "a run ended with an error: %v", err)
	}
}

// plain runs every job.
func (w *world) plain() {
	for _, job := range w.jobs {
		w.expect(w.run(job))
	}
}

// faults returns a few faults of the service: some answers fail, are billed and fail, or contradict
// themselves.
func (w *world) faults(r *rand.Rand) (faults simulator.Faults) {
	for _, kind := range []simulator.FaultKind{simulator.Unavailable, simulator.Cut, simulator.Truncated, simulator.ServerError, simulator.BadGateway, simulator.HTMLPage,
		simulator.LimitExceeded, simulator.MovingTotal, simulator.RepeatedPage, simulator.ShortPage} {
		if r.IntN(3) == 0 {
			billed := r.IntN(2) == 0 && kind != simulator.Unavailable && kind != simulator.LimitExceeded
			faults = append(faults, simulator.Fault{Kind: kind, Share: []float64{.02, .3}[r.IntN(2)] * r.Float64(), Billed: billed})
		}
	}
	if r.IntN(2) == 0 {
		faults = append(faults, simulator.Fault{Kind: simulator.Slow, Share: .5, Least: 10 * time.Millisecond, Most: 9 * time.Second})
	}
	for _, country := range []string{"Panama", "Liberia", "China"} {
		if r.IntN(6) == 0 {
			faults = append(faults, simulator.Fault{Kind: simulator.SilentZero, Operation: api.ByType.Name, Match: "country=" + country + "&"})
		}
	}
	for _, o := range []api.Operation{api.ByStatus, api.ByType} {
		if r.IntN(4) == 0 {
			faults = append(faults, simulator.Fault{Kind: simulator.SilentZero, Operation: o.Name})
		}
	}
	return faults
}

// refusals returns a fault with which the service refuses requests: some, from one on, or all of an operation.
func refusals(r *rand.Rand) simulator.Faults {
	kinds := []simulator.FaultKind{simulator.LimitExceeded, simulator.Unauthorized, simulator.NoCredits, simulator.Blocked}
	f := simulator.Fault{Kind: kinds[r.IntN(len(kinds))]}
	if r.IntN(2) == 0 {
		f.Operation = []string{api.ByType.Name, api.ByStatus.Name, api.Particulars.Name, api.Info.Name}[r.IntN(4)]
	}
	switch r.IntN(3) {
	case 0:
		f.Every = 2 + r.IntN(30)
	case 1:
		f.Next = 1 + r.IntN(20)
	}
	return simulator.Faults{f}
}

// failing runs every job while the service has faults.
func (w *world) failing(faults simulator.Faults) {
	w.faulty = true
	w.must(w.sim.SetFaults(faults))
	for _, f := range faults {
		if f.Kind == simulator.SilentZero && f.Operation == api.ByStatus.Name {
			w.silent[w.today()] = true
		}
	}
	for _, job := range w.jobs {
		w.run(job)
	}
	w.must(w.sim.SetFaults(nil))
}

// outage takes the service away some seconds after the run began.
func (w *world) outage(r *rand.Rand, job plan.Job) {
	w.faulty = true
	after, lasting := time.Duration(r.IntN(600))*time.Second, time.Duration(1+r.IntN(50))*time.Minute
	w.service.begin(0, false, nil)
	w.service.awayDuring(after, lasting, []string{"503", "hanging", "refused"}[r.IntN(3)], func() { w.runWith(context.Background(), job) })
}

// killed kills runs, up to three in a row, and mostly resumes the night.
func (w *world) killed(r *rand.Rand, job plan.Job, phase string) {
	w.faulty = true
	if r.IntN(2) == 0 {
		w.must(w.sim.SetFaults(simulator.Faults{{Kind: simulator.Slow, Share: 1, Least: 10 * time.Millisecond, Most: 4 * time.Second}}))
	}
	for range 1 + r.IntN(3) {
		request := 1 + r.IntN(60)
		if phase != "none" {
			request = 0
		}
		w.kill(job, request, r.IntN(2) == 0, phase)
	}
	w.must(w.sim.SetFaults(nil))
	if r.IntN(4) > 0 {
		w.expect(w.run(job))
	}
}

// stopped stops a run by request after some time, and mostly resumes it.
func (w *world) stopped(r *rand.Rand, job plan.Job) {
	w.faulty = true
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+r.IntN(240))*time.Second)
	defer cancel()
	w.service.begin(0, false, nil)
	w.runWith(ctx, job)
	if r.IntN(3) > 0 {
		w.expect(w.run(job))
	}
}

// clock runs while the clock of the machine is wrong: by hours, by days, or by weeks. Sometimes it is
// corrected in the same night.
func (w *world) clock(r *rand.Rand, job plan.Job) {
	w.faulty = true
	steps := []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, 3 * 24 * time.Hour, -3 * 24 * time.Hour, 35 * 24 * time.Hour}
	w.setClock(steps[r.IntN(len(steps))])
	if dayOf(w.today()) >= 0 {
		w.expect(w.run(job))
	}
	w.setClock(0)
	if r.IntN(2) == 0 {
		w.expect(w.run(job))
	}
}

// rollback returns to the version before, once or twice, and then undoes it or continues from there.
func (w *world) rollback(r *rand.Rand, job plan.Job) {
	w.must(w.recover())
	for range 1 + r.IntN(2) {
		before := w.published()
		_, err := derive.Rollback(context.Background(), w.deriver())
		if errors.Is(err, warehouse.ErrNoVersion) {
			break
		}
		w.must(err)
		after := w.published()
		for run := range before {
			if !after[run] {
				w.out[run] = true
			}
		}
		for run := range after {
			if !before[run] {
				w.fail("rollback", "%s is published after a rollback, and was not before", run)
			}
		}
	}
	w.checkTables()
	if w.night.event == "undo" {
		_, err := derive.UndoRollback(context.Background(), w.deriver())
		w.must(err)
		clear(w.out)
		return
	}
	w.expect(w.run(job))
}

// rebuild makes lake and warehouse again, sometimes after one of them is lost, and compares.
func (w *world) rebuild(r *rand.Rand) {
	w.must(w.recover())
	before := w.hashes()
	back := len(w.out) > 0
	lost := [][]string{nil, {"lake"}, {"warehouse"}, {"lake", "warehouse"}}[r.IntN(4)]
	for _, part := range lost {
		w.must(os.RemoveAll(filepath.Join(w.p.Dir, part)))
	}
	heals := len(lost) > 0 && r.IntN(2) == 0 && !back
	if heals {
		w.must(w.recover())
	} else {
		_, err := derive.Rebuild(context.Background(), w.deriver(), derive.RebuildOptions{})
		if errors.Is(err, derive.ErrNoRuns) {
			return
		}
		w.must(err)
		clear(w.out)
	}
	if !back {
		w.sameTables("rebuild", before, w.hashes())
	}
}

// recover publishes what earlier runs left.
func (w *world) recover() error {
	_, err := w.p.Recover(context.Background())
	return err
}

// upgrade makes the published file one of another program, which the next start replaces.
func (w *world) upgrade(r *rand.Rand) {
	w.must(w.recover())
	before := w.hashes()
	if before == nil {
		return
	}
	statements := []string{"UPDATE internal.schema_migrations SET checksum = 'abc'"}
	if r.IntN(2) == 0 {
		statements = []string{"DROP TABLE internal.schema_migrations", "DROP TABLE zone_daily", "ALTER TABLE runs DROP COLUMN credits_unknown"}
	}
	w.closeFile()
	path := warehouse.Path(w.p.Dir)
	w.must(os.Chmod(path, 0o644))
	db, err := sql.Open("duckdb", path)
	w.must(err)
	for _, s := range statements {
		_, err := db.Exec(s)
		w.must(err)
	}
	w.must(db.Close())
	if err := os.Remove(filepath.Join(w.p.Dir, "warehouse", "fingerprints")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	w.must(w.recover())
	w.sameTables("upgrade", before, w.hashes())
}

// unwritable runs a job while the machine cannot write the lake, or the journal.
func (w *world) unwritable(r *rand.Rand, job plan.Job) {
	w.faulty = true
	w.must(w.recover())
	place := filepath.Join(w.p.Dir, []string{"lake", "warehouse/versions", "journal/" + w.today()}[r.IntN(3)])
	w.must(os.MkdirAll(filepath.Dir(place), 0o755))
	moved := os.Rename(place, place+".away")
	w.must(os.WriteFile(place, nil, 0o644))
	_, err := w.run(job)
	w.must(os.Remove(place))
	if moved == nil {
		w.must(os.Rename(place+".away", place))
	}
	if err == nil && moved != nil && w.service.requests > 0 {
		w.fail("end", "a run could write nothing to %s, and reported no error", place)
	}
	if err != nil && !errors.Is(err, pipeline.ErrUnpublished) && w.service.requests > 0 {
		w.fail("money", "%d priced requests, and then: %v", w.service.requests, err)
	}
	if r.IntN(2) == 0 {
		w.expect(w.run(job))
	}
}

// two starts a second run while one is at work: it is refused, and the first is not disturbed.
func (w *world) two(job plan.Job) {
	other := w.jobs[len(w.jobs)-1]
	w.service.begin(0, false, nil)
	w.service.reached = func() {
		unlock, err := datadir.Lock(w.p.Dir, "another")
		if !errors.Is(err, datadir.ErrLocked) {
			w.fail("end", "a second run began while one was at work: %v", err)
			w.must(unlock())
		}
	}
	w.expect(w.runWith(context.Background(), job))
	w.expect(w.run(other))
}

// balance runs with few credits left, and again after more are bought.
func (w *world) balance(r *rand.Rand, job plan.Job) {
	w.sim.SetBalance(job.Floor + r.IntN(200))
	w.run(job)
	w.sim.SetBalance(1_000_000)
	if r.IntN(2) == 0 {
		w.expect(w.run(job))
	}
}
