package plan

// Allowance is what a run may spend, and the cap that limits it.
type Allowance struct {
	Limit Limit
	Why   Cause // a cap; "" without one
}

// Cause is why a run leaves work out, in the words of its report.
type Cause string

// Causes that decide how a run ends: the limits of its credits, and time.
const (
	CapOfNight   Cause = "the cap of the night (budget.per_run)"
	CapOfDay     Cause = "the cap of the day (budget.per_day)"
	CapOfMonth   Cause = "the cap of the month (budget.per_month)"
	BalanceFloor Cause = "the balance above its floor (budget.floor)"
	MostOfPlan   Cause = "the most that the plan named"         // its own price, when it is less than each of these caps
	NoTime       Cause = "there is no time before the deadline" // in a lane
)

// allow finds the tightest cap: of the night, the day, the month, or the balance above its floor.
func allow(job Job, f Inputs) Allowance {
	var a Allowance
	tighten := func(credits int, why Cause) {
		if credits = max(0, credits); a.Limit.Allows(credits + 1) {
			a = Allowance{AtMost(credits), why}
		}
	}
	if job.Budget > 0 {
		tighten(job.Budget-f.SpentNight, CapOfNight)
	}
	if job.PerDay > 0 {
		tighten(job.PerDay-f.SpentDay, CapOfDay)
	}
	if job.PerMonth > 0 {
		tighten(job.PerMonth-f.SpentMonth, CapOfMonth)
	}
	if f.BalanceKnown {
		tighten(f.Balance-job.Floor, BalanceFloor)
	}
	return a
}

// Reason returns the cause as a sentence.
func (c Cause) Reason() string {
	switch c {
	case CapOfNight, CapOfDay, CapOfMonth:
		return string(c) + " does not reach"
	case BalanceFloor:
		return "they would bring the balance below its floor (budget.floor)"
	}
	return string(c)
}

// Advice returns what a person can do when a run has reached this limit of its credits.
func (c Cause) Advice() string {
	switch c {
	case CapOfNight:
		return "raise it, or run the job with --again to resume with a new cap"
	case CapOfDay:
		return "raise it, or run the job again tomorrow (UTC)"
	case CapOfMonth:
		return "raise it, or run the job again next month (UTC)"
	case BalanceFloor:
		return "buy credits, or lower the floor"
	}
	return "run the job again: its new plan uses the totals that are known now"
}
