package health

import "github.com/fleetlake/fleetlake/pipeline/report"

// Kind says what a problem is of, and how a run ended.
type Kind int

// Kinds of problems. Those from Unanswered on are ends of a run.
const (
	Done Kind = iota // no problem
	Unexpected
	Disk
	Export
	Unanswered  // the service answered nothing, or too little
	Interrupted // the next run resumes it
	Key         // the service refuses it
	Credits     // the balance or a cap is used up
	Partial     // something that was planned was left out
)

// EndOf is how a run ended that published; minCoverage is the percentage of its planned
// partitions that the job requires. A run that ended at a cap, the key or the deadline ended by that,
// and not because the service answered too little.
func EndOf(r report.Report, minCoverage int) Kind {
	ours := r.Stop == report.StopKey || r.Stop == report.StopBudget || r.Stop == report.StopCredits || r.Stop == report.StopDeadline
	switch {
	case r.Unanswered(), !ours && answeredTooLittle(r, minCoverage):
		return Unanswered
	case r.State == report.StateDone:
		return Done
	case r.State == report.StateInterrupted, r.State == report.StateKilled:
		return Interrupted
	case r.Stop == report.StopKey:
		return Key
	case r.Stop == report.StopBudget, r.Stop == report.StopCredits:
		return Credits
	}
	return Partial
}

// answeredTooLittle reports whether a run that ended in order covered less than required.
func answeredTooLittle(r report.Report, minCoverage int) bool {
	return (r.State == report.StateDone || r.State == report.StatePartial) && r.Covered() < float64(minCoverage)
}
