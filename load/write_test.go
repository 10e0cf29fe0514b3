package load

import (
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// numbered emits so many records, each with its number as its only value, and then returns err.
func numbered(mem memory.Allocator, n int, err error) func(func(arrow.Record) error) error {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	return func(emit func(arrow.Record) error) error {
		b := array.NewRecordBuilder(mem, schema)
		defer b.Release()
		for i := range n {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
			r := b.NewRecord()
			failed := emit(r)
			r.Release()
			if failed != nil {
				return failed
			}
		}
		return err
	}
}

func TestRecordsAreWrittenInOrderAndReleased(t *testing.T) {
	full, broken := errors.New("disk full"), errors.New("broken source")
	for name, c := range map[string]struct {
		source, write error // write is the error of the record 5
		written       int
		want          error
	}{
		"without an error":      {written: 20},
		"an error of the disk":  {write: full, written: 5, want: full},
		"an error of the rows":  {source: broken, written: 20, want: broken},
		"the disk fails before": {source: broken, write: full, written: 5, want: full},
	} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			var got []int64
			err := onTwoCores(numbered(mem, 20, c.source), func(r arrow.Record) error {
				n := r.Column(0).(*array.Int64).Value(0)
				if n == 5 && c.write != nil {
					return c.write
				}
				got = append(got, n)
				return nil
			})
			if err != c.want {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if len(got) != c.written || !slices.IsSorted(got) {
				t.Errorf("written: %v, want the first %d", got, c.written)
			}
		})
	}
}

func TestAPanicOfTheWriterIsNotLost(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the panic was lost")
		}
	}()
	_ = onTwoCores(numbered(memory.NewGoAllocator(), 3, nil), func(arrow.Record) error { panic("writer") })
}
