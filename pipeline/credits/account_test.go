package credits

import (
	"fmt"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// night is when the first run of a test begins.
var night = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// segments is an account that a test feeds with the entries of runs.
type segments struct {
	*Account
	at      time.Time
	n       int
	readers []*Reader
}

func newSegments() *segments { return &segments{Account: NewAccount(), at: night} }

// run begins a run of the job nightly at the time of the test's clock.
func (s *segments) run(id string, change func(*journal.Plan)) *segments {
	p := journal.Plan{Run: id, Job: "nightly", Date: s.at.Format(time.DateOnly), Ahead: s.Ahead(s.at)}
	if change != nil {
		change(&p)
	}
	r := NewReader()
	r.Add(&journal.Entry{Kind: journal.KindPlan, At: s.at, Plan: &p})
	s.readers = append(s.readers, r)
	s.Begin(r.Run())
	return s
}

func (s *segments) entry(e journal.Entry) int {
	e.N, e.At = s.n, s.at
	s.n++
	s.readers[len(s.readers)-1].Add(&e)
	s.Add(e)
	return e.N
}

// asks sends a request of ten credits, and ends it a second later with a charge.
func (s *segments) asks(times int, charge journal.Charge) *segments {
	for range times {
		intent := s.entry(journal.Entry{Kind: journal.KindIntent, Credits: 10})
		sent := s.at
		s.at = s.at.Add(time.Second)
		s.entry(journal.Entry{Kind: journal.KindAnswer, Intent: intent, Credits: 10, Charge: charge, Sent: sent, Received: s.at})
	}
	return s
}

// reads reads a balance after a while.
func (s *segments) reads(after time.Duration, left int) *segments {
	s.at = s.at.Add(after)
	e := journal.Entry{Kind: journal.KindBalance, Outcome: "ok", Sent: s.at, Received: s.at}
	e.SetBody(fmt.Appendf(nil, `{"detail": {"credits": %d}}`, left))
	s.entry(e)
	return s
}

func (s *segments) ends() *segments {
	s.entry(journal.Entry{Kind: journal.KindEnd, End: &journal.End{State: "partial"}})
	return s
}

// later moves the clock.
func (s *segments) later(d time.Duration) *segments {
	s.at = s.at.Add(d)
	return s
}

const (
	sure  = journal.ChargePriced
	lost  = journal.ChargeUnknown
	quiet = DefaultSettleAfter
)

// TestWhatABalanceProves has runs of five sure requests and three of unknown outcome, of ten credits each: what
// counts as spent after them.
func TestWhatABalanceProves(t *testing.T) {
	begun := func() *segments { return newSegments().run("r1", nil).reads(0, 1000).asks(5, sure).asks(3, lost) }
	for name, c := range map[string]struct {
		s        *segments
		counted  int
		unproved int
		why      string
	}{
		"nothing was read since":                             {begun(), 80, 30, waitsForBalance},
		"a balance right after them may be old":              {begun().reads(time.Second, 950), 80, 30, waitsForBalance},
		"a balance just before the settling time":            {begun().reads(quiet-time.Nanosecond, 950), 80, 30, waitsForBalance},
		"none of them was billed":                            {begun().reads(quiet, 950), 50, 0, ""},
		"one of them was billed":                             {begun().reads(quiet, 940), 60, 0, ""},
		"all of them were billed":                            {begun().reads(quiet, 920), 80, 0, ""},
		"credits were bought":                                {begun().reads(quiet, 1420), 80, 30, creditsBought},
		"credits were bought, as many as were spent":         {begun().reads(quiet, 951), 80, 30, creditsBought},
		"credits were bought between two readings":           {begun().reads(time.Second, 1420).reads(quiet, 950), 80, 30, creditsBought},
		"somebody else spends with the same key":             {begun().reads(quiet, 919), 80, 30, spentElsewhere},
		"nothing was read before":                            {newSegments().run("r1", nil).asks(5, sure).asks(3, lost).reads(quiet, 920), 80, 30, noBalanceBefore},
		"a request is in flight":                             {inFlight(begun()).reads(quiet, 950), 80, 30, waitsForBalance},
		"an old reading between does not hide the proof":     {begun().reads(time.Second, 1000).reads(quiet, 950), 50, 0, ""},
		"a second window has its own requests":               {begun().reads(quiet, 950).asks(1, lost).reads(quiet, 950), 50, 0, ""},
		"a purchase between two windows spoils neither":      {begun().reads(quiet, 950).reads(time.Second, 5000).reads(0, 5000).asks(1, lost).reads(quiet, 5000), 50, 0, ""},
		"what follows a purchase is settled on its own":      {begun().reads(quiet, 1420).asks(2, lost).reads(quiet, 1420), 80, 30, creditsBought},
		"a balance that is no number is none":                {junk(begun()), 80, 30, waitsForBalance},
		"the balance of the next run settles":                {begun().later(time.Hour).run("r2", nil).reads(0, 950), 50, 0, ""},
		"the balance of a run that follows at once does not": {begun().run("r2", nil).reads(time.Second, 950), 80, 30, waitsForBalance},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.s.Run("r1")
			if got.Counted() != c.counted || got.Unproved != c.unproved || got.Sure+got.Unknown < 80 {
				t.Errorf("counted %d, unproved %d (%+v), want %d and %d", got.Counted(), got.Unproved, got, c.counted, c.unproved)
			}
			if why := c.s.Statements()[0].Why; why != c.why {
				t.Errorf("they count because %q, want %q", why, c.why)
			}
			replayed := NewAccount()
			for _, r := range c.s.readers {
				replayed.AddRun(r.Run())
			}
			if want := got; c.unproved == 30 && name == "a request is in flight" {
				want.Unknown, want.Unproved = got.Unknown+10, got.Unproved+10
				if again := replayed.Run("r1"); again != want {
					t.Errorf("from the index the run counts as %+v, want %+v", again, want)
				}
			} else if again := replayed.Run("r1"); again != want {
				t.Errorf("from the index the run counts as %+v, want %+v", again, want)
			}
		})
	}
}

