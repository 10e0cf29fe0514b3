package pipeline

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// TestMissingLakeFilesAreRebuiltBeforeAnyRequest: a run that found out when it published would have
// spent its credits for nothing.
func TestMissingLakeFilesAreRebuiltBeforeAnyRequest(t *testing.T) {
	cases := map[string]func(p *Pipeline){
		"the lake": func(p *Pipeline) { must(t, os.RemoveAll(filepath.Join(p.Dir, "lake"))) },
		"the newest manifest, beside a run that was rolled back": func(p *Pipeline) {
			_, err := p.Rollback(t.Context())
			must(t, err)
			must(t, os.Remove(filepath.Join(p.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, p, 8))+".json")))
		},
		"the columns of a run that another version of the program wrote": func(p *Pipeline) {
			path := filepath.Join(p.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, p, 2))+".json")
			b, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, []byte(strings.Replace(string(b), load.SchemaID(), "0000", 1)), 0o600))
			known, err := p.published(t.Context())
			must(t, err)
			if other, err := load.Outdated(p.Dir, known); err != nil || len(other) != 1 {
				t.Fatalf("outdated: %v, %v", other, err)
			}
		},
	}
	for name, harm := range cases {
		t.Run(name, func(t *testing.T) {
			p := copyOfWeek(t)
			harm(p)
			want, runs := hashes(t, p.Dir), publishedRuns(t, p)
			_, err := p.Recover(t.Context())
			must(t, err)
			if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
				t.Errorf("hashes (-before +after):\n%s", diff)
			}
			if got := publishedRuns(t, p); !slices.Equal(got, runs) {
				t.Errorf("the runs %v are published, it was %v", got, runs)
			}
			known, err := p.published(t.Context())
			must(t, err)
			if missing, err := load.Missing(p.Dir, known); err != nil || len(missing) > 0 {
				t.Errorf("still missing: %v, %v", missing, err)
			}
			if other, err := load.Outdated(p.Dir, known); err != nil || len(other) > 0 {
				t.Errorf("still with other columns: %v, %v", other, err)
			}
		})
	}
}

// TestALakeThatCannotBeRebuiltStopsTheRun before it spends credits and fails to publish.
func TestALakeThatCannotBeRebuiltStopsTheRun(t *testing.T) {
	p := copyOfWeek(t)
	must(t, os.RemoveAll(filepath.Join(p.Dir, "lake")))
	must(t, os.Remove(segmentOf(t, p, 0)))
	if _, err := p.Recover(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("got %v, want %v", err, ErrLost)
	}
}

// TestALakeOfANewerProgramIsRefused: its manifests are not damaged, and a rebuild would lose data that
// only the newer program knows.
func TestALakeOfANewerProgramIsRefused(t *testing.T) {
	p := copyOfWeek(t)
	path := filepath.Join(p.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, p, 9))+".json")
	b, err := os.ReadFile(path)
	must(t, err)
	newer := strings.Replace(string(b), `"version": 1,`, `"version": 2,`, 1)
	must(t, os.WriteFile(path, []byte(newer), 0o600))
	before := hashes(t, p.Dir)
	_, recovered := p.Recover(t.Context())
	_, rebuilt := p.Rebuild(t.Context(), RebuildOptions{Lose: true})
	_, lacking := Lacking(t.Context(), p.Dir)
	for what, err := range map[string]error{"recover": recovered, "rebuild": rebuilt, "lacking": lacking} {
		if !errors.Is(err, load.ErrNewer) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want that a newer fleetlake wrote it", what, err)
		}
	}
	if wrong := verified(t, p)["lake"]; len(wrong) != 2 || wrong[1] != doNewer || !strings.Contains(wrong[0], "newer fleetlake") {
		t.Errorf("verify: %v", wrong)
	}
	if diff := cmp.Diff(before, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != newer {
		t.Errorf("the manifest was changed: %v", err)
	}
}

