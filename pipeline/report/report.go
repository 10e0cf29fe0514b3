package report

import (
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// States of a run, as the end of its segment records them.
const (
	StateDone        = "done"        // every planned search was answered
	StatePartial     = "partial"     // a planned search was left out or not answered
	StateInterrupted = "interrupted" // the run was cancelled, and can be resumed
	StateKilled      = "killed"      // the process died; a later one appended the end
)

// Stop is the reason why a run sent fewer requests than it planned.
type Stop string

// Reasons why runs end early. A run that stops still publishes what it paid for.
const (
	StopNone     Stop = ""
	StopBudget   Stop = "budget"   // the cap of the run is reached
	StopCredits  Stop = "credits"  // the service says that the balance is too low
	StopKey      Stop = "key"      // the service refuses the key
	StopDeadline Stop = "deadline" // the deadline of the run is over
	StopSignal   Stop = "signal"   // the context was cancelled
	StopService  Stop = "service"  // a lane ended because the service did not answer
	StopBlocked  Stop = "blocked"  // the key may not use an operation

	// StopTooLarge is the reason of a run that ended in order, and a search of which had an answer that is too large.
	// Another try would be paid for and not succeed.
	StopTooLarge Stop = "too_large"
)

// Report summarizes a run for people and scripts. It is stored with the run, as JSON. Date is
// YYYY-MM-DD, times are UTC, and all amounts and prices are credits.
type Report struct {
	Run       string    `json:"run"`
	Job       string    `json:"job"`
	Date      string    `json:"date"`
	Continues []string  `json:"continues,omitempty"` // runs of the same night that this run resumed
	Started   time.Time `json:"started"`
	Finished  time.Time `json:"finished"`
	State     string    `json:"state"` // done, partial, interrupted, killed
	Stop      Stop      `json:"stop,omitempty"`
	Reason    string    `json:"reason,omitempty"` // the service's own words, or the cap

	Lanes      []Lane         `json:"lanes"`
	Credits    Credits        `json:"credits"`
	Partitions int            `json:"partitions"` // partitions that the run planned to list
	Coverage   map[string]int `json:"coverage"`   // partitions by state
	Rows       map[string]int `json:"rows"`       // rows written by lake table
	Issues     []Issue        `json:"issues,omitempty"`
	Lost       int            `json:"lost_entries,omitempty"` // entries of the journal that were damaged and could not be salvaged
	// what the night asked, and what became of it; none in reports of earlier versions
	Work    []Work   `json:"work,omitempty"`
	LeftOut []string `json:"left_out,omitempty"` // one line each: what, how much, why
	News    []string `json:"news,omitempty"`     // values that the accepted lists gained or lost

	// PlanSpent says that the run spent the most of its own plan, and no cap stopped it: the next run
	// makes a new plan under the same caps. The journal has it.
	PlanSpent bool `json:"-"`

	// These describe the call that returns the report, and are not stored with the run.
	Note string  `json:"note,omitempty"`         // why no request was sent
	Wall float64 `json:"wall_seconds,omitempty"` // seconds from start to publication
}

// Lane is the work of one operation.
type Lane struct {
	Operation string `json:"operation"`
	Requests  int    `json:"requests"`
	Answers   int    `json:"answers"` // with data, even if that is an empty list
	Limited   int    `json:"limited"` // 429
	Credits   int    `json:"credits"`
}

// Credits is the money of a run. Balances are nil where the service did not report them.
type Credits struct {
	Planned int  `json:"planned"` // the most the plan could cost
	Spent   int  `json:"spent"`   // as counted at the end of the run, including requests with an unknown outcome
	Unknown int  `json:"unknown"` // the part of Spent that may not have been billed
	Before  *int `json:"before,omitempty"`
	After   *int `json:"after,omitempty"` // the balance, by the free call
}

// Issue counts the issues of one kind.
type Issue struct {
	Dataset string `json:"dataset"`
	Field   string `json:"field"`
	Reason  string `json:"reason"`
	Count   int    `json:"count"`
}

// Covered is the percentage of the planned partitions that were covered completely; 100 if none was planned.
func (r Report) Covered() float64 {
	if r.Partitions == 0 {
		return 100
	}
	return 100 * float64(r.Coverage["complete"]) / float64(r.Partitions)
}

// Unanswered reports whether the service answered none of the run's requests.
func (r Report) Unanswered() bool {
	for _, l := range r.Lanes {
		if l.Operation != api.Credits.Name && l.Answers > 0 {
			return false
		}
	}
	return r.State == StatePartial && (r.Stop == StopNone || r.Stop == StopService || r.Stop == StopBlocked ||
		r.Stop == StopDeadline)
}

// Requests returns the requests of all lanes.
func (r Report) Requests() int {
	n := 0
	for _, l := range r.Lanes {
		n += l.Requests
	}
	return n
}
