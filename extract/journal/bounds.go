package journal

import (
	"errors"
	"io"
	"time"
)

// Bounds returns the plan and the end of a segment: nil without error where the run has none. It decodes these two
// entries only. A plan that cannot be read is an error.
func Bounds(path string) (*Plan, *End, error) {
	r, err := open(path)
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	first, err := r.next()
	if err != nil || first.Plan == nil {
		return nil, nil, ignoreEOF(err)
	}
	var last, before []byte
	for {
		size, err := r.frame()
		if size == 0 || err != nil { // the end of the file, or torn or damaged bytes, which Read reports
			break
		}
		before, last = last, append(before[:0], r.buf[:size]...)
		r.buf, r.offset = r.buf[size:], r.offset+int64(size)
	}
	if last == nil {
		return first.Plan, nil, nil
	}
	e, err := entryOf(r.dec, last, &r.buffers)
	if err == nil && e.Kind == KindAccept && before != nil {
		e, err = entryOf(r.dec, before, &r.buffers)
	}
	if err != nil {
		return first.Plan, nil, nil // the last frame is torn: there is no end
	}
	return first.Plan, e.End, nil
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Accept appends to an ended segment that a person accepts the run's issues, so that every later rebuild of the
// segment is published too.
func Accept(path string, at time.Time) error {
	s, _, err := Reopen(path)
	if err != nil {
		return err
	}
	_, err = s.Append(Entry{Kind: KindAccept, At: at})
	return errors.Join(err, s.Close())
}
