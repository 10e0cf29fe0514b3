package plan

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestMissingVesselsAreLookedUp: a vessel that the list missed is due once, at a value like those of others.
func TestMissingVesselsAreLookedUp(t *testing.T) {
	known := func(imo int, days int, missing time.Time) inputs.Target {
		return inputs.Target{VesselID: "IMO" + string(rune('0'+imo)), IMO: imo, IsVessel: true, Listed: true, Versions: 1,
			ParticularsAt: tonight.AddDate(0, 0, -days), ChangedAt: tonight.AddDate(0, 0, -days-1), MissingSince: missing}
	}
	yesterday := tonight.Truncate(24*time.Hour).AddDate(0, 0, -1)
	for name, c := range map[string]struct {
		targets []inputs.Target
		f       Inputs
		budget  int
		want    []string
	}{
		"the list missed it since it was looked up":         {[]inputs.Target{known(1, 3, yesterday), known(2, 3, time.Time{})}, Inputs{}, 0, []string{"1"}},
		"it was looked up since":                            {[]inputs.Target{known(1, 1, yesterday)}, Inputs{}, 0, nil},
		"the service did not know it then":                  {[]inputs.Target{known(1, 3, yesterday)}, Inputs{Refused: map[string]bool{"1": true}}, 0, nil},
		"before one of the same age that is stale":          {[]inputs.Target{known(1, 31, time.Time{}), known(2, 31, yesterday)}, Inputs{}, 1, []string{"2"}},
		"after one that was never looked up, if they rival": {[]inputs.Target{known(1, 3, yesterday), {VesselID: "IMO9", IMO: 9, IsVessel: true, Listed: true}}, Inputs{}, 1, []string{"9"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.f.Now, c.f.Targets = tonight, c.targets
			d := Decide(Job{List: List{By: "none"}, Budget: c.budget, Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}}, c.f, documented)
			if diff := cmp.Diff(c.want, d.Lookups, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("lookups (-want +got):\n%s", diff)
			}
		})
	}
	s := NewScorer(Job{Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}}, Inputs{Now: tonight}).Score(known(1, 3, yesterday))
	if len(s.Terms) != 1 || s.Terms[0].Name != "missing" || s.Total <= 0 {
		t.Errorf("the reasons are %+v, want that the list missed it", s.Terms)
	}
}
