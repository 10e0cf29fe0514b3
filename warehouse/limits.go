package warehouse

import (
	"cmp"
	"strconv"
	"sync/atomic"
)

// bounds hold for every DuckDB that this process opens, as debug.SetMemoryLimit does for Go's heap.
var bounds struct{ memoryMiB, threads atomic.Int64 }

// SetLimits sets the memory, in MiB, and the threads of every build that this process starts later, and the most
// that any other DuckDB of this process gets, whatever its caller asks for. 0 leaves it to the caller, as
// before the first call. DuckDB takes more memory than its limit: some 150 MiB and a tenth.
func SetLimits(memoryMiB, threads int) {
	bounds.memoryMiB.Store(int64(memoryMiB))
	bounds.threads.Store(int64(threads))
}

// within returns the smaller of what a caller asks for and a limit. 0 is none of either.
func within(asked int, limit *atomic.Int64) int {
	most := int(limit.Load())
	if asked == 0 || most > 0 && asked > most {
		return most
	}
	return asked
}

// MemoryShare returns a quarter of the memory that SetLimits sets, in MiB: at least and at most what it is given,
// which it is without a limit.
func MemoryShare(least, most int) int {
	if limit := int(bounds.memoryMiB.Load()); limit > 0 {
		return min(max(limit/4, least), most)
	}
	return most
}

// DefaultThreads is how many threads DuckDB has if nothing asks for more. One needs a third less CPU and half the
// memory of two, and keeps the order of rows. With several, DuckDB up to 1.4.3 ends a statement with a window
// function now and then with an internal error ("access index 0 within vector of size 0"), and the process with
// it: its threads begin to compute a partition before all of them have their part of it.
const DefaultThreads = 1

// Threads returns how many threads DuckDB gets where n are asked for; 0 asks for DefaultThreads. It makes three of
// two: when exactly two threads aggregate more than fits into memory, one of them divides its groups into more
// partitions and the other does not, and to combine the two ends with an internal error or finds no memory. One
// thread has nobody to differ from, and from three on they agree.
func Threads(n int) int {
	if n = cmp.Or(n, DefaultThreads); n == 2 {
		return 3
	}
	return n
}

// threads is the setting that gives DuckDB the Threads of n.
func threads(n int) setting { return setting{"threads", strconv.Itoa(Threads(n))} }
