package simulator

import (
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract"
)

// gate holds the requests of an operation to its limit per minute. All of them are of one
// key, so that a limit per key and one per service are the same here.
type gate struct {
	window Window
	limit  int // negative is none

	mu    sync.Mutex
	taken []time.Time // moving window: the places taken, oldest first
	start time.Time   // fixed window: the minute
	count int         // fixed window: the places taken in it
}

func newGates(c Config) map[string]*gate {
	gates := make(map[string]*gate)
	for _, o := range extract.Operations {
		gates[o.Name] = &gate{window: c.Window, limit: c.limit(o)}
	}
	return gates
}

// take takes a place in the window, or says how long until there is one. A request that is
// refused takes none.
func (g *gate) take(now time.Time) (ok bool, wait time.Duration) {
	if g.limit < 0 {
		return true, 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.window == MovingWindow {
		return g.takeMoving(now)
	}
	if minute := now.Truncate(time.Minute); !minute.Equal(g.start) {
		g.start, g.count = minute, 0
	}
	if g.count >= g.limit {
		return false, g.start.Add(time.Minute).Sub(now)
	}
	g.count++
	return true, 0
}

func (g *gate) takeMoving(now time.Time) (bool, time.Duration) {
	for len(g.taken) > 0 && now.Sub(g.taken[0]) >= time.Minute {
		g.taken = g.taken[1:]
	}
	if len(g.taken) >= g.limit {
		return false, g.taken[0].Add(time.Minute).Sub(now)
	}
	g.taken = append(g.taken, now)
	return true, 0
}
