package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/warehouse"
)

// maxTurns is how often current.json is made again if a night was published meanwhile.
const maxTurns = 5

// maxSeen is how many files are remembered: more than are kept.
const maxSeen = 32

// current is the content of current.json.
type current struct {
	version                // the newest
	SnapshotDate string    `json:"snapshot_date"` // its latest
	Versions     []version `json:"versions"`      // those that are kept, the latest first
}

// version is a file that is offered.
type version struct {
	Run      string    `json:"run"` // its latest
	Bytes    int64     `json:"bytes"`
	ETag     string    `json:"etag"`
	Modified time.Time `json:"modified"`
	URL      string    `json:"url"` // on this server
}

// sendCurrent sends current.json.
func (s *sharer) sendCurrent(w http.ResponseWriter, r *http.Request) {
	s.reading.Lock() // one reads and the others wait, so that a file is opened once
	c, err := s.current(r.Context())
	s.reading.Unlock()
	if err != nil {
		s.refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		s.log.Debug("current.json not sent", "error", err) // the client has gone
	}
}

// current reads what is published now.
func (s *sharer) current(ctx context.Context) (current, error) {
	for range maxTurns {
		c, again, err := s.currentOnce(ctx)
		if err != nil || !again {
			return c, err
		}
	}
	return current{}, errors.New("the warehouse was replaced again and again while it was read")
}

// currentOnce reads what is published. It reports whether that was replaced meanwhile.
func (s *sharer) currentOnce(ctx context.Context) (c current, again bool, err error) {
	path := warehouse.Path(s.dir)
	newest, err := s.lookAt(path)
	if err != nil {
		return c, false, err
	}
	if c.Run, c.SnapshotDate, err = s.latestRun(ctx, path, newest); err != nil {
		return c, false, err
	}
	if info, err := os.Stat(path); err != nil || !os.SameFile(info, newest.info) {
		return c, true, nil
	}
	c.version = version{c.Run, newest.info.Size(), newest.etag, newest.info.ModTime().UTC(), Prefix + newestName}
	offered, err := warehouse.Offered(s.dir)
	if err != nil {
		return c, false, err
	}
	c.Versions = []version{}
	for _, v := range offered {
		f, err := s.lookAt(v.Path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errChanged) {
			continue // it was removed meanwhile, or is not sent
		}
		if err != nil {
			return c, false, err
		}
		one := version{v.Run, f.info.Size(), f.etag, f.info.ModTime().UTC(), Prefix + versionName(v.Run)}
		c.Versions = append(c.Versions, one)
		if f.etag == newest.etag && c.URL == Prefix+newestName {
			c.URL = one.URL
		}
	}
	return c, false, nil
}

// file is what is known of a file that was read. The file is recognised by its identity, size and
// time, so that its blocks are read once.
type file struct {
	info      fs.FileInfo
	etag      string
	run, date string // the latest; empty until current.json needs them
}

func (f file) is(info fs.FileInfo) bool {
	return os.SameFile(f.info, info) && f.info.Size() == info.Size() && f.info.ModTime().Equal(info.ModTime())
}

// lookAt is look for the file of a path.
func (s *sharer) lookAt(path string) (file, error) {
	f, err := os.Open(path)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	return s.look(f)
}

// look returns what is known of an open file. It returns errChanged for one that was not published.
func (s *sharer) look(f *os.File) (file, error) {
	info, err := f.Stat()
	if err != nil {
		return file{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.seen, func(known file) bool { return known.is(info) }); i >= 0 {
		return s.seen[i], nil
	}
	print, err := warehouse.Fingerprint(f)
	if err != nil {
		return file{}, err
	}
	if ok, err := warehouse.IsPublished(s.dir, print); err != nil {
		return file{}, err
	} else if !ok {
		return file{}, fmt.Errorf("%s: %w", f.Name(), errChanged)
	}
	known := file{info: info, etag: etagOf(print)}
	s.seen = append(s.seen[max(0, len(s.seen)+1-maxSeen):], known)
	return known, nil
}

// latestRun returns the latest run and snapshot date of the newest file, which is opened once.
func (s *sharer) latestRun(ctx context.Context, path string, newest file) (run, date string, err error) {
	if newest.date != "" {
		return newest.run, newest.date, nil
	}
	ctx, cancel := context.WithTimeout(ctx, times.Read)
	defer cancel()
	run, date, err = warehouse.LatestRun(ctx, path)
	if err != nil {
		return "", "", err
	}
	if info, err := os.Stat(path); err != nil || !newest.is(info) {
		return run, date, nil // of another file
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.seen {
		if s.seen[i].is(newest.info) {
			s.seen[i].run, s.seen[i].date = run, date
		}
	}
	return run, date, nil
}

// etagOf makes a strong ETag of a fingerprint: size and SHA-256.
func etagOf(fingerprint string) string {
	return `"` + strings.ReplaceAll(fingerprint, " ", "-") + `"`
}
