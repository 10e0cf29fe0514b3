package credits

// Statement compares the count of a run with the balance. Unknown values are nil; all are credits.
type Statement struct {
	Run, Job string
	Before   *int // the balance before the first request
	After    *int // the balance after the last request, or else before the next run
	Amount
	Settled   int    // what the run cost: less than it counted at its end, if a balance proved so
	Billed    *int   // by how much the balance fell
	Drift     *int   // by how much it fell beyond what the run cost, or less; 0 if the Unproved requests can explain it
	Elsewhere *int   // by how much the balance fell between the run before and this one
	Why       string // why the Unproved requests still count; "" without any
}

// statement is the readings of one run's balance.
type statement struct {
	spent         bool // a request has ended
	counted       int  // what its requests count as
	before, after *int
}

func (s *statement) charge(c charge) {
	s.spent, s.after = true, nil
	s.counted += c.sure + c.unknown
}

func (s *statement) read(b Reading) {
	switch {
	case b.InFlight > 0:
	case !s.spent:
		s.before = &b.Left
	default:
		s.after = &b.Left
	}
}

// beyond returns by how much the balance fell during the run beyond what its requests count as.
func (s statement) beyond() int {
	if s.before == nil || s.after == nil {
		return 0
	}
	return max(0, *s.before-*s.after-s.counted)
}

// Statements returns the statement of each run, in the order of runs.
func (a *Account) Statements() []Statement {
	var all []Statement
	why := a.reasons()
	for n, r := range a.runs {
		s := Statement{Run: r.ID, Job: r.Job, Before: a.beyond[n].before, After: a.beyond[n].after,
			Amount: a.Run(r.ID), Why: why[n]}
		if s.After == nil && n+1 < len(a.runs) {
			s.After = a.beyond[n+1].before
		}
		s.Settled = s.Counted()
		if s.Before != nil && s.After != nil {
			s.Billed = difference(*s.Before, *s.After)
			s.Drift = difference(*s.Billed, s.Settled)
			if -s.Unproved <= *s.Drift && *s.Drift < 0 {
				*s.Drift = 0
			}
		}
		if n > 0 && a.beyond[n-1].after != nil && s.Before != nil {
			s.Elsewhere = difference(*a.beyond[n-1].after, *s.Before)
		}
		all = append(all, s)
	}
	return all
}

func difference(a, b int) *int {
	d := a - b
	return &d
}

// reasons returns why requests of unknown outcome still count, by run.
func (a *Account) reasons() map[int]string {
	why := map[int]string{}
	for w := range a.all() {
		for b := range w.unknown {
			if w.why != "" {
				why[b.run] = w.why
			}
		}
	}
	return why
}