// inFlight leaves a request without an answer.
func inFlight(s *segments) *segments {
	s.entry(journal.Entry{Kind: journal.KindIntent, Credits: 10})
	return s
}

func junk(s *segments) *segments {
	e := journal.Entry{Kind: journal.KindBalance, Outcome: "ok", Sent: s.at.Add(quiet)}
	e.SetBody([]byte("<html>"))
	s.entry(e)
	return s
}

// TestQuietAt asks when a balance is worth reading.
func TestQuietAt(t *testing.T) {
	for name, c := range map[string]struct {
		s    *segments
		want time.Duration // after the last request; below 0 if no balance helps
	}{
		"after the last request":     {newSegments().run("r", nil).reads(0, 100).asks(1, lost), quiet},
		"a sure request moves it":    {newSegments().run("r", nil).reads(0, 100).asks(1, lost).later(time.Minute).asks(1, sure), quiet},
		"without an earlier balance": {newSegments().run("r", nil).asks(1, lost), -1},
		"after a purchase":           {newSegments().run("r", nil).reads(0, 100).asks(1, lost).reads(0, 500), -1},
		"all outcomes are known":     {newSegments().run("r", nil).reads(0, 100).asks(1, sure), -1},
		"all outcomes are settled":   {newSegments().run("r", nil).reads(0, 100).asks(1, lost).reads(quiet, 90), -1},
	} {
		at, ok := c.s.QuietAt()
		if ok != (c.want >= 0) || ok && !at.Equal(c.s.at.Add(c.want)) {
			t.Errorf("%s: %v, %v", name, at, ok)
		}
	}
}

// TestCalendar counts for night, day and month what was spent around midnight and while the clock was wrong.
func TestCalendar(t *testing.T) {
	day := 24 * time.Hour
	first := func() *segments { return newSegments().run("20261120T02", nil).asks(5, sure).ends() }
	for name, c := range map[string]struct {
		s    *segments
		want Spent
	}{
		"the same night":                                              {first(), Spent{50, 50, 50}},
		"the next day":                                                {first().later(day), Spent{0, 0, 50}},
		"the next month":                                              {first().later(11 * day), Spent{}},
		"a run over midnight":                                         {newSegments().later(22*time.Hour-2*time.Second).run("r", nil).asks(4, sure), Spent{0, 20, 40}}, // the night of another date
		"the clock goes back a day":                                   {first().later(-day), Spent{50, 50, 50}},
		"the clock goes back, and a run notices":                      {first().later(-day).run("20261119T02", nil), Spent{50, 50, 50}},
		"the clock was right again":                                   {first().later(-day).run("20261119T02", nil).asks(1, sure).later(day), Spent{50, 50, 60}},
		"the clock was years ahead":                                   {newSegments().later(3650*day).run("20361117T02", nil).asks(5, sure).ends().later(-3650 * day), Spent{50, 50, 50}},
		"and counts on the day on which it is noticed alone":          {newSegments().later(3650*day).run("20361117T02", nil).asks(5, sure).ends().later(-3650*day).run("20261120T02", nil).later(day), Spent{0, 0, 50}},
		"unknown outcomes settled after midnight never count below 0": {newSegments().later(22*time.Hour-2*time.Second).run("r", nil).reads(-time.Hour, 500).later(time.Hour).asks(4, lost).reads(quiet, 500), Spent{0, 0, 0}},
		"of two days that a balance settles together, all that was billed may be of each": {newSegments().later(22*time.Hour-2*time.Second).run("r", nil).reads(-time.Hour, 500).later(time.Hour).asks(4, lost).reads(quiet, 480), Spent{0, 20, 20}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.s.Spent("nightly", c.s.at.Format(time.DateOnly), false, c.s.at); got != c.want {
				t.Errorf("%+v counts, want %+v", got, c.want)
			}
		})
	}
}

