package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// stays are those of a status and zone: a vessel in ten leaves in a day.
func stays(zone string) inputs.Span {
	return inputs.Span{Dataset: StatusDataset, Category: "moored", Flag: zone, Unchanged: 9500, Changes: 1000, Within: 1}
}

// TestSweepsAreMadeWhenTheyAreWorthIt has a busy zone, a small one and others, and checks which the plan searches
// tonight, and why not the rest.
func TestSweepsAreMadeWhenTheyAreWorthIt(t *testing.T) {
	nights := func(zone string, vessels, ago int) inputs.Total {
		return inputs.Total{Operation: "by-status", Kind: api.KindStatus, Value: "moored/" + zone, Rows: vessels, At: tonight.AddDate(0, 0, -ago)}
	}
	few, busy := []inputs.Total{nights("north-sea", 3, 1)}, []inputs.Total{nights("north-sea", 1800, 1)}
	never, other := inputs.Target{VesselID: "IMO1", IMO: 1, IsVessel: true}, inputs.Target{VesselID: "IMO2", IMO: 2, IsVessel: true}
	job := Job{List: List{By: "none"}, Sweep: Sweep{Statuses: []string{"moored"}, Zones: []string{"north-sea"}, Auto: true}}
	cases := map[string]struct {
		totals  []inputs.Total
		job     func(*Job)
		f       Inputs
		made    bool
		leftOut string
		skipped string
	}{
		"a zone that was never searched":             {made: true},
		"a busy zone, every night":                   {totals: busy, made: true},
		"a zone with three vessels, not every night": {totals: few, leftOut: "1 of 1 status searches are left out: fewer vessels are expected", skipped: "about 0 vessels have come or left"},
		"a zone with three vessels, after a month":   {totals: []inputs.Total{nights("north-sea", 3, 30)}, made: true},
		"not a night before":                         {totals: []inputs.Total{nights("north-sea", 3, 29)}, leftOut: "1 of 1", skipped: "about 4 vessels"},
		"one with thirty, after four days":           {totals: []inputs.Total{nights("north-sea", 30, 4)}, made: true},
		"an empty one, next night":                   {totals: []inputs.Total{nights("north-sea", 0, 1)}, leftOut: "1 of 1"},
		"a lookup gains more for the last credits": {totals: []inputs.Total{nights("north-sea", 30, 10)}, leftOut: "1 of 1 status searches are left out: lookups gain more",
			job: func(j *Job) { j.Budget, j.Lookup = 11, Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour} }, f: Inputs{Targets: []inputs.Target{never, other}}},
		"a lookup gains less for the last credits": {totals: []inputs.Total{nights("north-sea", 1800, 10)}, made: true,
			job: func(j *Job) { j.Budget, j.Lookup = 11, Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour} }, f: Inputs{Targets: []inputs.Target{never}}},
		"there is enough for both": {totals: []inputs.Total{nights("north-sea", 30, 10)}, made: true,
			job: func(j *Job) { j.Budget, j.Lookup = 11, Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour} }, f: Inputs{Targets: []inputs.Target{never}}},
		"the cap does not reach": {totals: busy, job: func(j *Job) { j.Budget = 9 }, leftOut: "1 of 1 status searches are left out: the cap of the night"},
		"there is no time":       {totals: busy, job: func(j *Job) { j.Deadline = time.Second }, leftOut: "1 of 1 status searches are left out: there is no time"},
		"answered tonight":       {totals: few, f: Inputs{Tonight: map[string]PastAnswer{api.Sweep{Status: "moored", Zone: "north-sea"}.Request().Key(): {}}}, made: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			job, f := job, c.f
			if c.job != nil {
				c.job(&job)
			}
			f.Now, f.Totals, f.Rates = tonight, c.totals, LearnRates([]inputs.Span{stays("north-sea")})
			d := Decide(job, f, documented)
			left := ""
			for _, l := range d.LeftOut {
				if l.What == StatusSearches {
					left = l.String()
				}
			}
			if made := len(d.Sweeps) == 1; made != c.made || !strings.HasPrefix(left, c.leftOut) || made != (left == "") {
				t.Errorf("made %v, left out %q; want %v and %q", made, left, c.made, c.leftOut)
			}
			if len(d.Skipped) == 0 == (c.leftOut != "") || len(d.Skipped) > 0 && !strings.HasPrefix(d.Skipped[0].Skipped, c.skipped) {
				t.Errorf("skipped %+v, want %q", d.Skipped, c.skipped)
			}
		})
	}
}

// TestNoSweepStarves plays ninety nights whose credits go to lookups that gain more than any search:
// each search is made once in thirty nights all the same, and the searches never cost more than their share.
func TestNoSweepStarves(t *testing.T) {
	job := Job{Budget: 100, List: List{By: "none"}, Sweep: Sweep{Statuses: []string{"moored"}, Zones: api.Zones[:20], Auto: true}, Lookup: Lookup{Want: []string{"particulars"}}}
	f := Inputs{Rates: LearnRates(nil)}
	for i := range 300 {
		f.Targets = append(f.Targets, inputs.Target{VesselID: "IMO", IMO: i + 1, IsVessel: true})
	}
	last := map[string]int{}
	for _, zone := range job.Sweep.Zones {
		last[zone] = 0
	}
	for night := 1; night <= 90; night++ {
		f.Now, f.Totals = tonight.AddDate(0, 0, night), nil
		for zone, at := range last {
			f.Totals = append(f.Totals, inputs.Total{Kind: api.KindStatus, Value: "moored/" + zone, Rows: 40, At: tonight.AddDate(0, 0, at)})
		}
		d := Decide(job, f, documented)
		if len(d.Sweeps) > 1 {
			t.Fatalf("night %d: %d searches, of a share for one", night, len(d.Sweeps))
		}
		for _, s := range d.Sweeps {
			last[s.Zone] = night
		}
	}
	for zone, at := range last {
		if at < 90-30-20 { // twenty become due on one night, and one is made each night
			t.Errorf("%s was last searched on night %d of 90", zone, at)
		}
	}
}

// TestSweepsAtAnInterval checks which searches an interval skips.
func TestSweepsAtAnInterval(t *testing.T) {
	job := Job{List: List{By: "none"}, Sweep: Sweep{Statuses: []string{"moored"}, Zones: []string{"north-sea", "baltic-sea", "black-sea"}, Every: 48 * time.Hour}}
	total := func(zone string, ago time.Duration) inputs.Total {
		return inputs.Total{Kind: api.KindStatus, Value: "moored/" + zone, Rows: 5, At: tonight.Add(-ago)}
	}
	f := Inputs{Now: tonight, Totals: []inputs.Total{total("north-sea", 47*time.Hour), total("baltic-sea", 48*time.Hour)}}
	var made []string
	d := Decide(job, f, documented)
	for _, s := range d.Sweeps {
		made = append(made, s.Zone)
	}
	slices.Sort(made)
	if !slices.Equal(made, []string{"baltic-sea", "black-sea"}) || len(d.Skipped) != 1 || !strings.HasPrefix(d.Skipped[0].Skipped, "covered at ") {
		t.Errorf("made %v, skipped %+v", made, d.Skipped)
	}
}
