package derive

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
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// TestMissingLakeFilesAreRebuiltBeforeAnyRequest: a run that found out when it published would have
// spent its credits for nothing.
func TestMissingLakeFilesAreRebuiltBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	cases := map[string]func(d *Deriver){
		"the lake": func(d *Deriver) { must(t, os.RemoveAll(filepath.Join(d.Dir, "lake"))) },
		"the newest manifest, beside a run that was rolled back": func(d *Deriver) {
			_, err := Rollback(t.Context(), *d)
			must(t, err)
			must(t, os.Remove(filepath.Join(d.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, d, 2))+".json")))
		},
		"the columns of a run that another version of the program wrote": func(d *Deriver) {
			path := filepath.Join(d.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, d, 3))+".json")
			b, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, []byte(unchecked(strings.Replace(string(b), load.SchemaID(), "0000", 1))), 0o600))
			known, err := warehouse.PublishedRuns(t.Context(), d.Dir)
			must(t, err)
			if other, err := load.Outdated(d.Dir, known); err != nil || len(other) != 1 {
				t.Fatalf("outdated: %v, %v", other, err)
			}
		},
	}
	for name, harm := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := copyOfTwoNights(t)
			harm(d)
			want, runs := hashes(t, d.Dir), publishedRuns(t, d)
			_, err := Recover(t.Context(), *d)
			must(t, err)
			if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
				t.Errorf("hashes (-before +after):\n%s", diff)
			}
			if got := publishedRuns(t, d); !slices.Equal(got, runs) {
				t.Errorf("the runs %v are published, it was %v", got, runs)
			}
			known, err := warehouse.PublishedRuns(t.Context(), d.Dir)
			must(t, err)
			if missing, err := load.Missing(d.Dir, known); err != nil || len(missing) > 0 {
				t.Errorf("still missing: %v, %v", missing, err)
			}
			if other, err := load.Outdated(d.Dir, known); err != nil || len(other) > 0 {
				t.Errorf("still with other columns: %v, %v", other, err)
			}
			if wrong := verified(t, d); len(wrong) > 0 {
				t.Errorf("verify: %v", wrong)
			}
		})
	}
}

// TestALakeThatCannotBeRebuiltStopsTheRun before it spends credits and fails to publish.
func TestALakeThatCannotBeRebuiltStopsTheRun(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	must(t, os.RemoveAll(filepath.Join(d.Dir, "lake")))
	must(t, os.Remove(segmentOf(t, d, 0)))
	if _, err := Recover(t.Context(), *d); !errors.Is(err, ErrLost) {
		t.Errorf("got %v, want %v", err, ErrLost)
	}
}

// TestALakeOfANewerProgramIsRefused: its manifests are not damaged, and a rebuild would lose data that
// only the newer program knows.
func TestALakeOfANewerProgramIsRefused(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	path := filepath.Join(d.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, d, 6))+".json")
	b, err := os.ReadFile(path)
	must(t, err)
	newer := unchecked(strings.Replace(string(b), `"version": 1,`, `"version": 2,`, 1))
	must(t, os.WriteFile(path, []byte(newer), 0o600))
	before := hashes(t, d.Dir)
	_, recovered := Recover(t.Context(), *d)
	_, rebuilt := Rebuild(t.Context(), *d, RebuildOptions{Lose: true})
	_, lacking := Lacking(t.Context(), d.Dir)
	for what, err := range map[string]error{"recover": recovered, "rebuild": rebuilt, "lacking": lacking} {
		if !errors.Is(err, load.ErrNewer) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want that a newer fleetlake wrote it", what, err)
		}
	}
	if wrong := verified(t, d)["lake"]; len(wrong) != 2 || wrong[1] != doNewer || !strings.Contains(wrong[0], "newer fleetlake") {
		t.Errorf("verify: %v", wrong)
	}
	if diff := cmp.Diff(before, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != newer {
		t.Errorf("the manifest was changed: %v", err)
	}
}