// TestLacking removes published files, also while another process writes.
func TestLacking(t *testing.T) {
	for name, c := range map[string]struct {
		harm    func(p *Pipeline) error
		writing bool
		want    string // in the first line; empty if nothing is lacking
	}{
		"nothing":         {func(*Pipeline) error { return nil }, false, ""},
		"the lake":        {func(p *Pipeline) error { return os.RemoveAll(filepath.Join(p.Dir, "lake")) }, false, "no such file"},
		"one table of it": {func(p *Pipeline) error { return os.RemoveAll(filepath.Join(p.Dir, "lake", "listings")) }, false, "is missing"},
		"a file that was cut": {func(p *Pipeline) error {
			files, err := filepath.Glob(filepath.Join(p.Dir, "lake", "listings", "*", "*.parquet"))
			if err != nil {
				return err
			}
			return os.Truncate(files[0], 7)
		}, false, "has 7 bytes"},
		"the warehouse":            {func(p *Pipeline) error { return os.RemoveAll(filepath.Join(p.Dir, "warehouse")) }, false, "fleet.duckdb is missing, and 10 runs"},
		"the lake, during a write": {func(p *Pipeline) error { return os.RemoveAll(filepath.Join(p.Dir, "lake")) }, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := copyOfWeek(t)
			must(t, c.harm(p))
			if c.writing {
				unlock, err := Lock(p.Dir, "a run")
				must(t, err)
				defer unlock()
			}
			got, err := Lacking(t.Context(), p.Dir)
			if err != nil || (len(got) > 0) != (c.want != "") || c.want != "" && !strings.Contains(got[0], c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestADamagedWarehouseIsSetAside: the journal is undamaged, so that nothing is lost and no person has
// to decide.
func TestADamagedWarehouseIsSetAside(t *testing.T) {
	for name, at := range map[string]float64{"its head": 0, "a block of a table": 0.5} {
		t.Run(name, func(t *testing.T) {
			p := copyOfWeek(t)
			want := hashes(t, p.Dir)
			b, err := os.ReadFile(warehouse.Path(p.Dir))
			must(t, err)
			from := int(at * float64(len(b)))
			clear(b[from : from+300_000])
			must(t, os.WriteFile(warehouse.Path(p.Dir), b, 0o644)) // and the version, which is the same file
			read := func() error {
				w, err := warehouse.Open(t.Context(), warehouse.Path(p.Dir), warehouse.Options{})
				if err != nil {
					return err
				}
				return errors.Join(w.ReadAll(t.Context()), w.Close())
			}
			if err := read(); !warehouse.IsDamaged(err) {
				t.Fatalf("the test has not damaged it: %v", err)
			}
			p.fill()
			must(t, p.healing(t.Context(), read))
			if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
				t.Errorf("hashes (-before +after):\n%s", diff)
			}
			if kept, _ := filepath.Glob(filepath.Join(p.Dir, "warehouse", "damaged", "*")); len(kept) == 0 {
				t.Error("the damaged file is gone")
			}
		})
	}
}

// ofAnotherProgram changes the published file as if another version of the program had made it,
// which kept no fingerprints.
func ofAnotherProgram(t *testing.T, p *Pipeline, statements ...string) {
	t.Helper()
	path := warehouse.Path(p.Dir)
	must(t, os.Chmod(path, 0o644))
	db, err := sql.Open("duckdb", path)
	must(t, err)
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		must(t, err)
	}
	must(t, db.Close())
	must(t, os.Remove(filepath.Join(p.Dir, "warehouse", "fingerprints")))
}

// TestAWarehouseOfAnOlderProgramIsRebuilt before any request: a run that found out when it published
// would have spent its credits. Runs that were rolled back stay out.
func TestAWarehouseOfAnOlderProgramIsRebuilt(t *testing.T) {
	for name, statements := range map[string][]string{
		"a step of another content":          {"UPDATE schema_migrations SET checksum = 'abc'"},
		"no steps, other tables and columns": {"DROP TABLE schema_migrations", "DROP TABLE zone_daily", "ALTER TABLE runs DROP COLUMN credits_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			p := copyOfWeek(t)
			_, err := p.Rollback(t.Context())
			must(t, err)
			want, runs := hashes(t, p.Dir), publishedRuns(t, p)
			ofAnotherProgram(t, p, statements...)
			_, err = p.Recover(t.Context())
			must(t, err)
			if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
				t.Errorf("hashes (-before +after):\n%s", diff)
			}
			if got := publishedRuns(t, p); !slices.Equal(got, runs) {
				t.Errorf("the runs %v are published, it was %v", got, runs)
			}
		})
	}
}

