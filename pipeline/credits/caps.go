package credits

// Caps are the most credits that runs may spend, and the balance that they leave. 0 is no cap, and no floor.
type Caps struct {
	PerNight int // all runs of a night of a job together (budget.per_run)
	PerDay   int // all runs of a day
	PerMonth int // all runs of a month
	Floor    int // the balance that no run goes below
}

// Spent is what counts towards the caps, in credits.
type Spent struct{ Night, Day, Month int }

// Allowance is what a run may spend, and the cap that limits it.
type Allowance struct {
	Limit Limit
	Why   Cause // a cap; "" without one
}

// Cause is why a run leaves work out, in the words of its report.
type Cause string

// The limits of the credits of a run.
const (
	CapOfNight   Cause = "the cap of the night (budget.per_run)"
	CapOfDay     Cause = "the cap of the day (budget.per_day)"
	CapOfMonth   Cause = "the cap of the month (budget.per_month)"
	BalanceFloor Cause = "the balance above its floor (budget.floor)"
	MostOfPlan   Cause = "the most that the plan named" // its own price, when it is less than each of these caps
)

// Left returns what each cap leaves, no limit for one that is not set. Balance is nil if it is not known.
func (c Caps) Left(s Spent, balance *int) (night, day, month, floor Limit) {
	left := func(most, spent int) (l Limit) {
		if most > 0 {
			l = AtMost(most - spent)
		}
		return l
	}
	if balance != nil {
		floor = AtMost(*balance - c.Floor)
	}
	return left(c.PerNight, s.Night), left(c.PerDay, s.Day), left(c.PerMonth, s.Month), floor
}

// Allow returns what the tightest cap leaves: that of the night, the day or the month, or the balance above its floor.
func (c Caps) Allow(s Spent, balance *int) (a Allowance) {
	night, day, month, floor := c.Left(s, balance)
	for _, cap := range []Allowance{{night, CapOfNight}, {day, CapOfDay}, {month, CapOfMonth}, {floor, BalanceFloor}} {
		if credits, limited := cap.Limit.Get(); limited && a.Limit.Allows(credits+1) {
			a = cap
		}
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