// TestLacking removes published files, also while another process writes.
func TestLacking(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		harm    func(d *Deriver) error
		writing bool
		want    string // in the first line; empty if nothing is lacking
	}{
		"nothing":         {func(*Deriver) error { return nil }, false, ""},
		"the lake":        {func(d *Deriver) error { return os.RemoveAll(filepath.Join(d.Dir, "lake")) }, false, "no such file"},
		"one table of it": {func(d *Deriver) error { return os.RemoveAll(filepath.Join(d.Dir, "lake", "listings")) }, false, "is missing"},
		"a file that was cut": {func(d *Deriver) error {
			files, err := filepath.Glob(filepath.Join(d.Dir, "lake", "listings", "*", "*.parquet"))
			if err != nil {
				return err
			}
			return os.Truncate(files[0], 7)
		}, false, "has 7 bytes"},
		"the warehouse":            {func(d *Deriver) error { return os.RemoveAll(filepath.Join(d.Dir, "warehouse")) }, false, "fleet.duckdb is missing, and 7 runs"},
		"the lake, during a write": {func(d *Deriver) error { return os.RemoveAll(filepath.Join(d.Dir, "lake")) }, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := copyOfWeek(t)
			must(t, c.harm(d))
			if c.writing {
				unlock, err := datadir.Lock(d.Dir, "a run")
				must(t, err)
				defer unlock()
			}
			got, err := Lacking(t.Context(), d.Dir)
			if err != nil || (len(got) > 0) != (c.want != "") || c.want != "" && !strings.Contains(got[0], c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestADamagedWarehouseIsSetAside: the journal is undamaged, so that nothing is lost and no person has
// to decide.
func TestADamagedWarehouseIsSetAside(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]float64{"its head": 0, "a block of a table": 0.5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := copyOfTwoNights(t)
			want := hashes(t, d.Dir)
			whole, err := os.ReadFile(warehouse.Path(d.Dir))
			must(t, err)
			read := func() error {
				w, err := warehouse.Open(t.Context(), warehouse.Path(d.Dir), warehouse.Options{})
				if err != nil {
					return err
				}
				return errors.Join(w.ReadAll(t.Context()), w.Close())
			}
			damaged := false
			for from := int(at * float64(len(whole))); from+300_000 < len(whole) && !damaged; from += 256 << 10 { // a block may be unused
				b := slices.Clone(whole)
				clear(b[from : from+300_000])
				must(t, os.WriteFile(warehouse.Path(d.Dir), b, 0o644)) // and the version, which is the same file
				damaged = warehouse.IsDamaged(read())
			}
			if !damaged {
				t.Fatal("the test has not damaged it")
			}
			must(t, Retry(t.Context(), *d, read))
			if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
				t.Errorf("hashes (-before +after):\n%s", diff)
			}
			if kept, _ := filepath.Glob(filepath.Join(d.Dir, "warehouse", "damaged", "*")); len(kept) == 0 {
				t.Error("the damaged file is gone")
			}
		})
	}
}

// ofAnotherProgram changes the published file as if another version of the program had made it,
// which kept no fingerprints.
func ofAnotherProgram(t *testing.T, d *Deriver, statements ...string) {
	t.Helper()
	path := warehouse.Path(d.Dir)
	must(t, os.Chmod(path, 0o644))
	db, err := sql.Open("duckdb", path)
	must(t, err)
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		must(t, err)
	}
	must(t, db.Close())
	must(t, os.Remove(filepath.Join(d.Dir, "warehouse", "fingerprints")))
}

// remember returns a check that the same runs are published then as now, with the same tables.
func remember(t *testing.T, d *Deriver) (unchanged func()) {
	t.Helper()
	want, runs := hashes(t, d.Dir), publishedRuns(t, d)
	return func() {
		t.Helper()
		if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
			t.Errorf("hashes (-before +after):\n%s", diff)
		}
		if got := publishedRuns(t, d); !slices.Equal(got, runs) {
			t.Errorf("the runs %v are published, it was %v", got, runs)
		}
	}
}

// TestAWarehouseOfAnOlderProgramIsRebuilt before any request: a run that found out when it published
// would have spent its credits. Runs that were rolled back stay out.
func TestAWarehouseOfAnOlderProgramIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"another content, with instants without a zone": {"UPDATE internal.schema_migrations SET checksum = 'abc'", "ALTER TABLE runs ALTER started_at TYPE TIMESTAMP", "ALTER TABLE requests ALTER sent_at TYPE TIMESTAMP"},
		"no steps, other tables and columns":            {"DROP TABLE internal.schema_migrations", "DROP TABLE zone_daily", "ALTER TABLE runs DROP COLUMN credits_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := copyOfTwoNights(t)
			_, err := Rollback(t.Context(), *d)
			must(t, err)
			unchanged := remember(t, d)
			ofAnotherProgram(t, d, statements...)
			_, err = Recover(t.Context(), *d)
			must(t, err)
			unchanged()
		})
	}
}

