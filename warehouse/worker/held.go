package worker

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Sizes of an answer that a process may not exceed, whatever it is asked: of a row, of the names of all columns, and of
// what the pool's process holds of an answer at a time.
const (
	maxRow    = 16 << 20
	maxSchema = 1 << 20
	maxHeld   = 64 << 20
)

// elementBytes is what an element of a list or struct counts at least: written as text or Parquet it takes that and more,
// and as Arrow a BOOLEAN takes a bit.
const elementBytes = 16

// elements counts the elements of lists and structs, at any depth, in some rows of a column.
func elements(column arrow.Array, from, to int64) (n int64) {
	if from >= to {
		return 0
	}
	switch c := column.(type) {
	case array.ListLike:
		first, _ := c.ValueOffsets(int(from))
		_, last := c.ValueOffsets(int(to - 1))
		return max(last-first, 0) + elements(c.ListValues(), first, last)
	case *array.Struct:
		for i := range c.NumField() {
			n += to - from + elements(c.Field(i), from, to)
		}
	}
	return n
}

// weight is what some rows of a record take at least, when they are written.
func weight(record arrow.Record, from, to int64) (n int64) {
	for _, c := range record.Columns() {
		n += elements(c, from, to)
	}
	return n * elementBytes
}

// errLargeRow is the error of rows that are too large.
var errLargeRow = fmt.Errorf("%w: more than %d MiB in one row, or in a few; select fewer columns, or a part of a text or list",
	ErrBytes, maxRow>>20)

// held counts what is held of an answer. A message says how large it is before it comes, and may say anything: beyond
// the limit it panics, which Arrow's reader makes an error of.
type held struct{ bytes atomic.Int64 }

func (h *held) count(n int) {
	if h.bytes.Add(int64(n)) > maxHeld {
		h.bytes.Add(-int64(n))
		panic(fmt.Errorf("%w: more than %d MiB at a time", ErrBytes, maxHeld>>20))
	}
}

// Allocate is memory.Allocator's.
func (h *held) Allocate(n int) []byte {
	h.count(n)
	return memory.DefaultAllocator.Allocate(n)
}

// Reallocate is memory.Allocator's.
func (h *held) Reallocate(n int, b []byte) []byte {
	h.count(n - len(b))
	return memory.DefaultAllocator.Reallocate(n, b)
}

// Free is memory.Allocator's.
func (h *held) Free(b []byte) {
	h.bytes.Add(-int64(len(b)))
	memory.DefaultAllocator.Free(b)
}
