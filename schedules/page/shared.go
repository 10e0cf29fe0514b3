package page

import (
	"sync"
	"time"
)

// sharedFor is how long one rendering of the status page serves all clients.
const sharedFor = time.Second

// shared keeps the bytes of the status page for a second: many clients at once, and slow ones,
// share one copy.
type shared struct {
	mu     sync.Mutex
	body   []byte
	status int
	at     time.Time
}

// get returns the page, rendered again if the last rendering is too old.
func (s *shared) get(now time.Time, render func() (int, []byte)) (int, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.body == nil || now.Sub(s.at).Abs() >= sharedFor {
		s.status, s.body = render()
		s.at = now
	}
	return s.status, s.body
}

// forget drops the rendering, so that the next page shows what an action has done.
func (s *shared) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = nil
}