// TestARunThatIsInTheLakeAloneIsNotLost: a run that is not in the warehouse of an older program, because it
// crashed before it was published or was rolled back, is in the journal. The warehouse is rebuilt, and the run
// is published.
func TestARunThatIsInTheLakeAloneIsNotLost(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	unchanged := remember(t, d)
	_, err := Rollback(t.Context(), *d)
	must(t, err)
	ofAnotherProgram(t, d, "UPDATE internal.schema_migrations SET checksum = 'abc'")
	_, err = UndoRollback(t.Context(), *d)
	must(t, err)
	unchanged()
}

// TestAWarehouseOfANewerProgramIsARefusal before any request, and changes nothing: the newer program can
// continue it. A person can rebuild it.
func TestAWarehouseOfANewerProgramIsARefusal(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	want := hashes(t, d.Dir)
	ofAnotherProgram(t, d, "INSERT INTO internal.schema_migrations VALUES ('0099_later.sql', 'abc')")
	before := tree(t, d.Dir)
	err := Run(t.Context(), d.Dir)
	if !errors.Is(err, warehouse.ErrNewerProgram) || !strings.Contains(err.Error(), "fleetlake rebuild") {
		t.Errorf("got %v, want %v", err, warehouse.ErrNewerProgram)
	}
	if diff := cmp.Diff(before, tree(t, d.Dir)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	_, err = Rebuild(t.Context(), *d, RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
}

// TestATruncatedSegmentDropsNothingUnasked: half of a published segment is gone. Neither a rebuild nor
// the advice of verify removes rows from the warehouse.
func TestATruncatedSegmentDropsNothingUnasked(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	path := segmentOf(t, d, 3)
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()/2))
	before := tree(t, d.Dir)
	if _, err := Rebuild(t.Context(), *d, RebuildOptions{}); !errors.Is(err, ErrLost) {
		t.Errorf("got %v, want %v", err, ErrLost)
	}
	if diff := cmp.Diff(before, tree(t, d.Dir)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	for check, lines := range verified(t, d) {
		if do := lines[len(lines)-1]; !strings.Contains(do, "from a backup") {
			t.Errorf("%s: the advice is %q", check, do)
		}
	}
}

// TestSalvageIsAWayOut: one flipped bit of the journal stops every rebuild until a person salvages it, whether
// it is in an answer or in the length of a block, which then seems to reach behind the end of the file.
func TestSalvageIsAWayOut(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string){
		"an answer": func(t *testing.T, path string) { flip(t, path, 0.5) },
		"a length":  lengthen,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			salvageIsAWayOut(t, damage)
		})
	}
}

func salvageIsAWayOut(t *testing.T, damage func(t *testing.T, path string)) {
	d := copyOfTwoNights(t)
	path := segmentOf(t, d, 3)
	whole := readSegment(path)
	damage(t, path)
	if _, err := Rebuild(t.Context(), *d, RebuildOptions{}); !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), "--salvage") {
		t.Errorf("got %v, want an error that names --salvage", err)
	}
	all, err := Salvage(t.Context(), *d, "test")
	must(t, err)
	if len(all) != 1 || all[0].Path != path || all[0].Entries != whole.entries-1 || len(all[0].Holes) != 1 {
		t.Errorf("salvaged %+v of %d entries", all, whole.entries)
	}
	if _, err := Rebuild(t.Context(), *d, RebuildOptions{}); !errors.Is(err, ErrLost) {
		t.Errorf("what is published has more: got %v, want %v", err, ErrLost)
	}
	_, err = Rebuild(t.Context(), *d, RebuildOptions{Lose: true})
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
	if wrong := verified(t, d); len(wrong) > 0 {
		t.Errorf("verify: %v", wrong)
	}
}

