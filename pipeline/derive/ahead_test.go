package derive

import (
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
)

// counted yields the numbers from 1 to n, the last with err, and counts in read what was read. ended is
// set when it has ended.
func counted(n int, err error, read *int, ended *bool) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		defer func() { *ended = true }()
		for i := range n {
			*read = i + 1
			if i == n-1 && !yield(i+1, err) || i < n-1 && !yield(i+1, nil) {
				return
			}
		}
	}
}

func TestAheadYieldsAllInOrder(t *testing.T) {
	torn, read, ended := errors.New("torn"), 0, false
	var got []int
	var last error
	for v, err := range ahead(counted(100, torn, &read, &ended)) {
		got, last = append(got, v), err
	}
	want := make([]int, 100)
	for i := range want {
		want[i] = i + 1
	}
	if !slices.Equal(got, want) || last != torn || !ended {
		t.Errorf("got %v with %v, and reading has ended: %v", got, last, ended)
	}
}

func TestAheadStopsReadingWithItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, ended := 0, false
		for v := range ahead(counted(100, nil, &read, &ended)) {
			synctest.Wait()
			if most := v + readAhead + 1; read > most {
				t.Errorf("%d were read while the value %d was used, at most %d may be", read, v, most)
			}
			if v == 10 {
				break
			}
		}
		if !ended {
			t.Error("the values are still read after the loop")
		}
	})
}

func TestAheadRepeatsAPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the panic of the values was lost")
		}
	}()
	for range ahead(func(func(int, error) bool) { panic("values") }) {
	}
}
