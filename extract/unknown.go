package extract

import (
	"context"
	"errors"
	"math"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Bounds of a streak: how many lookups in a row may answer that the vessel is unknown before the
// client repeats a lookup that found its vessel. A longer streak has a chance of one in ten
// thousand, by the share of unknown vessels so far, which begins at one in twenty.
const (
	shortestStreak = 3
	longestStreak  = 20
	streakChance   = 1e-4
	assumedAnswers = 20
)

// unknowns watches the lookups of one operation that the service refuses because it does not know
// the vessel. The interface text does not define how a lookup says so: services use 404, and so does
// a gateway while the service behind it is away. A vessel that is wrongly taken for unknown is not
// looked up again for a week.
//
// A streak of refusals that is longer than likely is accepted only if a vessel that was found
// earlier in the run is found again, which costs one lookup; without such a vessel, if the free call
// is answered. Otherwise an outage of the operation begins, and the lookups of the streak are
// repeated. Such a refusal counts as spent until a balance proves otherwise, as every priced request
// does that is not documented as free.
type unknowns struct {
	turn        chan struct{} // holds an element while one goroutine checks a streak, which takes a while
	found       *api.Request  // the last lookup that found its vessel
	streak      []api.Request // refused since
	answers     int           // lookups that were answered, before the streak
	refused     int           // of these
	longStreaks int           // that were longer than likely, and true
	away        bool          // the last streak was not true: the service finds no vessel
	repeat      []api.Request // lookups to repeat
}

func newUnknowns() *unknowns { return &unknowns{turn: make(chan struct{}, 1)} }

// take waits for the turn, and returns what gives it back. After ctx it returns without it, unless it is free.
func (u *unknowns) take(ctx context.Context) (giveBack func(), ok bool) {
	giveBack = func() { <-u.turn }
	select {
	case u.turn <- struct{}{}:
		return giveBack, true
	default:
	}
	select {
	case u.turn <- struct{}{}:
		return giveBack, true
	case <-ctx.Done():
		return nil, false
	}
}

// likely returns the length of a streak that is accepted without a check. Each longer streak that
// proved true doubles it.
func (u *unknowns) likely() int {
	share := float64(u.refused+1) / float64(u.answers+assumedAnswers)
	n := int(math.Ceil(math.Log(streakChance) / math.Log(min(share, 0.9))))
	return max(shortestStreak, min(n, longestStreak)) << min(u.longStreaks, 10)
}

// end accepts the streak: its vessels are unknown.
func (u *unknowns) end() {
	u.answers, u.refused, u.streak = u.answers+len(u.streak), u.refused+len(u.streak), nil
}

// noteFound records a lookup that found its vessel, which ends the streak.
func (c *Client) noteFound(ctx context.Context, r api.Request, a Answer) {
	if !r.Operation.StandsAlone() || a.Rows == 0 {
		return
	}
	u := c.unknowns[r.Operation.Name]
	giveBack, ok := u.take(ctx)
	if !ok {
		return // the run ends: no streak is checked any more
	}
	defer giveBack()
	u.end()
	u.answers++
	u.found, u.away = &r, false
}

// takesForUnknown reports whether the refusal of a request is final. It is true at once for every
// verdict but Skip; a lookup's refusal may first have to be checked, see unknowns.
func (c *Client) takesForUnknown(ctx context.Context, r api.Request, err *Error) bool {
	if err.verdict() != Skip {
		return true
	}
	u := c.unknowns[r.Operation.Name]
	giveBack, ok := u.take(ctx)
	if !ok {
		return true // the run ends, and nothing is asked again
	}
	defer giveBack()
	if u.away {
		return false
	}
	u.streak = append(u.streak, r)
	if len(u.streak) <= u.likely() {
		return true
	}
	if c.finds(ctx, u.found) {
		u.end()
		u.longStreaks++
		return true
	}
	c.service.Log.Warn("the service finds no vessel any more: the last lookups are repeated when it does",
		"endpoint", r.Operation.Name, "lookups", len(u.streak))
	u.away, u.repeat, u.streak = true, append(u.repeat, u.streak[:len(u.streak)-1]...), nil // Send tries r again
	return false
}

// finds reports whether the service finds a vessel that it found before; without such a vessel,
// whether it answers the free call. It returns true where there are no credits for the lookup.
func (c *Client) finds(ctx context.Context, known *api.Request) bool {
	if known == nil {
		readBefore := c.balanceRead.Load()
		_, err := c.Balance(ctx)
		return err == nil || !readBefore
	}
	a, err := c.once(ctx, *known)
	return err == nil && a.Rows > 0 || errors.Is(err, ErrBudget)
}

// findsNone reports whether an outage lasts because the service finds no vessel any more.
func (c *Client) findsNone(ctx context.Context, o api.Operation) bool {
	u := c.unknowns[o.Name]
	giveBack, ok := u.take(ctx)
	if !ok {
		return false
	}
	defer giveBack()
	return u.away
}

// foundAgain looks up a vessel that was found before, and reports whether the service finds it again.
func (c *Client) foundAgain(ctx context.Context, o api.Operation) bool {
	u := c.unknowns[o.Name]
	giveBack, ok := u.take(ctx)
	if !ok {
		return false
	}
	defer giveBack()
	u.away = !c.finds(ctx, u.found)
	return !u.away
}

// LookupsToRepeat returns the lookups that were refused as of unknown vessels while the service was
// away. It returns each of them once; the caller sends them again.
func (c *Client) LookupsToRepeat(ctx context.Context, o api.Operation) []api.Request {
	u := c.unknowns[o.Name]
	giveBack, ok := u.take(ctx)
	if !ok {
		return nil
	}
	defer giveBack()
	again := u.repeat
	u.repeat = nil
	return again
}