// TestASalvagedRunKeepsItsJob has a run whose plan is lost, with and without a later run that resumes
// it, and one that lacks an answer. None of their nights counts as done.
func TestASalvagedRunKeepsItsJob(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	paths, err := journal.Segments(d.Journal)
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(d.Dir, "lake", "_manifests")))
	alone, continued, done := paths[0], paths[1], paths[4]
	for path, at := range map[string]float64{alone: 0.001, continued: 0.001, done: 0.5} {
		flip(t, path, at)
	}
	_, err = Salvage(t.Context(), *d, "test")
	must(t, err)
	for path, want := range map[string]string{alone: unknownJob, continued: "nightly"} {
		if planned, _, err := journal.Bounds(path); err != nil || planned == nil || planned.Job != want {
			t.Errorf("%s: its plan is %+v, want one of job %s: %v", path, planned, want, err)
		}
	}
	sum := report.NewSummary()
	for x, err := range journal.Exchanges(done) {
		must(t, err)
		sum.Add(x)
	}
	if r := sum.Report(); r.State != report.StatePartial || !strings.Contains(r.Reason, "lost") {
		t.Errorf("a run that lacks an answer is reported %s: %q", r.State, r.Reason)
	}
}

// bad writes the segment of a run that paid for six pages of vessels with malformed IMO numbers.
func bad(t *testing.T, d *Deriver, run, date string) string {
	t.Helper()
	at := weekStart.AddDate(0, 0, 20)
	s, err := journal.Create(d.Journal, journal.Entry{Kind: journal.KindPlan, At: at, Plan: &journal.Plan{Run: run, Job: "nightly", Date: date,
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
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: at, End: &journal.End{State: report.StateDone}})
	must(t, err)
	must(t, s.Close())
	return s.Path()
}

// TestARunThatIsHeldBackStopsNoOther: after a night of refused values, other nights are published
// without a person.
func TestARunThatIsHeldBackStopsNoOther(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	good := segmentOf(t, d, 3)
	_, err := Rollback(t.Context(), *d)
	must(t, err)
	_, err = warehouse.ForgetRolledBack(d.Dir) // so that a good run waits too
	must(t, err)
	run := "20261210T020000.000Z-0000"
	path := bad(t, d, run, "2026-12-10")
	reports, err := Recover(t.Context(), *d)
	must(t, err)
	if len(reports) != 1 || reports[0].Run != journal.RunOf(good) {
		t.Errorf("published %+v, want the good run", reports)
	}
	heldBack, err := ReadHeldBack(d.Dir)
	if err != nil || len(heldBack) != 1 || heldBack[0].Run != run || !strings.Contains(heldBack[0].Reason, "check digit") {
		t.Fatalf("held back: %+v, %v", heldBack, err)
	}
	if files, _ := filepath.Glob(filepath.Join(d.Dir, "lake", "*", "*", run+".parquet")); len(files) > 0 {
		t.Errorf("readers of the lake would count %v", files)
	}
	if wrong := verified(t, d); len(wrong) != 1 || !strings.Contains(strings.Join(wrong["held back"], " "), "--accept-issues") {
		t.Errorf("verify: %v", wrong)
	}
	d.AcceptIssues = true
	reports, err = Recover(t.Context(), *d)
	if err != nil || len(reports) != 1 || reports[0].Run != run {
		t.Fatalf("accepted: %+v, %v", reports, err)
	}
	if heldBack, err := ReadHeldBack(d.Dir); err != nil || len(heldBack) > 0 {
		t.Errorf("still held back: %+v, %v", heldBack, err)
	}
	want := hashes(t, d.Dir)
	d.AcceptIssues = false // the choice is in the journal
	_, err = Rebuild(t.Context(), *d, RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-accepted +rebuilt):\n%s", diff)
	}
	if s := readSegment(path); len(s.wrong) > 0 || !s.ended {
		t.Errorf("the segment: %+v", s)
	}
}

// TestVerifyBesideAPublish: differences that exist only while a run publishes are not reported.
func TestVerifyBesideAPublish(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	unlock, err := datadir.Lock(d.Dir, "a run")
	must(t, err)
	defer unlock()
	path := filepath.Join(d.Dir, "lake", "_manifests", journal.RunOf(segmentOf(t, d, 6))+".json")
	b, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Remove(path))
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(time.Second, func() { must(t, os.WriteFile(path, b, 0o644)) })
		if wrong := verified(t, d); len(wrong) > 0 {
			t.Errorf("verify: %v", wrong)
		}
	})
}
