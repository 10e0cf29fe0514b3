package flight

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Bytes that are read of answers before clients read them: of one, and of all. An answer that fits leaves its process to
// other queries at once: a dashboard reads its panels one after the other, and would wait for places that it holds itself.
const (
	aheadOfOne = 4 << 20
	aheadOfAll = 64 << 20
)

// ahead is the beginning of an answer.
type ahead struct {
	records []arrow.Record
	err     error // that came after them: io.EOF if they are the whole answer, nil if more follows
}

// readAhead reads the beginning of an answer, and ends its query if that is all of it. The caller calls done when it has
// sent it.
func (s *service) readAhead(a *worker.Answer) (first *ahead, done func()) {
	first = &ahead{}
	if !s.ahead.TryAcquire(aheadOfOne) {
		return first, func() {}
	}
	done = func() {
		for _, r := range first.records {
			r.Release()
		}
		s.ahead.Release(aheadOfOne)
	}
	for size := int64(0); size < aheadOfOne && first.err == nil; {
		var r arrow.Record
		if r, first.err = a.Next(); first.err == nil {
			r.Retain() // the next one replaces it
			for _, c := range r.Columns() {
				size += int64(c.Data().SizeInBytes())
			}
			first.records = append(first.records, r)
		}
	}
	if errors.Is(first.err, io.EOF) {
		if err := a.Close(); err != nil {
			first.err = err
		}
	}
	return first, done
}

// next is the next record of an answer, which the caller releases.
func (f *ahead) next(a *worker.Answer) (arrow.Record, error) {
	if len(f.records) > 0 {
		r := f.records[0]
		f.records = f.records[1:]
		return r, nil
	}
	if f.err != nil {
		return nil, f.err
	}
	r, err := a.Next()
	if err == nil {
		r.Retain() // the next one replaces it
	}
	return r, err
}
