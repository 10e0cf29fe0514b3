package forecast

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/google/go-cmp/cmp"
)

// straight is a forecast in which everything changes by the same amount each night.
func straight(from time.Time, nights int) Forecast {
	f := Forecast{}
	for i := range nights + 1 {
		n := Night{At: from.AddDate(0, 0, i), Datasets: []Measure{{Dataset: "engine", Known: float64(i) / 100, Median: float64(i), P90: 2 * float64(i)}}}
		if i > 0 {
			n.Credits = 100
		}
		f.Nights = append(f.Nights, n)
	}
	return f
}

// TestARecordKeepsTheForecast writes and reads a record, and asks it for nights that it has and has not.
func TestARecordKeepsTheForecast(t *testing.T) {
	c := Scenario{Job: plan.Job{Name: "nightly", Budget: 5}}
	r := Keep(State{Now: start, Run: "r"}, c, straight(start, 90))
	line, err := r.Line()
	if err != nil || len(line) > 8<<10 {
		t.Fatalf("%d bytes, %v", len(line), err)
	}
	text := append(append(line, "{\"made\": damaged\n\n"...), line[:len(line)/2]...)
	all, damaged := ParseRecords(text)
	if len(all) != 1 || damaged != 2 {
		t.Fatalf("%d records, %d damaged", len(all), damaged)
	}
	if diff := cmp.Diff(r, all[0]); diff != "" {
		t.Error(diff)
	}
	for nights, want := range map[float64]float64{0: 0, 1: 1, 14: 14, 17: 17, 60.5: 60.5, 90: 90, 95: 90} {
		n := r.on(start.Add(time.Duration(nights * 24 * float64(time.Hour))))
		if m := n.Datasets[0]; m.Median < want-.01 || m.Median > want+.01 || n.Spent < int(100*want)-1 || n.Spent > int(100*want)+1 {
			t.Errorf("after %g nights: %+v", nights, n)
		}
	}
}

// TestScores compares forecasts of several nights with what is stored now.
func TestScores(t *testing.T) {
	c := Scenario{Job: plan.Job{Name: "nightly"}}
	now := Night{At: start, Datasets: []Measure{{Dataset: "engine", Known: .25, Median: 28}}}
	var records []Record
	for _, days := range []int{1, 3, 6, 7, 8, 29, 200} {
		made := start.AddDate(0, 0, -days)
		records = append(records, Keep(State{Now: made}, c, straight(made, 90)))
	}
	other := Keep(State{Now: start.AddDate(0, 0, -90)}, Scenario{Job: plan.Job{Name: "weekly"}}, straight(start.AddDate(0, 0, -90), 90))
	s := State{Now: start, Spent: []RunSpent{{start, 110}, {start.AddDate(0, 0, -1), 120}, {start.AddDate(0, 0, -8), 1000}}}
	scores := Scores(s, c, now, append(records, other))
	var ahead []float64
	for _, sc := range scores {
		ahead = append(ahead, sc.Nights)
	}
	if diff := cmp.Diff([]float64{1, 7, 29}, ahead); diff != "" {
		t.Fatal(diff)
	}
	if week := scores[1]; week.Expected != 700 || week.Spent != 230 || week.Datasets[0].Expected.Median != 7 || week.Datasets[0].Shown.Median != 28 || week.Changed {
		t.Errorf("%+v", week)
	}
	c.Job.Budget = 7
	if !Scores(s, c, now, records)[0].Changed {
		t.Error("another budget is not noticed")
	}
}

// TestSettings tells apart what changes a forecast from what does not.
func TestSettings(t *testing.T) {
	a := Scenario{Job: plan.Job{Name: "nightly", Location: time.UTC, Budget: 1}, Limits: map[string]int{"info": 15, "particulars": 50}}
	same, budget, limit := a, a, a
	same.Name, same.Job.Location, same.Nights = "other", time.FixedZone("", 3600), []time.Time{start}
	budget.Job.Budget = 2
	limit.Limits = map[string]int{"info": 16, "particulars": 50}
	if a.Settings() != same.Settings() || a.Settings() == budget.Settings() || a.Settings() == limit.Settings() {
		t.Errorf("%s, %s, %s, %s", a.Settings(), same.Settings(), budget.Settings(), limit.Settings())
	}
}

// TestADamagedRecordIsLeftOut flips each byte of a kept forecast: it counts as damaged, or reads as it was written.
func TestADamagedRecordIsLeftOut(t *testing.T) {
	want := Keep(State{Now: start, Run: "r"}, Scenario{Job: plan.Job{Name: "nightly", Budget: 5}}, straight(start, 3))
	whole, err := want.Line()
	if err != nil {
		t.Fatal(err)
	}
	unseen := 0
	for at := range whole[:len(whole)-1] { // without its line feed it may still be written
		text := slices.Clone(whole)
		text[at] ^= 1
		all, damaged := ParseRecords(text)
		if len(all) > 0 && !cmp.Equal(all[0], want) {
			t.Errorf("byte %d: a forecast that nobody made: %+v", at, all[0])
		}
		if damaged == 0 {
			unseen++
		}
	}
	if most := len(`,"check":"`); unseen > most { // the name of the check
		t.Errorf("%d flipped bytes changed nothing, want at most %d", unseen, most)
	}
}

// FuzzRecords checks that a record is read back after any lines, each of which counts as a record, as
// damaged, or as empty.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("{\"made\": damaged\n\n"))
	f.Add([]byte(`{"nights":[{}]}`))
	want := Keep(State{Now: start, Run: "r"}, Scenario{Job: plan.Job{Name: "nightly", Budget: 5}}, straight(start, 3))
	line, err := want.Line()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		earlier, damaged := ParseRecords(before)
		if n := bytes.Count(before, []byte("\n")) + 1; len(earlier)+damaged > n {
			t.Errorf("%q has %d records and %d damaged ones", before, len(earlier), damaged)
		}
		all, still := ParseRecords(slices.Concat(before, []byte("\n"), line))
		if len(all) != len(earlier)+1 || still != damaged {
			t.Fatalf("after %q: %d records, %d damaged", before, len(all), still)
		}
		if again, err := all[len(all)-1].Line(); err != nil || !bytes.Equal(again, line) {
			t.Errorf("after %q: %s, %v", before, again, err)
		}
	})
}
