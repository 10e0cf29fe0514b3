package plan

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestWatchedVessels buys what is due of watched vessels at the least price.
func TestWatchedVessels(t *testing.T) {
	day := func(n float64) time.Time { return tonight.Add(-time.Duration(n * 24 * float64(time.Hour))) }
	const month = 30 * 24 * time.Hour
	known := func(imo int, particulars, position float64) inputs.Target {
		return inputs.Target{VesselID: "IMO" + string(rune('0'+imo)), IMO: imo, MMSI: "23500000" + string(rune('0'+imo)), IsVessel: true,
			ParticularsAt: day(particulars), PositionAt: day(position)}
	}
	changed := known(4, 5, 2)
	changed.ChangedAt = day(1)
	both := func(watch ...string) Lookup {
		return Lookup{Want: []string{"particulars", "position"}, MaxAge: month, Watch: watch}
	}
	cases := map[string]struct {
		lookup             Lookup
		targets            []inputs.Target
		f                  Inputs
		lookups, positions []string
		credits            int
	}{
		"only its position is a night old":       {both("1"), []inputs.Target{known(1, 5, 1)}, Inputs{}, nil, []string{"1"}, 1},
		"its position is of tonight":             {both("1"), []inputs.Target{known(1, 5, 0.2)}, Inputs{}, nil, nil, 0},
		"a list of many, the longest wait first": {both("1", "2", "3"), []inputs.Target{known(1, 5, 1), known(2, 5, 3), known(3, 5, 2)}, Inputs{}, nil, []string{"2", "3", "1"}, 3},
		"its particulars are due, too":           {both("1"), []inputs.Target{known(1, 31, 1)}, Inputs{}, []string{"1"}, nil, 5},
		"its registration changed":               {both("4"), []inputs.Target{changed}, Inputs{}, []string{"4"}, nil, 5},
		"it is not watched":                      {both(), []inputs.Target{known(5, 5, 2)}, Inputs{}, nil, nil, 0},
		"the service did not know it lately":     {both("1"), []inputs.Target{known(1, 5, 1)}, Inputs{Refused: map[string]bool{"1": true}}, nil, nil, 0},
		"a run of the night has its position": {both("1"), []inputs.Target{known(1, 5, 1)},
			Inputs{Tonight: map[string]PastAnswer{api.Lookup(api.Location, "1").Key(): {}}}, nil, nil, 0},
		"one request is left of max_requests": {Lookup{Want: both().Want, MaxAge: month, Watch: []string{"1", "2"}, MaxRequests: 3},
			[]inputs.Target{known(1, 5, 1), known(2, 5, 3)}, Inputs{LookedUp: 2}, nil, []string{"2"}, 1},
		"max_age is below a night": {Lookup{Want: both().Want, MaxAge: 4 * time.Hour, Watch: []string{"1"}},
			[]inputs.Target{known(1, 0.1, 0.2)}, Inputs{}, nil, []string{"1"}, 1},
		"the position is all that is wanted": {Lookup{Want: []string{"position"}, MaxAge: 4 * time.Hour, Watch: []string{"1"}},
			[]inputs.Target{known(1, 5, 0.2), known(2, 5, 0.1)}, Inputs{}, []string{"1"}, nil, 1},
		"no others, who are due": {Lookup{Want: []string{"position"}, MaxAge: 4 * time.Hour, Watch: []string{"1"}, WatchedOnly: true},
			[]inputs.Target{known(1, 5, 0.2), known(2, 5, 9)}, Inputs{}, []string{"1"}, nil, 1},
		"a number that is not known yet": {Lookup{Want: []string{"position"}, MaxAge: month, Watch: []string{"9218301", "9218301", "235000001"}},
			[]inputs.Target{known(1, 5, 0.2)}, Inputs{}, []string{"9218301"}, nil, 1},
		"a number that the service does not know": {Lookup{Want: []string{"position"}, MaxAge: month, Watch: []string{"9218301"}},
			nil, Inputs{Refused: map[string]bool{"9218301": true}}, nil, nil, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.f.Now, c.f.Targets = tonight, c.targets
			d := Decide(Job{List: List{By: "none"}, Lookup: c.lookup}, c.f, documented)
			if diff := cmp.Diff([][]string{c.lookups, c.positions}, [][]string{d.Lookups, d.Positions}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("lookups and positions (-want +got):\n%s", diff)
			}
			if got := d.Total().Expected; got != c.credits {
				t.Errorf("%d credits, want %d", got, c.credits)
			}
		})
	}
}

// TestPositionsComeWithinTheCap: a cap that pays for some buys exactly so many positions, before lookups.
func TestPositionsComeWithinTheCap(t *testing.T) {
	job := Job{List: List{By: "none"}, Lookup: Lookup{Want: []string{"particulars", "position"}, MaxAge: 30 * 24 * time.Hour}}
	var f Inputs
	f.Now = tonight
	for i := range 9 {
		number := string(rune('1' + i))
		f.Targets = append(f.Targets, inputs.Target{VesselID: "IMO" + number, IMO: i + 1, IsVessel: true, ParticularsAt: tonight.AddDate(0, 0, -5), PositionAt: tonight.AddDate(0, 0, -1)})
		if i < 6 {
			job.Lookup.Watch = append(job.Lookup.Watch, number)
		} else {
			f.Targets[i].ParticularsAt = time.Time{} // due, and not watched
		}
	}
	for budget, want := range map[int][2]int{3: {3, 0}, 6: {6, 0}, 10: {6, 0}, 11: {6, 1}, 21: {6, 3}, 50: {6, 3}} {
		job.Budget = budget
		d := Decide(job, f, documented)
		if got := [2]int{len(d.Positions), len(d.Lookups)}; got != want {
			t.Errorf("%d credits buy %d positions and %d lookups, want %d and %d", budget, got[0], got[1], want[0], want[1])
		}
	}
}