// TestAWarehouseOfANewerProgramIsARefusal before any request, and changes nothing: the newer program can
// continue it. A person can rebuild it.
func TestAWarehouseOfANewerProgramIsARefusal(t *testing.T) {
	p := copyOfWeek(t)
	want := hashes(t, p.Dir)
	ofAnotherProgram(t, p, "INSERT INTO schema_migrations VALUES ('0099_later.sql', 'abc')")
	before := tree(t, p.Dir)
	_, err := p.Run(t.Context(), plan.Job{Name: "nightly", Location: time.UTC}, "2026-11-27")
	if !errors.Is(err, warehouse.ErrNewerProgram) || !strings.Contains(err.Error(), "fleetlake rebuild") {
		t.Errorf("got %v, want %v", err, warehouse.ErrNewerProgram)
	}
	after := tree(t, p.Dir)
	delete(after, "fleetlake.id")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	_, err = p.Rebuild(t.Context(), RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
}

// TestATruncatedSegmentDropsNothingUnasked: half of a published segment is gone. Neither a rebuild nor
// the advice of verify removes rows from the warehouse.
func TestATruncatedSegmentDropsNothingUnasked(t *testing.T) {
	p := copyOfWeek(t)
	path := segmentOf(t, p, 2)
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()/2))
	before := tree(t, p.Dir)
	if _, err := p.Rebuild(t.Context(), RebuildOptions{}); !errors.Is(err, ErrLost) {
		t.Errorf("got %v, want %v", err, ErrLost)
	}
	if diff := cmp.Diff(before, tree(t, p.Dir)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	for check, lines := range verified(t, p) {
		if do := lines[len(lines)-1]; !strings.Contains(do, "from a backup") {
			t.Errorf("%s: the advice is %q", check, do)
		}
	}
}

// TestSalvageIsAWayOut: one flipped byte of the journal stops every rebuild until a person salvages it.
func TestSalvageIsAWayOut(t *testing.T) {
	p := copyOfWeek(t)
	path := segmentOf(t, p, 2)
	whole := readSegment(path)
	flip(t, path, 0.5)
	if _, err := p.Rebuild(t.Context(), RebuildOptions{}); !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), "--salvage") {
		t.Errorf("got %v, want an error that names --salvage", err)
	}
	all, err := p.Salvage(t.Context())
	must(t, err)
	if len(all) != 1 || all[0].Path != path || all[0].Entries != whole.entries-1 || len(all[0].Holes) != 1 {
		t.Errorf("salvaged %+v of %d entries", all, whole.entries)
	}
	if _, err := p.Rebuild(t.Context(), RebuildOptions{}); !errors.Is(err, ErrLost) {
		t.Errorf("what is published has more: got %v, want %v", err, ErrLost)
	}
	_, err = p.Rebuild(t.Context(), RebuildOptions{Lose: true})
	must(t, err)
	spent := func(s segment) (sum int) {
		for _, lane := range s.lanes {
			sum += lane.Credits
		}
		return sum
	}
	if now := readSegment(path); spent(now) < spent(whole) || now.lost != 1 {
		t.Errorf("%d credits count as spent, it was %d; %d lost", spent(now), spent(whole), now.lost)
	}
	if wrong := verified(t, p); len(wrong) > 0 {
		t.Errorf("verify: %v", wrong)
	}
}

// TestASalvagedRunKeepsItsJob has a run whose plan is lost, with and without a later run that resumes
// it, and one that lacks an answer. None of their nights counts as done.
func TestASalvagedRunKeepsItsJob(t *testing.T) {
	p := copyOfWeek(t)
	paths, err := journal.Segments(p.journal())
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(p.Dir, "lake", "_manifests")))
	alone, continued, done := paths[0], paths[1], paths[3]
	for path, at := range map[string]float64{alone: 0.001, continued: 0.001, done: 0.5} {
		flip(t, path, at)
	}
	_, err = p.Salvage(t.Context())
	must(t, err)
	for path, want := range map[string]string{alone: unknownJob, continued: "nightly"} {
		if planned, _, err := journal.Bounds(path); err != nil || planned == nil || planned.Job != want {
			t.Errorf("%s: its plan is %+v, want one of job %s: %v", path, planned, want, err)
		}
	}
	for _, path := range []string{alone, done} {
		date := filepath.Base(filepath.Dir(path))
		n, err := readNight(p.journal(), "nightly", date, nil)
		if err != nil || n.done != "" {
			t.Errorf("the night of %s is done by %s: %v", date, n.done, err)
		}
	}
	sum := newSummary()
	for e, err := range journal.Read(done) {
		must(t, err)
		sum.add(e)
	}
	if r := sum.finish(); r.State != StatePartial || !strings.Contains(r.Reason, "lost") {
		t.Errorf("a run that lacks an answer is reported %s: %q", r.State, r.Reason)
	}
}

