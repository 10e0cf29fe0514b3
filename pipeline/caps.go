package pipeline

import (
	"time"

	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// Spending is what the runs of a data directory spent, by the account of its journal, in credits. It is what a run
// that begins now goes by.
type Spending struct {
	Caps  []CapUse `json:"caps"`
	Week  int      `json:"week"`  // the last seven days, today included (UTC)
	Month int      `json:"month"` // this month (UTC)

	// Ahead are runs that are dated later than now: the clock was ahead, or has gone back since. What they spent
	// counts for today, too.
	Ahead []string `json:"ahead,omitempty"`
}

// CapUse is how much of a cap is used, in credits.
type CapUse struct {
	Job   string `json:"job,omitempty"` // of the cap of a night; the caps of day and month are those of all jobs
	Of    string `json:"of"`            // the night or the day, YYYY-MM-DD, or the month, YYYY-MM
	Spent int    `json:"spent"`
	Cap   int    `json:"cap"`
	Left  int    `json:"left"` // what the next run may spend of it
}

// Spending returns what was spent, and what the caps leave to the next run of each job. It sends no request and
// writes nothing.
func (p *Pipeline) Spending(jobs []plan.Job) (Spending, error) {
	p.fill()
	now := p.Now().UTC()
	account, err := p.account(false)
	if err != nil {
		return Spending{}, err
	}
	today := now.Format(time.DateOnly)
	s := Spending{Month: account.Month(now).Counted(), Week: account.Days(now.AddDate(0, 0, -6).Format(time.DateOnly),
		today).Counted(), Ahead: account.Ahead(now)}
	use := func(job, of string, spent, most int, left credits.Limit) {
		if rest, limited := left.Get(); limited {
			s.Caps = append(s.Caps, CapUse{job, of, spent, most, rest})
		}
	}
	for i, job := range jobs {
		date, caps := now.In(job.Location).Format(time.DateOnly), job.Caps()
		spent := account.Spent(job.Name, date, false, now)
		night, day, month, _ := caps.Left(spent, nil)
		use(job.Name, date, spent.Night, caps.PerNight, night)
		if i == len(jobs)-1 { // these caps are the same for all jobs
			use("", today, spent.Day, caps.PerDay, day)
			use("", today[:len("2006-01")], spent.Month, caps.PerMonth, month)
		}
	}
	return s, nil
}