// TestTheCapOfANightBeginsAnew has the runs of one night.
func TestTheCapOfANightBeginsAnew(t *testing.T) {
	anew := func(p *journal.Plan) { p.Anew = true }
	other := func(p *journal.Plan) { p.Job = "positions" }
	for name, c := range map[string]struct {
		s    *segments
		want int
	}{
		"two runs":                 {newSegments().run("r1", nil).asks(3, sure).run("r2", nil).asks(2, sure), 50},
		"with the second":          {newSegments().run("r1", nil).asks(3, sure).run("r2", anew).asks(2, sure), 20},
		"and continues from there": {newSegments().run("r1", nil).asks(3, sure).run("r2", anew).asks(2, sure).run("r3", nil).asks(1, sure), 30},
		"another job has its own":  {newSegments().run("r1", nil).asks(3, sure).run("r2", other).asks(2, sure), 30},
	} {
		if got := c.s.Night("nightly", "2026-11-20", c.s.at).Counted(); got != c.want {
			t.Errorf("%s: %d counts, want %d", name, got, c.want)
		}
	}
}

// TestRenewable has nights that a person repeats with --again.
func TestRenewable(t *testing.T) {
	killed := func(s *segments) *segments {
		s.entry(journal.Entry{Kind: journal.KindEnd, End: &journal.End{State: "killed"}})
		return s
	}
	for name, c := range map[string]struct {
		s      *segments
		newest string // of the published ones
		want   bool
	}{
		"a run that came to its end":                 {newSegments().run("r1", nil).ends(), "r1", true},
		"a run that was killed":                      {killed(newSegments().run("r1", nil)), "r1", false},
		"a run that goes on":                         {newSegments().run("r1", nil), "r1", false},
		"killed after one that came to its end":      {killed(newSegments().run("r1", nil).ends().run("r2", nil)), "r2", false},
		"a run that was rolled back":                 {newSegments().run("r1", nil).ends(), "", false},
		"rolled back after one that came to its end": {newSegments().run("r1", nil).ends().run("r2", nil).ends(), "r1", false},
		"no run": {newSegments(), "", false},
	} {
		if got := c.s.Renewable("nightly", "2026-11-20", c.newest); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestBeyond counts for day and month what the balance lost during runs beyond what we count, and not between them.
func TestBeyond(t *testing.T) {
	s := newSegments().run("r1", nil).reads(0, 1000).asks(5, sure).reads(0, 930)
	s.later(time.Hour).run("r2", nil).reads(0, 800).asks(1, sure).reads(0, 790)
	if got, want := s.Spent("nightly", "2026-11-20", false, s.at), (Spent{60, 80, 80}); got != want {
		t.Errorf("%+v counts, want %+v", got, want)
	}
	s.later(time.Hour).run("r3", nil).reads(0, 790).asks(3, lost).reads(0, 780)
	all := s.Statements()
	for what, n := range map[string]struct {
		got  *int
		want int
	}{
		"billed":    {all[0].Billed, 70},
		"drift":     {all[0].Drift, 20},
		"elsewhere": {all[1].Elsewhere, 130},
		"the drift of requests of unknown outcome": {all[2].Drift, 0},
	} {
		if n.got == nil || *n.got != n.want {
			t.Errorf("%s: %v, want %d", what, n.got, n.want)
		}
	}
}

// TestDamaged counts a segment that cannot be read to its end as all that its plan allowed.
func TestDamaged(t *testing.T) {
	for most, want := range map[int]int{0: 50, 30: 50, 50: 50, 200: 200} {
		s := newSegments().run("r", nil).asks(5, sure)
		a := NewAccount()
		a.AddRun(s.readers[0].Damaged(most))
		if got := a.Run("r").Counted(); got != want {
			t.Errorf("a plan of at most %d counts as %d, want %d", most, got, want)
		}
	}
}
