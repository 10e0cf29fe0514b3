package console

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

func TestOutlookWords(t *testing.T) {
	job := plan.Job{Budget: 5000, Deadline: 30 * time.Minute}
	part := forecast.Outlook{Vessels: 109_000, Tonight: forecast.Covered{Kind: "type", Partitions: 340, OfParts: 361, Sweeps: 249, OfSweeps: 249},
		Nights: 90, Listed: 1, ListedBy: 3, Dataset: "particulars", Known: 0.404, Complete: 13_400, InTime: true}
	assumed := " (assumed: 109,000 vessels; see `fleetlake forecast`)"
	for name, c := range map[string]struct {
		change func(*plan.Job, *forecast.Outlook)
		want   string
	}{
		"a cap that takes three nights": {func(*plan.Job, *forecast.Outlook) {},
			"at 5,000 credits a night: all 249 status searches and 340 of 361 types on the first night, all vessels listed by night 3, 40 % of particulars known after 90 nights; a complete first night costs about 13,400"},
		"a list that is never whole": {func(j *plan.Job, o *forecast.Outlook) {
			j.Budget, j.PerDay, j.PerMonth = 0, 100, 2000
			o.Tonight, o.ListedBy, o.Listed, o.Dataset = forecast.Covered{Kind: "country", OfParts: 273}, 0, 0.997, ""
		}, "at 100 credits a day, 2,000 credits a month: 0 of 273 countries on the first night, 99 % of the vessels listed after 90 nights; a complete first night costs about 13,400"},
		"a deadline that is too short": {func(j *plan.Job, o *forecast.Outlook) { j.Budget, o.InTime, o.Known = 0, false, 1 },
			"without a cap: all 249 status searches and 340 of 361 types on the first night, all vessels listed by night 3, 100 % of particulars known after 90 nights; its deadline (30m00s) is too short for a complete first night"},
		"lookups alone": {func(_ *plan.Job, o *forecast.Outlook) { o.Tonight, o.Complete = forecast.Covered{}, 0 },
			"at 5,000 credits a night: 40 % of particulars known after 90 nights"},
	} {
		t.Run(name, func(t *testing.T) {
			job, o := job, part
			c.change(&job, &o)
			if got := OutlookWords(job, o); got != c.want+assumed {
				t.Errorf("got  %s\nwant %s", got, c.want+assumed)
			}
		})
	}
}
