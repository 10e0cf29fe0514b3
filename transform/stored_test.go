package transform

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/journal"
)

func TestStoredValuesAreWrittenAsTheyWere(t *testing.T) {
	table := Table{Name: "test", Schema: arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "boolean", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "integer", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "instant", Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true},
		{Name: "double", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)}
	rows := [][]any{
		{"a", true, int32(math.MinInt32), int64(math.MinInt64), -math.MaxFloat64},
		{strings.Repeat("é\x00", 1000), false, int32(math.MaxInt32), int64(math.MaxInt64), math.SmallestNonzeroFloat64},
		{nil, nil, nil, nil, nil},
		{"0", false, int32(0), int64(-1), 0.0},
	}
	w := newWriter(memory.NewGoAllocator(), table)
	defer w.release()
	var got [][]any
	for _, row := range rows {
		var b []byte
		for _, v := range row {
			b = appendValue(b, v)
		}
		values := textReader{string(b)}
		for i := range row {
			w.columns[i].writeStored(&values)
		}
		if values.rest != "" {
			t.Errorf("%q is left of the values of %v", values.rest, row)
		}
	}
	_ = w.flush(func(r arrow.Record) error {
		for i := range rows {
			var row []any
			for _, c := range r.Columns() {
				row = append(row, valueAt(c, i))
			}
			got = append(got, row)
		}
		return nil
	})
	if diff := cmp.Diff(rows, got); diff != "" {
		t.Error(diff)
	}
}

// valueAt returns the value of a row, as a dataset has it.
func valueAt(c arrow.Array, i int) any {
	if c.IsNull(i) {
		return nil
	}
	switch c := c.(type) {
	case *array.String:
		return c.Value(i)
	case *array.Boolean:
		return c.Value(i)
	case *array.Int32:
		return c.Value(i)
	case *array.Timestamp:
		return int64(c.Value(i))
	case *array.Float64:
		return c.Value(i)
	}
	return fmt.Sprintf("%T", c)
}

// profiles are the answers to lookups of so many vessels.
func profiles(t testing.TB, n int) []journal.Entry {
	body := payload(t, "info-detail")
	entries := make([]journal.Entry, n)
	for i := range entries {
		mmsi := fmt.Sprint(306_000_000 + i)
		entries[i] = answerTo(i+1, "info", "imo_or_mmsi="+mmsi, strings.Replace(body, "9345128", mmsi, 1))
	}
	return entries
}

func TestAProfileTakesLittleMemory(t *testing.T) {
	const n, most = 3000, 3000
	entries := profiles(t, n)
	before := heap()
	b := NewBatch()
	for _, e := range entries {
		b.Add(journal.Exchange{Entry: e})
	}
	kept := (int(heap()) - int(before)) / n
	runtime.KeepAlive(entries) // they are in memory before and after
	if kept > most || kept < most/10 {
		t.Errorf("the batch keeps %d bytes of each profile, at most %d are for %d rows", kept, most, b.Rows(Particulars))
	}
	if got := b.Rows(Management); got < 1 {
		t.Errorf("%d rows of management", got)
	}
}
