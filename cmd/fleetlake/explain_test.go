package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// profileJob lists and looks everything up in full, and searches a little.
const profileJob = `
    deadline: 1h
    list: {by: country, max_age: 0s}
    sweep: {statuses: [aground], zones: [all]}
    lookup: {want: [management], max_age: 720h}
`

// TestExplainAgreesWithTheFleet harvests two nights, ten days apart, and compares what explain prints
// of vessels that were renamed or reflagged in between with the simulated fleet.
func TestExplainAgreesWithTheFleet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 200, Seed: 3, Dirt: -1, Rates: simulator.Rates{Renamed: .01, Reflagged: .01, Scrapped: -1, Unlisted: -1}})
	w.configure(1_000_000, profileJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	w.sim.SetDay(10)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-30")

	before, changed := map[int]simulator.Vessel{}, 0
	for _, v := range w.sim.Truth(0) {
		before[v.Hull] = v
	}
	for _, v := range w.sim.Truth(10) {
		old, known := before[v.Hull]
		if !known || !v.StoresIMO || old.Name == v.Name && old.Flag == v.Flag || changed == 3 {
			continue
		}
		changed++
		e := w.explained(v.MMSI)
		if byIMO := w.explained(strconv.Itoa(v.IMO)); byIMO.VesselID != v.VesselID || e.VesselID != v.VesselID || e.Name != v.Name || e.MMSI != v.MMSI {
			t.Errorf("%+v is not %+v", e, v)
		}
		if s := w.explained(old.MMSI); s.VesselID != v.VesselID {
			t.Errorf("the old MMSI %s finds %s, want %s", old.MMSI, s.VesselID, v.VesselID)
		}
		explainsChange(t, e, old, v)
		text := w.must(exitDone, "explain", v.VesselID).stdout
		for _, want := range []string{v.VesselID + "  " + v.Name, "listed        since 2026-11-20, last seen 2026-11-30", "registration  2 versions", "entry ", "looked up     info (particulars, engine, management, position, voyage): 1 time for 5 credits"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	if changed < 3 {
		t.Fatalf("%d vessels changed", changed)
	}
}

func (w *world) explained(number string) wording.Explanation {
	w.t.Helper()
	var e wording.Explanation
	out := w.must(exitDone, "explain", "--json", number).stdout
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		w.t.Fatalf("%v in %s", err, out)
	}
	return e
}

// explainsChange looks whether the second version says what changed, and where it was read.
func explainsChange(t *testing.T, e wording.Explanation, old, now simulator.Vessel) {
	t.Helper()
	versions := e.Datasets[0].Versions
	if len(versions) != 2 || versions[0].To == nil || versions[1].To != nil || !versions[0].To.Equal(*versions[1].From) {
		t.Fatalf("%s: versions %+v", e.VesselID, versions)
	}
	got := map[string][2]any{}
	for _, c := range versions[1].Changed {
		got[c.Column] = [2]any{c.Old, c.New}
	}
	for column, want := range map[string][2]any{"name": {old.Name, now.Name}, "flag": {old.Flag, now.Flag}, "mmsi": {old.MMSI, now.MMSI}} {
		if c, ok := got[column]; ok != (want[0] != want[1]) || ok && c != want {
			t.Errorf("%s: %s changed as %v, want %v", e.VesselID, column, c, want)
		}
	}
	for _, v := range versions {
		asked := map[string]string{"by-type": "country=", "info": "imo_or_mmsi="}[v.Evidence.Operation]
		if asked == "" || !strings.HasPrefix(v.Evidence.Parameters, asked) || v.Evidence.Run == "" {
			t.Errorf("%s: evidence %+v", e.VesselID, v.Evidence)
		}
	}
	if m := e.Datasets[3].Now(); old.Management.Manager != "" && (m == nil || m.Values["manager"] != old.Management.Manager || m.Evidence.Operation != "info") {
		t.Errorf("%s: management %+v, want %+v", e.VesselID, m, old.Management)
	}
}

func TestExplainWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 300})
	if o := w.must(exitUsage, "explain", "9218301"); !strings.Contains(o.stderr, "no data in") {
		t.Errorf("without a warehouse: %s", o.stderr)
	}
	w.configure(1_000_000, ledgerJob)
	w.has(ledgerJob, "2026-11-20")
	for _, unknown := range []string{"9999993", "999999999", "EVER GIVEN", ""} {
		if o := w.must(exitUsage, "explain", unknown); !strings.Contains(o.stderr, "no such vessel is known: want an IMO number of 7 digits, an MMSI of 9") {
			t.Errorf("%q: %s", unknown, o.stderr)
		}
	}
	w.must(exitUsage, "explain")
}

// TestExplainPrintsTheScore gives explain a test planner.
func TestExplainPrintsTheScore(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 300})
	w.configure(1_000_000, ledgerJob)
	w.has(ledgerJob, "2026-11-20")
	id := w.rows("SELECT vessel_id FROM vessels ORDER BY vessel_id LIMIT 1")[0]["vessel_id"]

	planner := vesselScores
	defer func() { vesselScores = planner }()
	failed := errors.New("no plan")
	for name, c := range map[string]struct {
		scores  func(context.Context, config.Config, string) ([]wording.VesselScore, error)
		code    int
		printed bool
	}{
		"without a planner": {nil, exitDone, false},
		"with one": {func(_ context.Context, c config.Config, vessel string) ([]wording.VesselScore, error) {
			lines := []wording.ScoreLine{{Term: "never seen", Value: 1, Weight: 2.5, Why: "no particulars of " + vessel}}
			return []wording.VesselScore{{Job: c.Jobs[0].Job.Name, Lines: lines, Total: 2.5, When: "looked up tonight as number 7 of 30"}}, nil
		}, exitDone, true},
		"with one that fails": {func(context.Context, config.Config, string) ([]wording.VesselScore, error) { return nil, failed }, exitUnexpected, false},
	} {
		vesselScores = c.scores
		var out, complaint bytes.Buffer
		code := run(t.Context(), []string{"explain", id, "--data", w.dir + "/fleetlake-data", "--config", w.dir + "/fleetlake.yaml"}, func(string) string { return "" }, &out, &complaint)
		if code != c.code {
			t.Errorf("%s: code %d, want %d: %s", name, code, c.code, complaint.String())
		}
		for _, want := range []string{"tonight       nightly: score 2.5; looked up tonight as number 7 of 30\n", "never seen 1 × 2.5: no particulars of " + id + "\n"} {
			if strings.Contains(out.String(), want) != c.printed {
				t.Errorf("%s: %q in\n%s: want %v", name, want, out.String(), c.printed)
			}
		}
	}
}
