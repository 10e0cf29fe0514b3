package derive

import (
	"iter"

	"github.com/sourcegraph/conc"
)

// readAhead is how many values ahead reads before they are used. A value may be an answer of 8 MiB.
const readAhead = 2

// ahead yields what values yields, and reads it in another goroutine: the next answers are read and
// decompressed on one core while rows are made of the last one on another. When the loop over it ends,
// however it ends, nothing reads any more.
func ahead[T any](values iter.Seq2[T, error]) iter.Seq2[T, error] {
	type read struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		next, enough := make(chan read, readAhead), make(chan struct{})
		var reading conc.WaitGroup
		defer reading.Wait() // which repeats a panic of values
		defer close(enough)
		reading.Go(func() {
			defer close(next)
			for value, err := range values {
				select {
				case next <- read{value, err}:
				case <-enough:
					return
				}
			}
		})
		for r := range next {
			if !yield(r.value, r.err) {
				return
			}
		}
	}
}
