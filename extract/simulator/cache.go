package simulator

import "sync"

// cache keeps the answers of one day, up to a number of bytes. What does not fit is made
// again each time.
type cache struct {
	mu   sync.RWMutex
	room int
	kept map[string]page
}

// page is a rendered answer of a search.
type page struct {
	body []byte
	rows int
}

func newCache(room int) *cache { return &cache{room: room, kept: map[string]page{}} }

// get returns the answer for a key, from the cache or made now.
func (c *cache) get(key string, render func() page) page {
	c.mu.RLock()
	p, ok := c.kept[key]
	c.mu.RUnlock()
	if ok {
		return p
	}
	p = render()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[key]; !ok && len(p.body) <= c.room {
		c.room -= len(p.body)
		c.kept[key] = p
	}
	return p
}
