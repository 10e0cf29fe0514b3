package credits

import (
	"cmp"
	"iter"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// DefaultSettleAfter is the settling time of a run whose plan names none: how long after the last request a balance
// proves nothing, because the service may bill late, and the balance that it reports may be old.
const DefaultSettleAfter = 5 * time.Minute

// Account counts what all runs spent, by one rule:
//
//   - A request counts as its entry in the journal says. One without an answer, or whose answer does not tell
//     whether it was billed, is of unknown outcome and counts in full.
//   - Two quiet balances settle the requests of unknown outcome between them: no more of these were billed than
//     the balance fell beyond what is sure. A balance is quiet if no request was in flight when it was read, and the
//     last one had ended the settling time before.
//   - They prove nothing if any balance between them rose, or if it fell by less than what is sure: credits were
//     bought. Nor if it fell by more than all requests count as: somebody else spends with the same key.
//
// What cannot be told apart is a purchase of fewer credits than were charged between two readings of the balance.
//
// Runs are added in the order of their ids, each with Begin and then its entries, or at once with AddRun.
type Account struct {
	settleAfter time.Duration // of the newest run

	runs    []Run // without their steps
	index   map[string]int
	spent   []map[string]*sum // by run and day
	windows []window          // with requests of unknown outcome; closed
	settled []settled         // by run, of the closed windows
	beyond  []statement       // by run: its own readings of the balance
	dated   map[string]string // by run that the clock had dated later: the day that it shows in the run that noticed it first
	noticed map[string]int    // by the same: the run that noticed it

	open  window
	last  *Reading  // the newest reading since the last cut
	ended time.Time // when the last request ended
	live  *Reader   // of the run that is being added
}

// sum is credits of requests.
type sum struct{ sure, unknown int }

// window is the requests between two quiet balances.
type window struct {
	from    *Reading // nil if no balance was read before
	rose    bool
	sure    int
	unknown map[bucket]int
	all     int // of unknown

	billed int    // the most of unknown that was billed
	why    string // why all of unknown counts; "" if the balance tells
}

// bucket is the requests of a run that were sent on one day.
type bucket struct {
	run int
	day string
}

// settled is what became of the requests of unknown outcome of a run, in credits.
type settled struct{ unbilled, unproved int }

// Why requests of unknown outcome still count as spent.
const (
	waitsForBalance = "no balance was read since that could tell; the next quiet one does"
	noBalanceBefore = "no balance was read before them"
	creditsBought   = "the balance rose meanwhile: credits were bought"
	spentElsewhere  = "the balance fell by more than we count: somebody else spends with the same key"
	clockWentBack   = "the clock went back meanwhile"
)

// NewAccount returns an account without runs.
func NewAccount() *Account {
	return &Account{settleAfter: DefaultSettleAfter, index: map[string]int{}, dated: map[string]string{},
		noticed: map[string]int{}, open: newWindow(nil)}
}

func newWindow(from *Reading) window { return window{from: from, unknown: map[bucket]int{}} }

// AddRun adds a run that has ended.
func (a *Account) AddRun(r Run) {
	a.Begin(r)
	for _, s := range r.Steps {
		for _, d := range s.Days {
			a.charge(charge{d.Date, d.Sure, d.Unknown, s.Ended})
		}
		if s.Balance != nil {
			a.read(*s.Balance)
		}
	}
}

// Begin adds a run that has spent nothing yet, and to which Add adds.
func (a *Account) Begin(r Run) {
	r.Steps = nil
	n := len(a.runs)
	a.runs, a.spent, a.settled, a.beyond = append(a.runs, r), append(a.spent, map[string]*sum{}),
		append(a.settled, settled{}), append(a.beyond, statement{})
	a.index[r.ID], a.live, a.settleAfter = n, &Reader{run: r, fold: newFold()}, cmp.Or(r.SettleAfter, DefaultSettleAfter)
	if _, ahead := a.noticed[r.ID]; ahead || len(r.Ahead) > 0 {
		a.cut(r.Started) // runs that follow each other here did not follow each other at the service
	}
	for _, id := range r.Ahead {
		if _, before := a.noticed[id]; !before {
			a.noticed[id], a.dated[id] = n, dayOf(r.Started)
		}
	}
}

// Add takes in an entry of the run that was begun last, in the order of its segment.
func (a *Account) Add(e journal.Entry) {
	c, b := a.live.take(&e)
	a.runs[len(a.runs)-1].Ended = a.live.run.Ended
	if c != nil {
		a.charge(*c)
	}
	if b != nil {
		a.read(*b)
	}
}

// Latest returns the run that was begun last, as the entries so far have it.
func (a *Account) Latest() Run { return a.live.Run() }

// charge counts a request that has ended.
func (a *Account) charge(c charge) {
	n := len(a.runs) - 1
	s := a.spent[n][c.day]
	if s == nil {
		s = &sum{}
		a.spent[n][c.day] = s
	}
	s.sure, s.unknown = s.sure+c.sure, s.unknown+c.unknown
	a.beyond[n].charge(c)
	a.open.sure, a.open.all = a.open.sure+c.sure, a.open.all+c.unknown
	if c.unknown > 0 {
		a.open.unknown[bucket{n, c.day}] += c.unknown
	}
	if c.ended.After(a.ended) {
		a.ended = c.ended
	}
}

// read takes in a balance, which closes the window if it is quiet.
func (a *Account) read(b Reading) {
	a.beyond[len(a.runs)-1].read(b)
	a.open.rose = a.open.rose || a.last != nil && b.Left > a.last.Left
	a.last = &b
	if b.InFlight > 0 || !a.ended.IsZero() && b.Asked.Sub(a.ended) < a.settleAfter {
		return
	}
	a.open.settle(b.Left)
	a.close()
	a.open = newWindow(&b)
}

// close keeps the window that ends, if it has requests of unknown outcome.
func (a *Account) close() {
	if a.open.all == 0 {
		return
	}
	a.windows = append(a.windows, a.open)
	unknown := map[int]int{}
	for b, credits := range a.open.unknown {
		unknown[b.run] += credits
	}
	for run, credits := range unknown {
		if a.open.why != "" {
			a.settled[run].unproved += credits
		} else {
			a.settled[run].unbilled += credits - min(credits, a.open.billed)
		}
	}
}

// cut ends the window without a balance: no later one can tell anything of its requests.
func (a *Account) cut(at time.Time) {
	a.open.billed, a.open.why = a.open.all, clockWentBack
	a.close()
	a.open, a.last, a.ended = newWindow(nil), nil, at
}

// settle finds the most of the requests of unknown outcome that was billed, by the quiet balance at the end.
func (w *window) settle(left int) {
	w.billed = w.all
	if w.from == nil {
		w.why = noBalanceBefore
		return
	}
	fell := w.from.Left - left
	switch {
	case w.rose, fell < w.sure:
		w.why = creditsBought
	case fell > w.sure+w.all:
		w.why = spentElsewhere
	default:
		w.billed = fell - w.sure
	}
}

// all yields the windows with requests of unknown outcome, the open one with why it still is.
func (a *Account) all() iter.Seq[*window] {
	return func(yield func(*window) bool) {
		for i := range a.windows {
			if !yield(&a.windows[i]) {
				return
			}
		}
		last := a.open
		switch {
		case last.from == nil:
			last.why = noBalanceBefore
		case last.rose:
			last.why = creditsBought
		default:
			last.why = waitsForBalance
		}
		yield(&last)
	}
}

// QuietAt returns when at the earliest a balance settles the requests of unknown outcome, if no request is sent until
// then, and false if none can: there are none, or what was read so far proves nothing.
func (a *Account) QuietAt() (time.Time, bool) {
	return a.ended.Add(a.settleAfter), a.open.all > 0 && a.open.from != nil && !a.open.rose
}
