package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/warehouse"
)

// entries is a run as its journal has it.
type entries struct {
	plan                       journal.Plan
	end                        journal.End
	started, finished          time.Time
	requests, credits, unknown map[string]int // by operation
	balance                    int            // as reported last; -1 if it was not
}

// journals reads every run of the week, the oldest first.
func (w *week) journals() []entries {
	w.t.Helper()
	paths, err := journal.Segments(filepath.Join(w.dir, "journal"))
	if err != nil {
		w.t.Fatal(err)
	}
	var all []entries
	for _, path := range paths {
		run := entries{requests: map[string]int{}, credits: map[string]int{}, unknown: map[string]int{}, balance: -1}
		for e, err := range journal.Read(path) {
			if err != nil {
				w.t.Fatal(err)
			}
			run.add(e)
		}
		all = append(all, run)
	}
	slices.SortFunc(all, func(a, b entries) int { return cmp.Compare(a.plan.Run, b.plan.Run) })
	return all
}

func (r *entries) add(e journal.Entry) {
	r.finished = e.At
	switch e.Kind {
	case journal.KindPlan:
		r.plan, r.started = *e.Plan, e.At
	case journal.KindEnd:
		r.end = *e.End
	case journal.KindAnswer, journal.KindBalance: // a run that ended in order has an answer to each intent
		r.requests[e.Operation]++
		r.credits[e.Operation] += e.Credits
		if e.Charge == journal.ChargeUnknown {
			r.unknown[e.Operation] += e.Credits
		}
		if left, err := api.ParseBalance(e.Body); e.Kind == journal.KindBalance && err == nil {
			r.balance = left
		}
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// morning loads the page: it must contain these words, about the night of this date, and its numbers
// must be those of the journal.
func (w *week) morning(date string, says ...string) {
	w.t.Helper()
	page, text := w.look("/")
	for _, words := range says {
		if !strings.Contains(text, words) {
			w.t.Errorf("%s: the page does not say %q:\n%s", time.Now().Format("02 15:04"), words, text)
		}
	}
	var err error
	if w.published, err = warehouse.Open(w.t.Context(), warehouse.Path(w.dir), warehouse.Options{MemoryMiB: 100, Threads: 1}); err != nil {
		w.t.Fatal(err)
	}
	defer w.published.Close()
	runs := w.journals()
	same := func(what string, got, want any) {
		w.t.Helper()
		if diff := gocmp.Diff(want, got); diff != "" {
			w.t.Errorf("%s: %s (-true +page):\n%s", time.Now().Format("02 15:04"), what, diff)
		}
	}
	same("the history", tableOf(page, "The nights in numbers"), w.history(runs))
	same("the runs", tableOf(page, "The latest runs"), latestRuns(runs))
	same("the operations", tableOf(page, "Requests by operation"), w.operations(runs, date))
	w.money(text, runs, date)
	records, err := schedules.ReadSlotLog(w.dir, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	if missed := len(records); strings.Count(page, `<span class="why">`)-strings.Count(page, "Made up for") != missed {
		w.t.Errorf("the page has other slots than the slot log, which has %d", missed)
	}
}

// history is the table of nights, from the journal and from the tables of the warehouse.
func (w *week) history(runs []entries) (rows [][]string) {
	first, last := runs[0].plan.Date, runs[len(runs)-1].plan.Date
	for day, _ := time.Parse(time.DateOnly, first); day.Format(time.DateOnly) <= last; day = day.AddDate(0, 0, 1) {
		date := day.Format(time.DateOnly)
		var spent, planned, requests int
		var worked time.Duration
		state, id := "", ""
		for _, r := range runs {
			if r.plan.Date != date {
				continue
			}
			if state != "interrupted" {
				planned += r.plan.Credits.Most
			}
			spent, requests, worked = spent+total(r.credits), requests+total(r.requests), worked+r.finished.Sub(r.started)
			state, id = r.end.State, r.plan.Run
		}
		if id == "" {
			rows = append(rows, []string{date, "missed", "–", "–", "–", "–", "–", "–", "–", "–", "–", "–"})
			continue
		}
		row := []string{date, state, wording.Count(spent), wording.Count(planned), tookWords(worked), wording.Count(requests)}
		ofRun := "FROM coverage WHERE run_id = '" + id + "' AND "
		for _, where := range []string{"state = 'complete'", "state <> 'complete' AND reason NOT LIKE 'covered at %'", "state = 'skipped' AND reason LIKE 'covered at %'"} {
			row = append(row, w.count("SELECT count(*) "+ofRun+where))
		}
		for _, table := range []string{"listings", "sightings", "particulars"} {
			row = append(row, w.inLake(table, date))
		}
		rows = append(rows, row)
	}
	return rows
}

// inLake counts the rows of a table's files of a night. One without answers has none.
func (w *week) inLake(table, date string) string {
	w.t.Helper()
	files := filepath.Join(w.dir, "lake", table, "snapshot_date="+date, "*.parquet")
	if found, err := filepath.Glob(files); err != nil || len(found) == 0 {
		return "0"
	}
	return w.count("SELECT count(*) FROM read_parquet('" + files + "')")
}

// tookWords writes a duration as the words of a page have it.
func tookWords(d time.Duration) string {
	return strings.ReplaceAll(wording.Duration(d), "\u00a0", " ")
}

// latestRuns is the table of the twelve newest runs.
func latestRuns(runs []entries) (rows [][]string) {
	for _, r := range slices.Backward(runs[max(0, len(runs)-12):]) {
		rows = append(rows, []string{r.plan.Run, r.plan.Job, r.plan.Date, r.end.State, wording.Count(total(r.requests)), wording.Count(total(r.credits)), tookWords(r.finished.Sub(r.started))})
	}
	return rows
}

// operations is the work of a night: requests, answers with data, and credits.
func (w *week) operations(runs []entries, date string) (rows [][]string) {
	requests, credits := map[string]int{}, map[string]int{}
	for _, r := range runs {
		if r.plan.Date == date {
			for name, n := range r.requests {
				requests[name], credits[name] = requests[name]+n, credits[name]+r.credits[name]
			}
		}
	}
	for name, n := range requests {
		answers := w.count(fmt.Sprintf("SELECT count(*) FROM requests r JOIN runs USING (run_id) WHERE runs.snapshot_date = '%s' AND operation = '%s' AND outcome IN ('ok', 'empty')", date, name))
		rows = append(rows, []string{name, wording.Count(n), answers, wording.Count(credits[name])})
	}
	slices.SortFunc(rows, func(a, b []string) int { return cmp.Or(credits[b[0]]-credits[a[0]], cmp.Compare(a[0], b[0])) })
	return rows
}

// money compares the credits of the page with the journal, and the journal with the bill.
func (w *week) money(text string, runs []entries, date string) {
	w.t.Helper()
	var night, planned, unknown, counts, all, doubtful, balance, today int
	state, now := "", time.Now().UTC().Format(time.DateOnly)
	for _, r := range runs {
		spent, unsure := total(r.credits), total(r.unknown)
		all, doubtful = all+spent, doubtful+unsure
		if r.balance >= 0 {
			balance = r.balance
		}
		if r.started.Format(time.DateOnly) == time.Now().Format(time.DateOnly) {
			today += spent
		}
		if r.plan.Date == now { // the night that a run would begin or resume now
			if r.plan.Anew {
				counts = 0
			}
			counts += spent
		}
		if r.plan.Date != date {
			continue
		}
		if state != "interrupted" {
			planned += r.plan.Credits.Most
		}
		night, unknown, state = night+spent, unknown+unsure, r.end.State
	}
	cost := fmt.Sprintf("Cost? %s credits of at most %s planned", wording.Count(night), wording.Count(planned))
	if unknown > 0 {
		cost += fmt.Sprintf("; %s perhaps not billed", wording.Count(unknown))
	}
	for _, words := range []string{cost + " Took?", "Balance " + wording.Count(balance) + " ", "night " + wording.Count(night) + " Seven days " + wording.Count(all) + " This month " + wording.Count(all) + " ",
		"Night of " + now + " " + wording.Count(counts) + " of 2,000, ", "Today " + wording.Count(today) + " of 3,000, "} {
		if !strings.Contains(text, words) {
			w.t.Errorf("%s: the page does not say %q:\n%s", time.Now().Format("02 15:04"), words, text)
		}
	}
	if bill := w.sim.Bill().Spent; bill != all-doubtful {
		w.t.Errorf("%s: %d credits are billed, and the journal says %d, of which %d perhaps not", time.Now().Format("02 15:04"), bill, all, doubtful)
	}
	if night > planned {
		w.t.Errorf("%s: %d credits of at most %d", time.Now().Format("02 15:04"), night, planned)
	}
}

// count queries the published warehouse, as the morning opened it, for a number.
func (w *week) count(sql string) string {
	w.t.Helper()
	rows, err := w.published.Query(w.t.Context(), sql)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			w.t.Fatalf("%s: %v", sql, err)
		}
		n, _ := row[0].(int64)
		return wording.Count(int(n))
	}
	w.t.Fatalf("%s: no row", sql)
	return ""
}

// everyRunHasItsPage opens the report of each run of the week: that of its night.
func (w *week) everyRunHasItsPage() {
	w.t.Helper()
	runs := w.journals()
	nights := map[string]int{}
	for _, r := range runs {
		nights[r.plan.Date]++
	}
	want := map[string]int{"2000-01-01": 1, "2000-01-02": 2, "2000-01-03": 6, "2000-01-05": 1, "2000-01-06": 1, "2000-01-07": 2}
	if diff := gocmp.Diff(want, nights); diff != "" {
		w.t.Errorf("the missed slot has no run and the full disk left none, the second and the seventh night have two, and that without a service was tried until its deadline (-want +got):\n%s", diff)
	}
	for _, r := range runs {
		_, text := w.look("/runs/" + r.plan.Run)
		spent := 0
		for _, other := range runs {
			if other.plan.Date == r.plan.Date {
				spent += total(other.credits)
			}
		}
		if day, _ := time.Parse(time.DateOnly, r.plan.Date); !strings.Contains(text, day.Format("Monday 2 January 2006")) || !strings.Contains(text, "Cost? "+wording.Count(spent)+" credits") {
			w.t.Errorf("the page of %s does not say that its night cost %d:\n%s", r.plan.Run, spent, text)
		}
	}
}
