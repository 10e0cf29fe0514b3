package transform

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
)

// Kinds of a stored value, its first byte.
const (
	storedNull = iota
	storedText // its length, as in an arena, and its bytes
	storedFalse
	storedTrue
	storedInteger // and the others: eight bytes, the lowest first
	storedInstant
	storedDouble
)

// appendValue appends a value of a small dataset in a form without pointers, which writeStored reads.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, storedNull)
	case string:
		return append(binary.AppendUvarint(append(b, storedText), uint64(len(v))), v...)
	case bool:
		if v {
			return append(b, storedTrue)
		}
		return append(b, storedFalse)
	case int32:
		return binary.LittleEndian.AppendUint64(append(b, storedInteger), uint64(v))
	case int64:
		return binary.LittleEndian.AppendUint64(append(b, storedInstant), uint64(v))
	case float64:
		return binary.LittleEndian.AppendUint64(append(b, storedDouble), math.Float64bits(v))
	}
	panic(fmt.Sprintf("no column has a value of type %T", v))
}

// writeStored writes the next of the values that appendValue has appended.
func (c *cells) writeStored(values *textReader) {
	switch kind := values.byte(); kind {
	case storedNull:
		c.writeNull()
	case storedText:
		c.writeText(values.text())
	case storedFalse, storedTrue:
		c.writeBoolean(kind == storedTrue)
	case storedInteger:
		c.integer.Append(int32(values.number()))
	case storedInstant:
		c.instant.Append(arrow.Timestamp(values.number()))
	case storedDouble:
		c.double.Append(math.Float64frombits(values.number()))
	}
}

// skipStored passes over the next of the values that appendValue has appended.
func (r *textReader) skipStored() {
	switch r.byte() {
	case storedText:
		r.text()
	case storedInteger, storedInstant, storedDouble:
		r.number()
	}
}

// byte returns the next byte.
func (r *textReader) byte() byte {
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

// number returns the next eight bytes.
func (r *textReader) number() uint64 {
	n := binary.LittleEndian.Uint64([]byte(r.rest[:8]))
	r.rest = r.rest[8:]
	return n
}
