package forecast

import (
	"context"
)

// Outlook is what the caps of a job bring to a data directory that knows no vessel yet: what somebody
// chooses with a first cap. The figures are those of a simulation that begins with the priors.
type Outlook struct {
	Vessels int `json:"vessels"` // that are assumed to exist

	Tonight  Covered `json:"tonight"`             // by the first night
	Nights   int     `json:"nights"`              // that are simulated
	Listed   float64 `json:"listed"`              // share of the vessels that is listed after these nights, 0 to 1
	ListedBy int     `json:"listed_by,omitempty"` // the night that lists the last of 99 of 100 vessels, from 1; 0 is none of them

	Dataset string  `json:"dataset,omitempty"` // the first that the job looks up; "" if it looks up nothing
	Known   float64 `json:"known"`             // share of the listed ships of which it is known after these nights

	Complete int  `json:"complete"` // credits of the searches of a first night without a cap
	InTime   bool `json:"in_time"`  // such a night makes every search before its deadline
}

// Covered is how many searches of a night were made to their last page, of how many.
type Covered struct {
	Kind       string `json:"kind,omitempty"` // of the partitions of the list; "" without a list
	Partitions int    `json:"partitions"`
	OfParts    int    `json:"of_partitions"`
	Sweeps     int    `json:"status_searches"`
	OfSweeps   int    `json:"of_status_searches"`

	Listed float64 `json:"listed"` // share of the vessels that any search has listed up to now
}

// whole reports whether every search was made.
func (c Covered) whole() bool { return c.Partitions == c.OfParts && c.Sweeps == c.OfSweeps }

// Look makes the outlook of a scenario, which begins with the state. It measures the last night alone: that takes
// most of the time of a simulation.
func Look(ctx context.Context, s State, c Scenario) (Outlook, error) {
	free := c
	free.Nights = c.Nights[:1]
	free.Job.Budget, free.Job.PerDay, free.Job.PerMonth, free.Job.Lookup.Want = 0, 0, 0, nil
	var all [2]Forecast
	err := each(ctx, len(all), func(ctx context.Context, i int) (err error) {
		all[i], err = simulate(ctx, s, []Scenario{c, free}[i], len(c.Nights))
		return err
	})
	if err != nil {
		return Outlook{}, err
	}
	capped, complete := all[0], all[1].Last()
	o := Outlook{Vessels: s.Unlisted, Tonight: capped.Nights[1].Covered, Nights: len(c.Nights),
		Listed:   capped.Last().Covered.Listed,
		Complete: complete.Credits, InTime: complete.Covered.whole() &&
			(c.Job.Deadline == 0 || complete.Minutes <= c.Job.Deadline.Minutes())}
	for i, n := range capped.Nights[1:] {
		if o.ListedBy == 0 && n.Covered.Listed >= shareOfAll {
			o.ListedBy = i + 1
		}
	}
	if measures := capped.Last().Datasets; len(measures) > 0 {
		o.Dataset, o.Known = measures[0].Dataset, measures[0].Known
	}
	return o, nil
}
