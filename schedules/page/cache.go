package page

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// What reading a published file may take. It runs beside a harvest and must not starve it.
const (
	readMemoryMiB = 256
	readThreads   = 1
	readWithin    = 30 * time.Second
	tryAgain      = 10 * time.Second // after a file that could not be read
	keptRuns      = 16               // stories of single runs
)

// cache keeps the stories of the published file. A file that was replaced is another file: its
// identity is looked at for each request, which is cheap, and the file itself is read once.
type cache struct {
	dir     string
	mu      sync.Mutex // held while reading, so that one reads and the others wait
	file    os.FileInfo
	date    string // the stories count what was spent today
	entries map[string]cacheEntry
}

// cacheEntry is a story, or why there is none.
type cacheEntry struct {
	night *NightReport // nil in an empty warehouse
	err   error
	at    time.Time
}

// night returns the story of the newest night, or of a run.
func (s *cache) night(ctx context.Context, id string, now time.Time) (*NightReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.Stat(warehouse.Path(s.dir))
	if err != nil {
		s.file = nil // opening says what is wrong in words
	}
	date := now.UTC().Format(time.DateOnly)
	if !sameFile(file, s.file) || date != s.date || len(s.entries) > keptRuns {
		s.file, s.date, s.entries = file, date, map[string]cacheEntry{}
	}
	b, known := s.entries[id]
	if !known || b.err != nil && now.Sub(b.at).Abs() >= tryAgain {
		b.night, b.err = readNight(ctx, s.dir, id, now)
		b.at = now
		s.entries[id] = b
	}
	return b.night, b.err
}

func sameFile(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// readNight opens the published file, reads and closes it. A client that goes away does not
// end it, because others wait for the same story.
func readNight(ctx context.Context, dir, id string, now time.Time) (s *NightReport, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readWithin)
	defer cancel()
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: readMemoryMiB, Threads: readThreads, Confine: []string{}})
	if err != nil {
		return nil, err
	}
	defer w.Close() // of a file that was only read
	return nightReport(ctx, w, id, now)
}

// fresh is how long one rendering of the status page serves all who ask.
const sharedFor = time.Second

// shared keeps the bytes of the status page for a second: many clients at once, and slow ones,
// share one copy.
type shared struct {
	mu     sync.Mutex
	body   []byte
	status int
	at     time.Time
}

// get returns the page, made anew if the last is too old.
func (s *shared) get(now time.Time, render func() (int, []byte)) (int, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.body == nil || now.Sub(s.at).Abs() >= sharedFor {
		s.status, s.body = render()
		s.at = now
	}
	return s.status, s.body
}

// forget makes the next page show what an action has done.
func (s *shared) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = nil
}
