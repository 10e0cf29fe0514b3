package simulator

import (
	"sync"
	"time"
)

// limiter counts the requests for one operation against its limit per minute. All requests
// come with the same key, so that a limit per key and one per service are the same.
type limiter struct {
	window Window
	limit  int // requests per minute; negative is no limit

	mu       sync.Mutex
	admitted []time.Time // moving window: when each request of the last minute came, oldest first
	start    time.Time   // fixed window: the current minute
	count    int         // fixed window: requests admitted in it
}

// newLimiters returns the limiter of each operation, by its name.
func newLimiters(c Config) map[string]*limiter {
	limiters := make(map[string]*limiter)
	for _, o := range operations {
		limiters[o.Name] = &limiter{window: c.Window, limit: c.limit(o)}
	}
	return limiters
}

// admit counts a request at now if the window allows it; else it returns how long until the
// window opens. A request that is not admitted is not counted.
func (l *limiter) admit(now time.Time) (ok bool, wait time.Duration) {
	if l.limit < 0 {
		return true, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.window == MovingWindow {
		return l.admitMoving(now)
	}
	if minute := now.Truncate(time.Minute); !minute.Equal(l.start) {
		l.start, l.count = minute, 0
	}
	if l.count >= l.limit {
		return false, l.start.Add(time.Minute).Sub(now)
	}
	l.count++
	return true, 0
}

// admitMoving is admit for a moving window.
func (l *limiter) admitMoving(now time.Time) (bool, time.Duration) {
	for len(l.admitted) > 0 && now.Sub(l.admitted[0]) >= time.Minute {
		l.admitted = l.admitted[1:]
	}
	if len(l.admitted) >= l.limit {
		return false, l.admitted[0].Add(time.Minute).Sub(now)
	}
	l.admitted = append(l.admitted, now)
	return true, 0
}
