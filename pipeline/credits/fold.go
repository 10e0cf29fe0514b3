package credits

import (
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// Run is the money of one run: what an account takes of its segment. The index beside the journal has it as JSON.
type Run struct {
	ID      string    `json:"run"`
	Job     string    `json:"job"`
	Date    string    `json:"date"` // the snapshot date
	Started time.Time `json:"started"`
	Anew    bool      `json:"anew,omitempty"`  // the cap of the night begins anew with this run
	Ahead   []string  `json:"ahead,omitempty"` // runs that the clock had dated later when this one began
	Ended   bool      `json:"ended"`           // the run came to its own end: done or partial
	Steps   []Step    `json:"steps,omitempty"`

	SettleAfter time.Duration `json:"settle_after,omitempty"` // how long the service may bill late; 0 is the default
}

// Step is what a run spent up to a reading of the balance, or from the last one to the end of the run.
type Step struct {
	Days    []Day     `json:"days,omitempty"`
	Ended   time.Time `json:"ended,omitzero"` // when the last of its requests ended
	Balance *Reading  `json:"balance,omitempty"`
}

// Day is what the requests of a step that were sent on one day count as, in credits. The calendar of all caps is
// that of UTC: its days have 24 hours all year, and they are the same for jobs of different time zones.
type Day struct {
	Date    string `json:"day"` // YYYY-MM-DD, UTC
	Sure    int    `json:"sure,omitempty"`
	Unknown int    `json:"unknown,omitempty"` // may not have been billed
}

// Reading is a balance that the service reported.
type Reading struct {
	Left     int       `json:"left"`
	Asked    time.Time `json:"asked"`
	InFlight int       `json:"in_flight,omitempty"` // priced requests that had no answer yet
}

// charge is a priced request that has ended.
type charge struct {
	day           string
	sure, unknown int
	ended         time.Time
}

// fold turns the entries of one segment, in their order, into charges and readings.
type fold struct {
	inFlight map[int]journal.Entry // intents without an answer, without their bodies
}

func newFold() *fold { return &fold{inFlight: map[int]journal.Entry{}} }

// add returns the request that ended with an entry, or the balance that the entry reads; nil for any other entry.
// What a balance counted as not billed when it was written is not taken over: the account decides that.
func (f *fold) add(e *journal.Entry) (*charge, *Reading) {
	switch e.Kind {
	case journal.KindIntent:
		f.inFlight[e.N] = journal.Entry{At: e.At, Credits: e.Credits}
	case journal.KindAnswer:
		delete(f.inFlight, e.Intent)
		c := charge{day: dayOf(e.At), sure: e.Credits, ended: e.At}
		if !e.Sent.IsZero() {
			c.day = dayOf(e.Sent)
		}
		if e.Charge == journal.ChargeUnknown {
			c.sure, c.unknown = 0, e.Credits
		}
		return &c, nil
	case journal.KindBalance:
		if left, ok := balanceOf(e); ok {
			return nil, &Reading{Left: left, Asked: e.Sent, InFlight: len(f.inFlight)}
		}
	}
	return nil, nil
}

// unanswered returns the requests without an answer of a segment that has no more entries. Each may have been billed.
func (f *fold) unanswered() (all []charge) {
	for _, e := range f.inFlight {
		all = append(all, charge{day: dayOf(e.At), unknown: e.Credits, ended: e.At})
	}
	return all
}

// balanceOf returns the balance of an answer of the free call, and whether it has one.
func balanceOf(e *journal.Entry) (int, bool) {
	body, err := e.RawBody()
	if err != nil || e.Outcome != "ok" {
		return 0, false
	}
	left, err := api.ParseBalance(body)
	return left, err == nil
}

// Planned returns a run that has spent nothing yet, by its plan, which was written at a time.
func Planned(p journal.Plan, at time.Time) Run {
	r := Run{ID: p.Run, Job: p.Job, Date: p.Date, Started: at, Anew: p.Anew, Ahead: p.Ahead}
	r.SettleAfter, _ = time.ParseDuration(p.Settle)
	return r
}

// header takes over what the first and the last entry of a segment say of its run.
func (r *Run) header(e *journal.Entry) {
	switch e.Kind {
	case journal.KindPlan:
		*r = Planned(*e.Plan, e.At)
	case journal.KindEnd:
		r.Ended = e.End.State == "done" || e.End.State == "partial"
	}
}

// add adds what an entry says of money to the steps of the run.
func (r *Run) add(c *charge, b *Reading) {
	if c == nil && b == nil {
		return
	}
	last := len(r.Steps) - 1
	if last < 0 || r.Steps[last].Balance != nil {
		r.Steps, last = append(r.Steps, Step{}), last+1
	}
	if b != nil {
		r.Steps[last].Balance = b
		return
	}
	r.Steps[last].add(*c)
}

func (s *Step) add(c charge) {
	if c.ended.After(s.Ended) {
		s.Ended = c.ended
	}
	for i := range s.Days {
		if s.Days[i].Date == c.day {
			s.Days[i].Sure, s.Days[i].Unknown = s.Days[i].Sure+c.sure, s.Days[i].Unknown+c.unknown
			return
		}
	}
	s.Days = append(s.Days, Day{c.day, c.sure, c.unknown})
}

// Reader reads the run of a segment from its entries.
type Reader struct {
	run  Run
	fold *fold
}

// NewReader returns a reader, to which Add adds the entries of one segment in their order.
func NewReader() *Reader { return &Reader{fold: newFold()} }

// Add takes in an entry.
func (r *Reader) Add(e *journal.Entry) { r.take(e) }

// take is Add, and returns what fold.add does.
func (r *Reader) take(e *journal.Entry) (*charge, *Reading) {
	r.run.header(e)
	c, b := r.fold.add(e)
	r.run.add(c, b)
	return c, b
}

// Run returns the run as the entries so far have it, where each request without an answer may have been billed.
func (r *Reader) Run() Run {
	run := r.run
	run.Steps = append([]Step(nil), run.Steps...)
	for i := range run.Steps {
		run.Steps[i].Days = append([]Day(nil), run.Steps[i].Days...)
	}
	for _, c := range r.fold.unanswered() {
		run.add(&c, nil)
	}
	return run
}

// dayOf returns the day of a moment in the calendar of the caps.
func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Damaged returns the run of a segment that cannot be read to its end: it counts as the most that its plan allowed, or
// as what the entries so far say if that is more. 0 is no limit of the plan.
func (r *Reader) Damaged(most int) Run {
	run := r.Run()
	counted := 0
	for _, s := range run.Steps {
		for _, d := range s.Days {
			counted += d.Sure + d.Unknown
		}
	}
	if counted < most {
		run.add(&charge{day: dayOf(run.Started), unknown: most - counted, ended: run.Started}, nil)
	}
	return run
}
