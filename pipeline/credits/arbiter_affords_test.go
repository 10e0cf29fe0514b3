package credits

import (
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

func TestAffords(t *testing.T) {
	for name, c := range map[string]struct {
		limit Limit
		share int
		begin func(*Arbiter)
		want  Limit
	}{
		"no limit":                          {Limit{}, 0, func(*Arbiter) {}, Limit{}},
		"all of it":                         {AtMost(99), 0, func(*Arbiter) {}, AtMost(19)},
		"what was spent and is in flight":   {AtMost(100), 0, func(a *Arbiter) { a.Count(30, 0); a.Reserve(api.Info) }, AtMost(13)},
		"what searches were granted":        {AtMost(100), 0, func(a *Arbiter) { a.Ask(Search{Lane: api.ByType, Most: 40}); a.Decide() }, AtMost(12)},
		"what searches wait for":            {AtMost(100), 0, func(a *Arbiter) { a.Ask(Search{Lane: api.ByType, Most: 80}) }, AtMost(4)},
		"what the checks will ask for":      {AtMost(100), 0, func(a *Arbiter) { a.Expect(70) }, AtMost(6)},
		"the share, whatever searches want": {AtMost(100), 20, func(a *Arbiter) { a.Lookups(api.Info, 9); a.Ask(Search{Lane: api.ByType, Most: 400}) }, AtMost(4)},
		"nothing is left":                   {AtMost(100), 0, func(a *Arbiter) { a.Count(130, 0) }, AtMost(0)},
	} {
		t.Run(name, func(t *testing.T) {
			a := NewArbiter(c.limit, c.share)
			c.begin(a)
			if got := a.Affords(api.Info); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
