package transform

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// recordRows is how many rows a record has at most.
const recordRows = 1 << 14

// writer fills the records of a table, column by column.
type writer struct {
	table   Table
	builder *array.RecordBuilder
	columns []cells
	count   int // rows that are whole
}

// cells has the builder of a column: as any, and once more by its type.
type cells struct {
	any     array.Builder
	text    *array.BinaryBuilder
	size    int // bytes of text in the record before
	integer *array.Int32Builder
	double  *array.Float64Builder
	boolean *array.BooleanBuilder
	date    *array.Date32Builder
	instant *array.TimestampBuilder
	scratch []byte
}

func newWriter(mem memory.Allocator, t Table) *writer {
	w := &writer{table: t, builder: array.NewRecordBuilder(mem, t.Schema)}
	for _, f := range w.builder.Fields() {
		c := cells{any: f}
		switch f := f.(type) {
		case *array.StringBuilder:
			c.text = f.BinaryBuilder
		case *array.Int32Builder:
			c.integer = f
		case *array.Float64Builder:
			c.double = f
		case *array.BooleanBuilder:
			c.boolean = f
		case *array.Date32Builder:
			c.date = f
		case *array.TimestampBuilder:
			c.instant = f
		}
		w.columns = append(w.columns, c)
	}
	return w
}

// reserve makes room for the rows of the next record. Texts will need what they needed in
// the record before.
func (w *writer) reserve(rows int) {
	w.builder.Reserve(rows)
	for _, c := range w.columns {
		if c.text != nil {
			c.text.ReserveData(c.size * rows / recordRows)
		}
	}
}

func (w *writer) release() { w.builder.Release() }

// rows returns how many rows are whole.
func (w *writer) rows() int { return w.count }

// flush passes the rows so far to emit, as one record.
func (w *writer) flush(emit func(arrow.Record) error) error {
	for i := range w.columns {
		if c := &w.columns[i]; c.text != nil {
			c.size = c.text.DataLen()
		}
	}
	r := w.builder.NewRecord()
	defer r.Release()
	w.count = 0
	return emit(r)
}

// column returns the cells of a column. It panics on an unknown name, which is a bug.
func (w *writer) column(name string) *cells {
	found := w.table.Schema.FieldIndices(name)
	if len(found) != 1 {
		panic("no column " + name + " in " + w.table.Name)
	}
	return &w.columns[found[0]]
}

func (c *cells) writeNull() { c.any.AppendNull() }

// writeText writes s; "" is null.
func (c *cells) writeText(s string) {
	if s == "" {
		c.text.AppendNull()
		return
	}
	c.text.AppendString(s)
}

// writeBytes writes what writeText writes.
func (c *cells) writeBytes(b []byte) {
	if len(b) == 0 {
		c.text.AppendNull()
		return
	}
	c.text.Append(b)
}

func (c *cells) writeInteger(n int) { c.integer.Append(int32(n)) }

// writePositive writes a number; 0 is null.
func (c *cells) writePositive(n int) {
	if n == 0 {
		c.writeNull()
		return
	}
	c.writeInteger(n)
}

func (c *cells) writeBoolean(b bool) { c.boolean.Append(b) }

// writeDate writes a date at midnight UTC; the zero time is null.
func (c *cells) writeDate(t time.Time) {
	if t.IsZero() {
		c.writeNull()
		return
	}
	c.date.Append(arrow.Date32FromTime(t))
}

// writeInstant writes microseconds.
func (c *cells) writeInstant(us int64) { c.instant.Append(arrow.Timestamp(us)) }

// writeTime writes a time; the zero time is null.
func (c *cells) writeTime(t time.Time) {
	if t.IsZero() {
		c.writeNull()
		return
	}
	c.writeInstant(t.UnixMicro())
}

// writeVessel writes vessel_id.
func (c *cells) writeVessel(id vesselID) {
	c.scratch = id.append(c.scratch[:0])
	c.writeBytes(c.scratch)
}

// writeMMSI writes all nine digits.
func (c *cells) writeMMSI(m MMSI) {
	c.scratch = c.scratch[:0]
	if m != 0 {
		c.scratch = appendPadded(c.scratch, uint32(m), 9)
	}
	c.writeBytes(c.scratch)
}

// writeName writes the clean form of a name.
func (c *cells) writeName(s string) {
	if s == "" || isCleanName(s) {
		c.writeText(s)
		return
	}
	c.scratch = appendName(c.scratch[:0], s)
	c.writeBytes(c.scratch)
}

// writeObject writes the members of a JSON object that lacks its closing bracket; none is null.
func (c *cells) writeObject(b []byte) {
	if len(b) > 1 {
		b = append(b, '}')
	} else {
		b = b[:0]
	}
	c.writeBytes(b)
}
