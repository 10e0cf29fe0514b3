package simulator

import "sync"

// cache keeps the rendered pages of one day, up to a number of bytes. A page that does not
// fit is rendered for each request.
type cache struct {
	mu        sync.RWMutex
	bytesLeft int
	pages     map[string]page
}

// page is the rendered answer of a search.
type page struct {
	body []byte
	rows int
}

// newCache returns an empty cache for a number of bytes.
func newCache(room int) *cache { return &cache{bytesLeft: room, pages: map[string]page{}} }

// get returns the page for a key: the cached one, or else the one that render makes now.
func (c *cache) get(key string, render func() page) page {
	c.mu.RLock()
	p, ok := c.pages[key]
	c.mu.RUnlock()
	if ok {
		return p
	}
	p = render()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.pages[key]; !ok && len(p.body) <= c.bytesLeft {
		c.bytesLeft -= len(p.body)
		c.pages[key] = p
	}
	return p
}
