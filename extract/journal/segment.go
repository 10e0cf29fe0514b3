package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/fleetlake/fleetlake/warehouse/durable"
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
	line bytes.Buffer // of the entry that is being written; reused
	out  []byte       // its frame; reused
	n    int
	safe int // entries that are on disk
	size int64
	err  error // the error that left the file in doubt: nothing is appended after it

	syncing  sync.Mutex // held by the one fsync that serves all waiting callers
	synced   int64
	unsynced error // of the first fsync that failed; the kernel reports a failure only once

	write func([]byte) error // appends to the file; tests replace it
	fsync func() error       // of the file; tests replace it
}

// Path returns the path of the segment of a run below a journal directory. The date is the snapshot
// date, YYYY-MM-DD.
func Path(root, date, run string) string {
	return filepath.Join(root, date, run+Extension)
}

// Create starts the segment of a run with its plan. It takes a reserve of disk space, so that the
// answers in flight can be kept when the disk fills up during the run. It returns an error if the
// run has a segment already, or if the disk has no room for the reserve.
func Create(root string, plan Entry) (*Segment, error) {
	if plan.Plan == nil {
		return nil, errors.New("create segment: the first entry must be a plan")
	}
	path := Path(root, plan.Plan.Date, plan.Plan.Run)
	if err := durable.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, fmt.Errorf("create segment: %w", err)
	}
	r, err := takeReserve(reservePath(root))
	if err != nil {
		return nil, fmt.Errorf("reserve disk space for answers: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, fileMode)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create segment: %w", err), r.release())
	}
	s := newSegment(path, f)
	s.reserve = r
	if _, err = s.Append(plan); err == nil {
		err = durable.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(), os.Remove(path))
	}
	return s, nil
}

func newSegment(path string, f *os.File) *Segment {
	s := &Segment{path: path, f: f, enc: newEncoder()}
	s.write = func(b []byte) error { _, err := f.Write(b); return err }
	s.fsync = f.Sync
	return s
}

// Reopen opens a segment that a crash left without an end, cuts its torn tail, and returns
// it ready for appending, with the number of bytes that it cut. It first repairs torn entries that
// whole ones follow, as a loss of power leaves them, like Salvage does. Other damage is ErrDamaged.
func Reopen(path string) (*Segment, int64, error) {
	r, err := open(path)
	if err != nil {
		return nil, 0, err
	}
	size := int64(0)
	for _, err := range r.entries() {
		if err != nil {
			r.close()
			return nil, 0, err
		}
		size = r.offset
	}
	n, cut, holes := r.n, r.torn, r.skipped
	r.close()
	if holes > 0 {
		if _, err := Salvage(path, Plan{}); err != nil {
			return nil, 0, err
		}
		s, torn, err := Reopen(path)
		return s, holes + cut + torn, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return nil, 0, fmt.Errorf("reopen segment: %w", err)
	}
	if cut > 0 {
		if err := f.Truncate(size); err != nil {
			return nil, 0, errors.Join(fmt.Errorf("cut torn tail of %s at %d: %w", path, size, err), f.Close())
		}
	}
	if err := f.Sync(); err != nil { // entries of the process before may not be on disk
		return nil, 0, errors.Join(fmt.Errorf("sync %s: %w", path, err), f.Close())
	}
	s := newSegment(path, f)
	s.n, s.safe, s.size, s.synced = n, n, size, size
	return s, cut, nil
}

// Path returns the path of the segment.
func (s *Segment) Path() string { return s.path }

// Append writes an entry and returns it, with its number, when it is on disk. After an error that
// left the file in doubt, every later Append returns it too.
func (s *Segment) Append(e Entry) (Entry, error) {
	end, err := s.add(&e)
	if err != nil {
		return e, fmt.Errorf("append to %s: %w", s.path, err)
	}
	if err := s.sync(end); err != nil {
		return e, err // it has the path
	}
	return e, nil
}

// Close closes the file and frees the reserved disk space. A later Append returns os.ErrClosed.
func (s *Segment) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = os.ErrClosed
	}
	return errors.Join(s.f.Close(), s.enc.Close(), s.reserve.release())
}

// add appends one frame and returns where it ends.
func (s *Segment) add(e *Entry) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	e.N, e.Safe = s.n, s.safe
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

// mostKept is the size up to which the buffers of a segment are kept for the next entry: four times a
// page of listings.
const mostKept = 128 << 10

// frameOf makes the line and the frame of an entry. The frame is valid until the next call.
func (s *Segment) frameOf(e *Entry) ([]byte, error) {
	if s.line.Cap() > mostKept || cap(s.out) > mostKept {
		s.line, s.out = bytes.Buffer{}, nil
	}
	s.line.Reset()
	lines := json.NewEncoder(&s.line)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(e); err != nil { // it ends the line
		return nil, err
	}
	s.out = s.enc.EncodeAll(s.line.Bytes(), s.out[:0])
	return s.out, nil
}

// put writes a whole frame or nothing. When the disk is full it gives the reserve up, so that there
// is room for this frame and those of the other requests in flight.
func (s *Segment) put(frame []byte) error {
	err := s.write(frame)
	if full(err) && s.reserve.spend(err) {
		if err = s.f.Truncate(s.size); err == nil {
			err = s.write(frame)
		}
	}
	if err != nil {
		s.err = errors.Join(err, s.f.Truncate(s.size))
	}
	return err
}

// full reports whether an error means that the disk, or a quota, is full.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Full returns the error of the full disk, or quota, that used up the reserve, with the path: the caller should
// send no new request. It is nil while the reserve is there.
func (s *Segment) Full() error { return s.reserve.spent() }

// ErrGone reports that a segment is no longer where it was created: the data directory was removed, renamed
// or unmounted while a run writes to it. What is appended now may never be found again.
var ErrGone = errors.New("the journal is no longer in its place: the data directory was removed, renamed or " +
	"unmounted during the run, and no request is sent whose answer may be lost")

// InPlace returns ErrGone if the path of the segment no longer names its file: the caller should send no new request.
func (s *Segment) InPlace() error {
	own, err := s.f.Stat()
	if err != nil {
		return fmt.Errorf("look at the journal: %w", err)
	}
	named, err := os.Stat(s.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrGone, err) // the error has the path
	case err != nil:
		return fmt.Errorf("look at the journal: %w", err)
	case !os.SameFile(own, named):
		return fmt.Errorf("%w: %s is another file", ErrGone, s.path)
	}
	return nil
}

// sync returns when everything up to end is on disk. One fsync serves all callers that wait. After
// a failed fsync it is unknown what is on disk, and the next one would succeed without writing it:
// so all callers get the error of the first failure, now and later.
func (s *Segment) sync(end int64) error {
	s.syncing.Lock()
	defer s.syncing.Unlock()
	if s.synced >= end {
		return nil
	}
	if s.unsynced != nil {
		return s.unsynced
	}
	s.mu.Lock()
	size, n := s.size, s.n
	s.mu.Unlock()
	err := s.fsync()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.unsynced, s.err = err, err
		if full(err) { // some file systems allocate only now
			s.reserve.spend(err) // room for the end of the run, which the next start writes
		}
		return err
	}
	s.synced, s.safe = size, n
	return nil
}

// Permissions of a journal: its owner may write it and its group may read it.
const (
	fileMode = 0o640
	dirMode  = 0o750
)
