package plan

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestASearchIsMadeAsOftenAsConfigured plans one status search by the age of its last answer.
func TestASearchIsMadeAsOftenAsConfigured(t *testing.T) {
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		every, age time.Duration
		tonight    bool
		made       bool
	}{
		"every night":                        {0, time.Hour, false, true},
		"answered yesterday":                 {48 * time.Hour, 24 * time.Hour, false, false},
		"answered 44 hours ago, and 1 s":     {48 * time.Hour, 44*time.Hour + time.Second, false, true},
		"a second less than 44 hours":        {48 * time.Hour, 44*time.Hour - time.Second, false, false},
		"a short time has a shorter leeway":  {6 * time.Hour, 5 * time.Hour, false, true},
		"and is kept":                        {6 * time.Hour, 5*time.Hour - time.Second, false, false},
		"never answered":                     {48 * time.Hour, 0, false, true},
		"answered by the night that resumes": {48 * time.Hour, time.Hour, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := Inputs{Now: now}
			if c.age > 0 {
				f.Totals = []warehouse.Total{{Operation: "by-status", Kind: "status", Value: "aground", Rows: 9, At: now.Add(-c.age)}}
			}
			if c.tonight {
				f.Since = now.Add(-c.age)
			}
			d := Decide(Job{List: List{By: "none"}, Sweep: Sweep{Statuses: []string{"aground"}, Every: c.every}}, f, func(o api.Operation) int { return o.PerMinute })
			if made := len(d.Sweeps) == 1; made != c.made || len(d.Skipped) == len(d.Sweeps) {
				t.Errorf("%d searches, skipped %v", len(d.Sweeps), d.Skipped)
			}
		})
	}
}
