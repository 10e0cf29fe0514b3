package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/goccy/go-json"
	"github.com/klauspost/compress/zstd"
)

// Extension ends the name of every segment.
const Extension = ".ndjson.zst"

// Segment is the journal of one run, open for appending. It is safe for concurrent use.
type Segment struct {
	path    string
	reserve *reserve

	mu   sync.Mutex // held while an entry is made and written, so that N is the order on disk
	f    *os.File
	enc  *zstd.Encoder
	n    int
	size int64
	err  error // what broke the file: nothing is appended after that

	syncing sync.Mutex // held by the one fsync that serves all who wait
	synced  int64
}

// Path returns where the segment of a run lies below a journal directory.
func Path(root, date, run string) string {
	return filepath.Join(root, date, run+Extension)
}

// Create starts the segment of a run with its plan. It takes a reserve of disk space, so
// that answers in the air can be kept when the disk fills up during the run.
func Create(root string, plan Entry) (*Segment, error) {
	if plan.Plan == nil {
		return nil, errors.New("create segment: the first entry must be a plan")
	}
	path := Path(root, plan.Plan.Date, plan.Plan.Run)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create segment: %w", err)
	}
	r, err := takeReserve(filepath.Join(root, ".reserve"))
	if err != nil {
		return nil, fmt.Errorf("reserve disk space for answers: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create segment: %w", err), r.release())
	}
	s := &Segment{path: path, reserve: r, f: f, enc: newEncoder()}
	if _, err := s.Append(plan); err != nil {
		return nil, errors.Join(err, s.Close(), os.Remove(path))
	}
	return s, syncDir(filepath.Dir(path))
}

// Reopen opens a segment that a crash left without an end, cuts its torn tail, and returns
// it ready for appending. The number of bytes cut is returned too.
func Reopen(path string) (*Segment, int64, error) {
	var n int
	size := int64(0)
	r, err := open(path)
	if err != nil {
		return nil, 0, err
	}
	for _, err := range r.entries() {
		if err != nil {
			r.close()
			return nil, 0, err
		}
		n, size = n+1, r.offset
	}
	cut := r.torn
	r.close()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, fmt.Errorf("reopen segment: %w", err)
	}
	if cut > 0 {
		if err := errors.Join(f.Truncate(size), f.Sync()); err != nil {
			return nil, 0, errors.Join(fmt.Errorf("cut torn tail of %s at %d: %w", path, size, err), f.Close())
		}
	}
	return &Segment{path: path, f: f, enc: newEncoder(), n: n, size: size, synced: size}, cut, nil
}

// Path returns where the segment lies.
func (s *Segment) Path() string { return s.path }

// Append writes an entry and returns it, with its number, when it is on disk. After an
// error that left the file in doubt, every later Append fails too.
func (s *Segment) Append(e Entry) (Entry, error) {
	end, err := s.write(&e)
	if err != nil {
		return e, fmt.Errorf("append to %s: %w", s.path, err)
	}
	if err := s.sync(end); err != nil {
		return e, fmt.Errorf("sync %s: %w", s.path, err)
	}
	return e, nil
}

// Close closes the file and gives the reserved space back.
func (s *Segment) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = os.ErrClosed
	}
	return errors.Join(s.f.Close(), s.enc.Close(), s.reserve.release())
}

// write appends one frame and returns where it ends.
func (s *Segment) write(e *Entry) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	e.N = s.n
	frame, err := s.frameOf(e)
	if err != nil {
		return 0, err
	}
	if err := s.put(frame); err != nil {
		return 0, err
	}
	s.n++
	s.size += int64(len(frame))
	return s.size, nil
}

// frameOf makes the line and the frame of an entry.
func (s *Segment) frameOf(e *Entry) ([]byte, error) {
	line, err := json.MarshalWithOption(e, json.DisableHTMLEscape())
	if err != nil {
		return nil, err
	}
	return s.enc.EncodeAll(append(line, '\n'), nil), nil
}

// put writes a frame whole or not at all. When the disk is full it gives the reserve up,
// so that this frame and those of the other requests in the air still find room.
func (s *Segment) put(frame []byte) error {
	_, err := s.f.Write(frame)
	if errors.Is(err, syscall.ENOSPC) && s.reserve.spend() {
		if err = s.f.Truncate(s.size); err == nil {
			_, err = s.f.Write(frame)
		}
	}
	if err != nil {
		s.err = errors.Join(err, s.f.Truncate(s.size))
	}
	return err
}

// Full reports whether the reserve had to be used: no new request should be sent.
func (s *Segment) Full() bool { return s.reserve.spent() }

// sync returns when everything up to end is on disk. One fsync serves all who wait.
func (s *Segment) sync(end int64) error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	if s.synced >= end {
		return nil
	}
	s.mu.Lock()
	written := s.size
	s.mu.Unlock()
	if err := s.f.Sync(); err != nil {
		// What a failed fsync left on disk cannot be known: the file is not used again.
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		return err
	}
	s.synced = written
	return nil
}

// syncDir makes new names in a directory survive a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
