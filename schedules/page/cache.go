package page

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Limits of reading a published file: the read runs beside a harvest and must not starve it.
const (
	readMemoryMiB = 256
	readThreads   = 1
	readTimeout   = 30 * time.Second
	retryAfter    = 10 * time.Second // after a file that could not be read
	maxReports    = 16               // of single runs
)

// cache keeps the reports that were read from the published file. Each request checks the identity
// of the file, which is cheap; the file is read again only when it was replaced.
type cache struct {
	dir     string
	mu      sync.Mutex // locked while reading, so that one reads and the others wait
	file    os.FileInfo
	date    string // the UTC day; reports count what was spent today
	entries map[string]cacheEntry
}

// cacheEntry is a report, or why there is none.
type cacheEntry struct {
	night *NightReport // nil in an empty warehouse
	err   error
	at    time.Time
}

// night returns the report of the newest night, or of the night of run id; nil in an empty
// warehouse. Its errors are those of warehouse.Open and nightReport.
func (c *cache) night(ctx context.Context, id string, now time.Time) (*NightReport, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	file, err := os.Stat(warehouse.Path(c.dir))
	if err != nil {
		c.file = nil // opening says what is wrong in words
	}
	date := now.UTC().Format(time.DateOnly)
	if !sameFile(file, c.file) || date != c.date || len(c.entries) > maxReports {
		c.file, c.date, c.entries = file, date, map[string]cacheEntry{}
	}
	e, known := c.entries[id]
	if !known || e.err != nil && now.Sub(e.at).Abs() >= retryAfter {
		e.night, e.err = readNight(ctx, c.dir, id, now)
		e.at = now
		c.entries[id] = e
	}
	return e.night, e.err
}

func sameFile(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// readNight opens, reads and closes the published file. A client that disconnects does not
// cancel the read, because others wait for the same report.
func readNight(ctx context.Context, dir, id string, now time.Time) (report *NightReport, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: readMemoryMiB, Threads: readThreads, Confine: []string{}})
	if err != nil {
		return nil, err
	}
	defer w.Close() // of a file that was only read
	return nightReport(ctx, w, id, now)
}

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
