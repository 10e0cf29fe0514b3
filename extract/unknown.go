package extract

import (
	"context"
	"errors"
	"math"

	"github.com/fleetlake/fleetlake/extract/api"
)

// How many lookups in a row may say that the service does not know the vessel before it is asked
// for one that it knew: as many as are found in a row once in ten thousand times, by their share so
// far, which is taken to be one in twenty at first.
const (
	leastInARow = 3
	mostInARow  = 20
	rareRow     = 1e-4
	firstShare  = 20
)

// unknowns watches the lookups of one operation that are refused: the service does not know the
// vessel. The interface text does not say how a lookup says so; 404 is what services use, and also
// what a gateway answers while the service behind it is away. A vessel that is wrongly believed to be
// unknown is not asked for again for a week.
//
// More refusals in a row than is likely are believed only if a vessel that was found earlier in the run
// is found again, which costs one lookup, and if there is none, if the free call is answered. If not,
// the operation is held as in any outage, and those that were believed are asked again. Such a refusal
// counts as spent until the balance tells, as every priced request does that is not said to be free.
type unknowns struct {
	turn    chan struct{} // held while it is found out whether they are believed, which takes a while
	found   *api.Request  // the last lookup that found its vessel
	row     []api.Request // refused since
	answers int           // lookups that were answered, before the row
	refused int           // of these
	alarms  int           // rows that were longer than is likely, and true
	away    bool          // the last row was not true
	again   []api.Request // to be asked again
}

// likely is how many refusals in a row are believed. Each longer row that was true doubles it.
func (u *unknowns) likely() int {
	share := float64(u.refused+1) / float64(u.answers+firstShare)
	n := int(math.Ceil(math.Log(rareRow) / math.Log(min(share, 0.9))))
	return max(leastInARow, min(n, mostInARow)) << min(u.alarms, 10)
}

// end takes the row for true.
func (u *unknowns) end() {
	u.answers, u.refused, u.row = u.answers+len(u.row), u.refused+len(u.row), nil
}

// known takes in an answer.
func (c *Client) known(r api.Request, a Answer) {
	if !r.Operation.IsLookup() || a.Rows == 0 {
		return
	}
	u := c.unknowns[r.Operation.Name]
	u.turn <- struct{}{}
	defer func() { <-u.turn }()
	u.end()
	u.answers++
	u.found, u.away = &r, false
}

// believed reports whether an answer that no other try would change is taken as it is.
func (c *Client) believed(ctx context.Context, r api.Request, err *Error) bool {
	if err.verdict() != Skip {
		return true
	}
	u := c.unknowns[r.Operation.Name]
	u.turn <- struct{}{}
	defer func() { <-u.turn }()
	if u.away {
		return false
	}
	u.row = append(u.row, r)
	if len(u.row) <= u.likely() {
		return true
	}
	if c.finds(ctx, u.found) {
		u.end()
		u.alarms++
		return true
	}
	c.service.Log.Warn("the service knows no vessel any more: the last lookups are asked again when it does",
		"endpoint", r.Operation.Name, "lookups", len(u.row))
	u.away, u.again, u.row = true, append(u.again, u.row[:len(u.row)-1]...), nil // Send tries r again
	return false
}

// finds reports whether the service finds a vessel that it found before; without one, whether the
// free call is answered. Where there are no credits to ask, it is taken to.
func (c *Client) finds(ctx context.Context, known *api.Request) bool {
	if known == nil {
		_, err := c.Balance(ctx)
		return err == nil || c.before() == nil
	}
	a, err := c.once(ctx, *known)
	return err == nil && a.Rows > 0 || errors.Is(err, ErrBudget)
}

// lost reports whether the operation is held because the service knew no vessel any more.
func (c *Client) lost(o api.Operation) bool {
	u := c.unknowns[o.Name]
	u.turn <- struct{}{}
	defer func() { <-u.turn }()
	return u.away
}

// foundAgain asks whether the service knows vessels again.
func (c *Client) foundAgain(ctx context.Context, o api.Operation) bool {
	u := c.unknowns[o.Name]
	u.turn <- struct{}{}
	defer func() { <-u.turn }()
	u.away = !c.finds(ctx, u.found)
	return !u.away
}

// Doubted returns, once, the lookups that were said to be of unknown vessels while the service was
// away, and are to be asked again.
func (c *Client) Doubted(o api.Operation) []api.Request {
	u := c.unknowns[o.Name]
	u.turn <- struct{}{}
	defer func() { <-u.turn }()
	again := u.again
	u.again = nil
	return again
}
