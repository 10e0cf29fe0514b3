package transform

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// recordRows is how many rows a record has at most.
const recordRows = 1 << 14

// writer fills a record cell by cell, in the order of the table's columns.
type writer struct {
	builder *array.RecordBuilder
	cells   []cell
	next    int // the column of the next cell
	count   int
	scratch []byte
}

// cell is where the values of a column go: any, and that by its type.
type cell struct {
	any     array.Builder
	text    *array.BinaryBuilder
	size    int // bytes of text in the record before
	integer *array.Int32Builder
	double  *array.Float64Builder
	boolean *array.BooleanBuilder
	instant *array.TimestampBuilder
}

func newWriter(mem memory.Allocator, t Table) *writer {
	w := &writer{builder: array.NewRecordBuilder(mem, t.Schema)}
	for _, f := range w.builder.Fields() {
		c := cell{any: f}
		switch f := f.(type) {
		case *array.StringBuilder:
			c.text = f.BinaryBuilder
		case *array.Int32Builder:
			c.integer = f
		case *array.Float64Builder:
			c.double = f
		case *array.BooleanBuilder:
			c.boolean = f
		case *array.TimestampBuilder:
			c.instant = f
		}
		w.cells = append(w.cells, c)
	}
	return w
}

// reserve makes room for the rows of the next record. Texts will need what they needed in
// the record before.
func (w *writer) reserve(rows int) {
	w.builder.Reserve(rows)
	for _, c := range w.cells {
		if c.text != nil {
			c.text.ReserveData(c.size * rows / recordRows)
		}
	}
}

func (w *writer) release() { w.builder.Release() }

// rows returns how many rows are whole.
func (w *writer) rows() int { return w.count }

// flush hands over the rows so far.
func (w *writer) flush(emit func(arrow.Record) error) error {
	for i := range w.cells {
		if c := &w.cells[i]; c.text != nil {
			c.size = c.text.DataLen()
		}
	}
	r := w.builder.NewRecord()
	defer r.Release()
	w.count = 0
	return emit(r)
}

// cell moves on to the next column.
func (w *writer) cell() *cell {
	c := &w.cells[w.next]
	if w.next++; w.next == len(w.cells) {
		w.next, w.count = 0, w.count+1
	}
	return c
}

func (w *writer) null() { w.cell().any.AppendNull() }

// text writes s; "" is null.
func (w *writer) text(s string) {
	c := w.cell()
	if s == "" {
		c.text.AppendNull()
		return
	}
	c.text.AppendString(s)
}

// bytes writes what text writes.
func (w *writer) bytes(b []byte) {
	c := w.cell()
	if len(b) == 0 {
		c.text.AppendNull()
		return
	}
	c.text.Append(b)
}

func (w *writer) integer(n int) { w.cell().integer.Append(int32(n)) }

// positive writes a number; 0 is null.
func (w *writer) positive(n int) {
	if n == 0 {
		w.null()
		return
	}
	w.integer(n)
}

func (w *writer) boolean(b bool) { w.cell().boolean.Append(b) }

// instant writes microseconds.
func (w *writer) instant(us int64) { w.cell().instant.Append(arrow.Timestamp(us)) }

// time writes a time; the zero time is null.
func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.null()
		return
	}
	w.instant(t.UnixMicro())
}

// vessel writes vessel_id.
func (w *writer) vessel(id vesselID) {
	w.scratch = id.append(w.scratch[:0])
	w.bytes(w.scratch)
}

// mmsi writes all nine digits.
func (w *writer) mmsi(m MMSI) {
	w.scratch = w.scratch[:0]
	if m != 0 {
		w.scratch = appendPadded(w.scratch, uint32(m), 9)
	}
	w.bytes(w.scratch)
}

// name writes the clean form of a name.
func (w *writer) name(s string) {
	if s == "" || isCleanName(s) {
		w.text(s)
		return
	}
	w.scratch = appendName(w.scratch[:0], s)
	w.bytes(w.scratch)
}

// object writes the members of a JSON object that lacks its closing bracket; none is null.
func (w *writer) object(b []byte) {
	if len(b) > 1 {
		b = append(b, '}')
	} else {
		b = b[:0]
	}
	w.bytes(b)
}

// value writes a value of a small dataset.
func (w *writer) value(v any) {
	switch v := v.(type) {
	case nil:
		w.null()
	case string:
		w.text(v)
	case bool:
		w.boolean(v)
	case int32:
		w.integer(int(v))
	case int64:
		w.instant(v)
	case float64:
		w.cell().double.Append(v)
	}
}
