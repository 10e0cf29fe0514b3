package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// ErrDamaged reports that a segment contains bytes that are not entries, and that whole entries
// follow them. No entry of the file is used until a person has looked at it.
var ErrDamaged = errors.New("journal segment is damaged")

// Read yields the entries of a segment in order. It ends at a torn tail without an error, and at
// other damage with ErrDamaged, wrapped with file and offset. It also yields the errors of opening
// and reading the file.
func Read(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		r, err := open(path)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer r.close()
		for e, err := range r.entries() {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Segments returns the paths of all segments below a journal directory, oldest run first; none if the directory does
// not exist.
func Segments(root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, Extension) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list journal: %w", err)
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	return paths, nil
}

// RunOf returns the id of the run whose segment lies at path.
func RunOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), Extension)
}

// reader reads the frames of one file through a buffer with room for at least one frame.
type reader struct {
	f       *os.File
	dec     *zstd.Decoder
	buf     []byte // bytes read and not yet decoded
	eof     bool
	offset  int64 // where the next frame starts
	n       int   // of the next entry
	torn    int64 // bytes of a torn tail
	buffers scratch

	skipped int64 // bytes that a loss of power left torn before whole entries
}

func open(path string) (*reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	return &reader{f: f, dec: newDecoder()}, nil
}

func (r *reader) close() {
	r.dec.Close()
	r.f.Close()
}

// entries yields each entry. While it does, offset is where the entry ends.
func (r *reader) entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			e, err := r.next()
			if err == io.EOF {
				return
			}
			if err == nil && e.N != r.n {
				err = fmt.Errorf("%w: %s at byte %d: entry %d where %d was expected", ErrDamaged, r.f.Name(), r.offset, e.N, r.n)
			}
			if !yield(e, err) || err != nil {
				return
			}
			r.n = e.after()
		}
	}
}

// after is the number of the entry that follows.
func (e Entry) after() int {
	if e.Lost != nil {
		return e.N + e.Lost.Entries
	}
	return e.N + 1
}

// next returns the next entry, or io.EOF at the end or at a torn tail.
func (r *reader) next() (Entry, error) {
	size, err := r.frame()
	if err == nil && size == 0 {
		return Entry{}, io.EOF
	}
	var e Entry
	if err == nil {
		e, err = entryOf(r.dec, r.buf[:size], &r.buffers)
	}
	if err != nil {
		if err := r.damage(err); err != nil {
			return Entry{}, err
		}
		return r.next() // after the hole
	}
	r.buf = r.buf[size:]
	r.offset += int64(size)
	return e, nil
}

// scratch has the buffers of a decoded entry, which the next one overwrites.
type scratch struct{ line, body []byte }

// entryOf decodes a frame.
func entryOf(d *zstd.Decoder, frame []byte, to *scratch) (Entry, error) {
	line, err := d.DecodeAll(frame, to.line[:0])
	if err != nil {
		return Entry{}, err
	}
	to.line = line
	return readLine(line, &to.body)
}

// frame returns the size of the frame at the start of the buffer, after reading the whole frame
// into it; 0 at the end of the file.
func (r *reader) frame() (int, error) {
	for {
		if len(r.buf) > 0 {
			size, err := frameSize(r.buf)
			if err == nil || r.eof {
				return size, err
			}
		} else if r.eof {
			return 0, nil
		}
		if err := r.more(); err != nil {
			return 0, err
		}
	}
}

// more reads at least as many further bytes as the buffer has.
func (r *reader) more() error {
	grown := make([]byte, len(r.buf), max(64<<10, 2*len(r.buf)))
	copy(grown, r.buf)
	n, err := io.ReadFull(r.f, grown[len(grown):cap(grown)])
	r.buf = grown[:len(grown)+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		r.eof, err = true, nil
	}
	return err
}

// damage classifies unreadable bytes. It returns io.EOF for the torn tail of a crash, nil for a hole
// that a loss of power left among entries that were not on disk, after skipping it, and ErrDamaged
// for anything else.
func (r *reader) damage(cause error) error {
	rest, err := io.ReadAll(r.f)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.f.Name(), err)
	}
	r.buf, r.eof = append(r.buf, rest...), true
	behind := wholeIn(r.buf[1:], r.dec)
	started := r.offset > 0 || errors.Is(cause, errTorn) // else it may never have been a segment
	switch {
	case started && len(behind) == 0:
		r.torn = int64(len(r.buf))
		return io.EOF
	case r.leftByPowerLoss(behind):
		at := 1 + behind[0].at
		r.skipped, r.offset, r.n = r.skipped+int64(at), r.offset+int64(at), behind[0].entry.N
		r.buf = r.buf[at:]
		return nil
	}
	return fmt.Errorf("%w: %s at byte %d: %w", ErrDamaged, r.f.Name(), r.offset, cause)
}

// leftByPowerLoss reports whether the missing entry was not yet on disk when each of those after it
// was written. Then its Append never returned.
func (r *reader) leftByPowerLoss(behind []whole) bool {
	last := r.n
	for _, w := range behind {
		if w.entry.N <= last || w.entry.Safe == 0 || w.entry.Safe > r.n {
			return false
		}
		last = w.entry.N
	}
	return len(behind) > 0
}
