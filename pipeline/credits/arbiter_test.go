package credits

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// script plays events to an arbiter, and notes in words what it decides.
type script struct {
	*Arbiter
	words []string
}

func (s *script) note(format string, args ...any) {
	s.words = append(s.words, fmt.Sprintf(format, args...))
}

// decide notes what was granted and dropped, by id.
func (s *script) decide() {
	d := s.Decide()
	for _, id := range d.Granted {
		s.note("grant %d", id)
	}
	for _, drop := range d.Dropped {
		s.note("drop %d", drop.ID)
	}
}

// reserve asks so many times whether a request may be sent.
func (s *script) reserve(o api.Operation, times int) {
	for range times {
		s.note("%s", []string{"now", "later", "never"}[s.Reserve(o)])
	}
}

// search asks for a search of the list that costs the same in any case.
func (s *script) search(id, most int, worth float64) {
	s.Ask(Search{ID: id, Lane: api.ByType, Most: most, Worth: worth})
	s.decide()
}

// quiet ends both searches' requests, as far as they go.
func (s *script) quiet() {
	for _, lane := range api.Searches {
		s.Idle(lane, true)
	}
	s.decide()
}

func TestWhoGetsTheNextCredit(t *testing.T) {
	one, five := api.Particulars, api.Info
	for name, c := range map[string]struct {
		limit Limit
		share int
		play  func(s *script)
		want  string
	}{
		"requests in flight and what is spent stay within the limit": {AtMost(25), 0, func(s *script) {
			s.reserve(api.ByType, 3)
			s.Answered(api.ByType, 0, 0)
			s.reserve(api.ByType, 1)
			s.Answered(api.ByType, 10, 0)
			s.Answered(api.ByType, 20, 0)
			s.reserve(api.ByType, 1)
			s.reserve(five, 2)
		}, "now now later now never now later"},
		"a limit of 0 pays for nothing": {AtMost(0), 0, func(s *script) { s.reserve(one, 1); s.search(1, 10, 1); s.quiet() }, "never drop 1"},
		"without a limit everything is paid for": {Limit{}, 0, func(s *script) {
			s.search(1, 1_000_000, 1)
			s.reserve(api.ByType, 1)
			s.Again(api.ByType, 3)
			s.reserve(one, 1)
		}, "grant 1 now now"},
		"a request that is not sent costs nothing": {AtMost(10), 0, func(s *script) {
			s.reserve(api.ByType, 2)
			s.Cancel(api.ByType)
			s.reserve(api.ByType, 1)
		}, "now later now"},
		"a lookup leaves alone what a search was granted, until it is not needed": {AtMost(12), 0, func(s *script) {
			s.search(1, 10, 1)
			s.reserve(one, 3)
			s.Fewer(api.ByType, 10)
			s.decide()
			s.reserve(one, 1)
		}, "grant 1 now now later now"},
		"a lookup leaves alone what a search needs to be sent again": {AtMost(40), 0, func(s *script) {
			s.Again(api.ByStatus, 3)
			s.reserve(five, 3)
			s.reserve(api.ByStatus, 1)
			s.Again(api.ByStatus, -2)
			s.reserve(five, 1)
		}, "now now later now now"},
		"a lookup that failed keeps nothing": {AtMost(5), 0, func(s *script) { s.Again(five, 3); s.reserve(five, 1) }, "now"},
		"a status search waits for the list and the list for nobody": {AtMost(20), 0, func(s *script) {
			s.Again(api.ByType, 2)
			s.Again(api.ByStatus, 2)
			s.reserve(api.ByStatus, 1)
			s.reserve(api.ByType, 1)
			s.Answered(api.ByType, 10, 0)
			s.Idle(api.ByType, true)
			s.reserve(api.ByStatus, 1)
		}, "later now now"},
		"the plan comes first, and then the most valuable": {AtMost(30), 0, func(s *script) {
			for id, worth := range []float64{5, 9, 7, 9} {
				s.Ask(Search{ID: id, Lane: api.ByStatus, Most: 10, Worth: worth})
			}
			s.Ask(Search{ID: 4, Lane: api.ByType, Most: 10, Planned: true})
			s.decide()
		}, "grant 4 grant 1 grant 3"},
		"a lesser search gets what the better one cannot use": {AtMost(15), 0, func(s *script) {
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 20, Worth: 9})
			s.Ask(Search{ID: 2, Lane: api.ByType, Most: 10, Worth: 1})
			s.decide()
		}, "grant 2"},
		"a lesser search waits while the better one may still fit": {AtMost(30), 0, func(s *script) {
			s.Ask(Search{ID: 0, Lane: api.ByType, Most: 20, Planned: true, Returns: 20})
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 20, Worth: 9})
			s.Ask(Search{ID: 2, Lane: api.ByType, Most: 10, Worth: 1})
			s.decide()
			s.reserve(one, 1)
			s.Priced(0)
			s.decide()
		}, "grant 0 later grant 2"},
		"a lookup is not refused while a better search may fit, as soon as a price is known": {AtMost(25), 0, func(s *script) {
			s.Ask(Search{ID: 0, Lane: api.ByType, Most: 10, Planned: true, Returns: 10})
			s.decide()
			s.reserve(api.ByType, 1)
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 20})
			s.Answered(api.ByType, 10, 0)
			s.decide()
			s.reserve(one, 1)
			s.Priced(0)
			s.decide()
			s.reserve(one, 1)
		}, "grant 0 now later now"},
		"a search that lookups may still pay for needs no balance": {AtMost(15), 3, func(s *script) {
			s.Count(12, 1)
			s.Lookups(one, 3)
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 4})
			s.quiet()
			s.needs()
		}, "enough"},
		"what comes back goes to the better search": {AtMost(30), 0, func(s *script) {
			s.Ask(Search{ID: 0, Lane: api.ByType, Most: 20, Planned: true, Returns: 20})
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 20, Worth: 9})
			s.decide()
			s.Priced(0)
			s.Fewer(api.ByType, 10)
			s.decide()
			s.reserve(one, 1)
		}, "grant 0 grant 1 later"},
		"lookups leave alone what a list may need beyond its price": {AtMost(40), 0, func(s *script) {
			s.Ask(Search{ID: 0, Lane: api.ByType, Most: 20, Planned: true, Returns: 20, Grows: 15})
			s.decide()
			s.reserve(five, 2)
			s.Priced(0)
			s.reserve(five, 1)
		}, "grant 0 now later now"},
		"lookups leave alone what the checks may need": {AtMost(12), 0, func(s *script) {
			s.Expect(10)
			s.reserve(one, 3)
			s.Expect(0)
			s.reserve(one, 1)
		}, "now now later now"},
		"searches leave the share of lookups alone, in whole lookups that wait": {AtMost(27), 7, func(s *script) {
			s.Lookups(five, 9)
			s.search(1, 23, 2)
			s.search(2, 22, 1)
		}, "grant 2"},
		"the share that no lookup waits for goes to searches": {AtMost(23), 7, func(s *script) { s.Lookups(one, 3); s.search(1, 20, 1) }, "grant 1"},
		"lookups of their share do not wait for searches that may grow": {AtMost(20), 2, func(s *script) {
			s.Lookups(one, 9)
			s.Ask(Search{ID: 0, Lane: api.ByType, Most: 10, Planned: true, Returns: 10, Grows: 10})
			s.decide()
			s.reserve(one, 3)
		}, "grant 0 now now later"},
		"a lookup that was not sent leaves its share": {AtMost(20), 2, func(s *script) {
			s.Lookups(one, 9)
			s.reserve(one, 2)
			s.Cancel(one)
			s.search(1, 19, 1)
			s.search(2, 18, 1)
		}, "now now grant 2"},
		"tries of a lane that ended are not kept": {AtMost(10), 0, func(s *script) {
			s.Ended(api.ByStatus)
			s.Again(api.ByStatus, 1)
			s.reserve(five, 2)
		}, "now now"},
		"positions come first in the share": {AtMost(26), 7, func(s *script) {
			s.Lookups(api.Location, 3)
			s.Lookups(five, 1)
			s.search(1, 24, 1)
			s.search(2, 23, 1)
		}, "grant 2"},
		"a search waits for lookups that may cost nothing": {AtMost(12), 3, func(s *script) {
			s.Lookups(one, 3)
			s.reserve(one, 3)
			s.Lookups(one, 0)
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 10})
			s.quiet()
			s.Answered(one, 1, 0)
			s.Answered(one, 1, 0)
			s.decide()
			s.Answered(one, 1, 0)
			s.quiet()
		}, "now now now grant 1"},
		"a search waits for lookups that are still to be sent": {AtMost(12), 3, func(s *script) {
			s.Lookups(one, 3)
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 10})
			s.quiet()
			s.Lookups(one, 0)
			s.decide()
		}, "grant 1"},
		"a search that lookups cannot pay for either is dropped": {AtMost(12), 3, func(s *script) {
			s.Lookups(one, 3)
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 13})
			s.quiet()
		}, "drop 1"},
		"a search whose lane ended is dropped, and so is one that comes later": {AtMost(10), 0, func(s *script) {
			s.Ask(Search{ID: 1, Lane: api.ByStatus, Most: 20})
			s.Ended(api.ByStatus)
			s.Ask(Search{ID: 2, Lane: api.ByStatus, Most: 10})
			s.decide()
		}, "drop 1 drop 2"},
		"a lane that ended has no search under way": {AtMost(5), 0, func(s *script) {
			s.Ask(Search{ID: 1, Lane: api.ByType, Most: 10})
			s.Idle(api.ByType, true)
			s.Ended(api.ByStatus)
			s.decide()
		}, "drop 1"},
		"a search is not dropped while another begins": {AtMost(10), 0, func(s *script) {
			for id := range 2 {
				s.Ask(Search{ID: id, Lane: api.ByType, Most: 10})
			}
			s.quiet()
			s.quiet()
		}, "grant 0 grant 1"},
		"what a lane was granted is free when it has no request left": {AtMost(10), 0, func(s *script) {
			s.search(1, 10, 1)
			s.reserve(five, 1)
			s.Idle(api.ByType, true)
			s.reserve(five, 1)
		}, "grant 1 later now"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{Arbiter: NewArbiter(c.limit, c.share)}
			c.play(s)
			if got := strings.Join(s.words, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestCreditsOfUnknownOutcome has 12 of 15 credits spent, 10 of them on requests that may not have been billed.
func TestCreditsOfUnknownOutcome(t *testing.T) {
	one := api.Particulars
	for name, c := range map[string]struct {
		play func(s *script)
		want string
	}{
		"nothing waits": {func(s *script) { s.quiet(); s.needs() }, "enough"},
		"a search that waits is not dropped, and needs a balance": {func(s *script) {
			s.search(1, 10, 1)
			s.quiet()
			s.needs()
			s.Count(2, 0)
			s.decide()
			s.needs()
		}, "needs grant 1 enough"},
		"a balance that frees too little": {func(s *script) {
			s.search(1, 10, 1)
			s.quiet()
			s.Count(6, 0)
			s.quiet()
		}, "drop 1"},
		"no balance will tell": {func(s *script) {
			s.search(1, 10, 1)
			s.quiet()
			s.NoOutcome()
			s.decide()
			s.needs()
			s.reserve(one, 1)
		}, "drop 1 enough now"},
		"no balance will tell of these, and one may of those that follow": {func(s *script) {
			s.NoOutcome()
			s.reserve(one, 1)
			s.Answered(one, 13, 11)
			s.search(1, 3, 1)
			s.search(2, 4, 1)
			s.quiet()
			s.needs()
		}, "now drop 2 needs"},
		"a search that not even they would pay for": {func(s *script) {
			s.search(1, 14, 1)
			s.quiet()
			s.needs()
		}, "drop 1 enough"},
		"the price of a search in flight may pay for it": {func(s *script) {
			s.reserve(one, 1)
			s.search(1, 10, 1)
			s.quiet()
			s.needs()
		}, "now enough"},
		"a lookup beyond its share waits for the search that they may pay for": {func(s *script) {
			s.search(1, 10, 1)
			s.reserve(one, 1)
			s.quiet()
			s.NoOutcome()
			s.decide()
			s.reserve(one, 1)
		}, "later drop 1 now"},
		"a lesser search does not": {func(s *script) {
			s.search(1, 10, 2)
			s.search(2, 3, 1)
		}, "grant 2"},
		"a lookup at the limit needs a balance": {func(s *script) {
			s.Count(15, 10)
			s.reserve(one, 1)
			s.Waits(one, 2)
			s.Waits(one, -1)
			s.quiet()
			s.needs()
			s.Count(14, 9)
			s.reserve(one, 1)
			s.Waits(one, -1)
			s.needs()
		}, "later needs now enough"},
		"a lookup that not even they would pay for": {func(s *script) {
			s.Count(15, 4)
			s.reserve(api.Info, 1)
			s.Waits(api.Info, 1)
			s.needs()
		}, "never enough"},
		"a lookup that no balance will help": {func(s *script) {
			s.NoOutcome()
			s.Waits(one, 1)
			s.needs()
		}, "enough"},
		"a search that waits while another is under way": {func(s *script) {
			s.Idle(api.ByType, true)
			s.search(1, 10, 1)
			s.needs()
		}, "enough"},
		"a lookup waits for a better search, whose price will be known": {func(s *script) {
			s.Count(4, 1)
			s.Ask(Search{ID: 0, Lane: api.ByType, Most: 10, Planned: true, Returns: 10})
			s.decide()
			s.reserve(api.ByType, 1)
			s.Answered(api.ByType, 14, 1)
			s.search(1, 5, 1)
			s.Waits(one, 1)
			s.needs()
		}, "grant 0 now enough"},
		"a search that is sent again needs a balance": {func(s *script) {
			s.reserve(api.ByStatus, 1)
			s.Waits(api.ByStatus, 1)
			s.needs()
		}, "later needs"},
		"a status search that is sent again waits for the list before": {func(s *script) {
			s.Again(api.ByType, 1)
			s.reserve(api.ByStatus, 1)
			s.Waits(api.ByStatus, 1)
			s.needs()
		}, "later enough"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{Arbiter: NewArbiter(AtMost(15), 0)}
			s.Count(12, 10)
			c.play(s)
			if got := strings.Join(s.words, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// needs notes whether something waits that only credits of unknown outcome can pay for.
func (s *script) needs() {
	if s.NeedsOutcomes() {
		s.note("needs")
	} else {
		s.note("enough")
	}
}
