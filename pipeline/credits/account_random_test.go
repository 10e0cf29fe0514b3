package credits

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// service is a double of the service's billing: it bills late, reports old balances, sells credits, and serves
// somebody else who has the same key.
type service struct {
	*rand.Rand
	late, stale    time.Duration // the most by which it does
	bought, shared bool
	events         []event // of the balance, by time
	billed         map[string]int
	billedOn       map[string]int
}

// event is a change of the balance at a time.
type event struct {
	at   time.Time
	left int
}

func (v *service) change(at time.Time, by int) { v.events = append(v.events, event{at, by}) }

// balance is what the service reports: the sum of what had happened a while ago.
func (v *service) balance(at time.Time) int {
	if v.stale > 0 {
		at = at.Add(-time.Duration(v.Int64N(int64(v.stale))))
	}
	left := 100_000
	for _, e := range v.events {
		if !e.at.After(at) {
			left += e.left
		}
	}
	return left
}

// bill bills a request of a run, perhaps late.
func (v *service) bill(run string, sent time.Time) {
	at := sent
	if v.late > 0 {
		at = at.Add(time.Duration(v.Int64N(int64(v.late))))
	}
	v.change(at, -10)
	v.billed[run] += 10
	v.billedOn[sent.Format(time.DateOnly)] += 10
}

// night plays one run: requests, of which some break with or without being billed, and readings of the balance.
func (v *service) night(s *segments, id string) {
	s.run(id, nil).reads(0, v.balance(s.at))
	broken, billed := []float64{0, 0.05, 0.4}[v.IntN(3)], v.Float64()
	for range v.IntN(40) {
		intent := s.entry(journal.Entry{Kind: journal.KindIntent, Credits: 10})
		sent, charge := s.at, journal.ChargePriced
		s.at = s.at.Add(time.Duration(v.IntN(20_000)) * time.Millisecond)
		switch {
		case v.Float64() >= broken:
			v.bill(id, sent)
		default:
			charge = journal.ChargeUnknown
			if v.Float64() < billed {
				v.bill(id, sent)
			}
		}
		s.entry(journal.Entry{Kind: journal.KindAnswer, Intent: intent, Credits: 10, Charge: charge, Sent: sent, Received: s.at})
		if v.shared && v.IntN(10) == 0 {
			v.change(s.at, -v.IntN(15))
		}
		if v.bought && v.IntN(25) == 0 {
			v.change(s.at, 1000+v.IntN(5000))
		}
		if charge == journal.ChargeUnknown { // as a harvest does
			s.reads(0, v.balance(s.at))
		}
	}
	switch v.IntN(4) {
	case 0:
		s.reads(0, v.balance(s.at))
	case 1:
		s.reads(quiet, v.balance(s.at.Add(quiet)))
	case 2: // killed
		s.entry(journal.Entry{Kind: journal.KindIntent, Credits: 10})
		if v.IntN(2) == 0 {
			v.bill(id, s.at)
		}
	}
	s.later([]time.Duration{time.Second, time.Minute, time.Hour, 20 * time.Hour}[v.IntN(4)])
}

// TestRandomNights plays random nights against a service that misleads: no sum is below what was billed, not even in
// part, and each run counts the same from its entries as from the index. At a service that does not mislead, what counts
// after a quiet balance is what was billed.
func TestRandomNights(t *testing.T) {
	settled := 0
	for seed := range uint64(10_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		v := &service{Rand: r, billed: map[string]int{}, billedOn: map[string]int{}}
		honest := r.IntN(4) == 0
		if !honest {
			v.late, v.stale = time.Duration(r.IntN(2))*quiet/2, time.Duration(r.IntN(2))*quiet/2
			v.bought, v.shared = r.IntN(2) == 0, r.IntN(2) == 0
		}
		s := newSegments()
		s.at = night.AddDate(0, 0, 9) // the last day of the month
		for i := range 1 + r.IntN(4) {
			v.night(s, fmt.Sprint("r", i))
		}
		s.run("last", nil).reads(quiet, v.balance(s.at.Add(quiet)))
		replayed := NewAccount()
		for _, one := range s.readers {
			replayed.AddRun(one.Run())
		}
		for run, billed := range v.billed {
			got := replayed.Run(run)
			if got.Counted() < billed {
				t.Fatalf("seed %d: %s counts as %d, and %d was billed: %+v", seed, run, got.Counted(), billed, got)
			}
			settled += got.Unbilled
		}
		for day, billed := range v.billedOn {
			if got := replayed.Days(day, day); got.Counted() < billed {
				t.Fatalf("seed %d: %s counts as %d, and %d was billed: %+v", seed, day, got.Counted(), billed, got)
			}
		}
		all, billed := replayed.Days("", "9"), 0
		for _, n := range v.billed {
			billed += n
		}
		if all.Counted() < billed || honest && all.Counted() > billed {
			t.Fatalf("seed %d: all runs count as %d, and %d was billed: %+v", seed, all.Counted(), billed, all)
		}
	}
	if settled == 0 {
		t.Error("no balance settled anything")
	}
}