// bad writes the segment of a run that paid for six pages of vessels with malformed IMO numbers.
func bad(t *testing.T, p *Pipeline, run, date string) string {
	t.Helper()
	at := weekStart.AddDate(0, 0, 20)
	s, err := journal.Create(p.journal(), journal.Entry{Kind: journal.KindPlan, At: at, Plan: &journal.Plan{Run: run, Job: "nightly", Date: date,
		Partitions: []journal.Partition{{Operation: "by-type", Kind: "country", Value: "Panama", Expected: -1}}}})
	must(t, err)
	for page := range 6 {
		var items []string
		for i := range 100 {
			items = append(items, fmt.Sprintf(`{"vessel_name":"V%d","imo":"%d","mmsi":"%d","country":"Panama","ship_type":"Cargo"}`, i, 9_000_001+10*(page*100+i), 351_000_000+page*100+i))
		}
		intent, err := s.Append(journal.Entry{Kind: journal.KindIntent, At: at, Operation: "by-type", Parameters: fmt.Sprintf("country=Panama&page=%d", page+1), Credits: 10})
		must(t, err)
		e := journal.Entry{Kind: journal.KindAnswer, At: at, Intent: intent.N, Operation: intent.Operation, Parameters: intent.Parameters, Credits: 10,
			Charge: journal.ChargePriced, Outcome: "ok", Sent: at, Received: at, Status: 200}
		e.SetBody([]byte(`{"total":600,"page":1,"size":100,"items":[` + strings.Join(items, ",") + `]}`))
		_, err = s.Append(e)
		must(t, err)
	}
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: at, End: &journal.End{State: StateDone}})
	must(t, err)
	must(t, s.Close())
	return s.Path()
}

// TestARunThatIsHeldBackStopsNoOther: after a night of refused values, other nights are published
// without a person.
func TestARunThatIsHeldBackStopsNoOther(t *testing.T) {
	p := copyOfWeek(t)
	good := segmentOf(t, p, 9)
	_, err := p.Rollback(t.Context())
	must(t, err)
	_, err = warehouse.ForgetRolledBack(p.Dir) // so that a good run waits too
	must(t, err)
	run := "20261210T020000.000Z-0000"
	path := bad(t, p, run, "2026-12-10")
	reports, err := p.Recover(t.Context())
	must(t, err)
	if len(reports) != 1 || reports[0].Run != journal.RunOf(good) {
		t.Errorf("published %+v, want the good run", reports)
	}
	heldBack, err := ReadHeldBack(p.Dir)
	if err != nil || len(heldBack) != 1 || heldBack[0].Run != run || !strings.Contains(heldBack[0].Reason, "check digit") {
		t.Fatalf("held back: %+v, %v", heldBack, err)
	}
	if files, _ := filepath.Glob(filepath.Join(p.Dir, "lake", "*", "*", run+".parquet")); len(files) > 0 {
		t.Errorf("readers of the lake would count %v", files)
	}
	if err := p.heldBackNight("nightly", "2026-12-10"); !errors.Is(err, load.ErrIssues) {
		t.Errorf("a night that is paid for would be paid for again: %v", err)
	}
	if got, err := p.spentUnpublished(t.Context(), weekStart.AddDate(0, 0, 20)); err != nil || got != 60 {
		t.Errorf("%d credits count towards the caps, want 60: %v", got, err)
	}
	if wrong := verified(t, p); len(wrong) != 1 || !strings.Contains(strings.Join(wrong["held back"], " "), "--accept-issues") {
		t.Errorf("verify: %v", wrong)
	}
	p.AcceptIssues = true
	reports, err = p.Recover(t.Context())
	if err != nil || len(reports) != 1 || reports[0].Run != run {
		t.Fatalf("accepted: %+v, %v", reports, err)
	}
	if heldBack, err := ReadHeldBack(p.Dir); err != nil || len(heldBack) > 0 {
		t.Errorf("still held back: %+v, %v", heldBack, err)
	}
	want := hashes(t, p.Dir)
	p.AcceptIssues = false // the choice is in the journal
	_, err = p.Rebuild(t.Context(), RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-accepted +rebuilt):\n%s", diff)
	}
	if s := readSegment(path); len(s.wrong) > 0 || !s.ended {
		t.Errorf("the segment: %+v", s)
	}
}

// TestVerifyBesideAPublish: differences that exist only while a run publishes are not reported.
func TestVerifyBesideAPublish(t *testing.T) {
	p := copyOfWeek(t)
	unlock, err := Lock(p.Dir, "a run")
	must(t, err)
	defer unlock()
	path := filepath.Join(p.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, p, 9))+".json")
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Remove(path))
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(time.Second, func() { must(t, os.WriteFile(path, b, 0o644)) })
		if wrong := verified(t, p); len(wrong) > 0 {
			t.Errorf("verify: %v", wrong)
		}
	})
}
