package worker

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Sizes of an answer that a process may not exceed, whatever it is asked: of a row, of the names of all columns, and of
// what the pool's process holds of an answer at a time.
const (
	maxRow    = 16 << 20
	maxSchema = 1 << 20
	maxHeld   = 64 << 20
)

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
