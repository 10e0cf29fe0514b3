package vectors

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/marcboeker/go-duckdb/mapping"
)

// Record makes a record of a chunk of a result whose columns are those of Select. It copies all values,
// so that the chunk can be freed. The caller releases the record. It returns ErrTooLarge if the texts of
// a column of the chunk have more than 2 GiB.
func (c Columns) Record(chunk mapping.DataChunk) (record arrow.Record, err error) {
	defer func() {
		if r := recover(); r == ErrTooLarge {
			err = ErrTooLarge
		} else if r != nil {
			panic(r)
		}
	}()
	n := int(mapping.DataChunkGetSize(chunk))
	arrays := make([]arrow.Array, len(c.make))
	for i, convert := range c.make {
		data := convert(mapping.DataChunkGetVector(chunk, mapping.IdxT(i)), selection{n: n})
		arrays[i] = array.MakeFromData(data)
		data.Release()
	}
	record = array.NewRecord(c.Schema, arrays, int64(n))
	for _, a := range arrays {
		a.Release()
	}
	return record, nil
}

// ErrTooLarge says that values are too large for a record.
var ErrTooLarge = errors.New("the texts of a few rows have more than 2 GiB, which no record can have")

// selection is the rows of a vector that are wanted: the first n, or those with the given indices.
type selection struct {
	n    int
	rows []uint32 // nil is the first n
}

func (s selection) row(i int) int {
	if s.rows == nil {
		return i
	}
	return int(s.rows[i])
}

// converter makes an array of the selected rows of a vector.
type converter func(mapping.Vector, selection) arrow.ArrayData

// validity returns the bitmap of the rows that are not NULL, nil if none is, and how many are.
func validity(v mapping.Vector, s selection) (*memory.Buffer, int) {
	mask := mapping.VectorGetValidity(v)
	if mask == nil || s.n == 0 {
		return nil, 0
	}
	bits := make([]byte, bitutil.BytesForBits(int64(s.n)))
	if s.rows == nil {
		copy(bits, unsafe.Slice((*byte)(mask), len(bits)))
	} else {
		for i, row := range s.rows {
			if *(*byte)(unsafe.Add(mask, row/8))>>(row%8)&1 == 1 {
				bitutil.SetBit(bits, i)
			}
		}
	}
	nulls := s.n - bitutil.CountSetBits(bits, 0, s.n)
	if nulls == 0 {
		return nil, 0
	}
	return memory.NewBufferBytes(bits), nulls
}

// isNull reports whether a row, as validity numbers them, is NULL.
func isNull(bits *memory.Buffer, i int) bool {
	return bits != nil && !bitutil.BitIsSet(bits.Bytes(), i)
}

func newData(to arrow.DataType, v mapping.Vector, s selection, values []byte) arrow.ArrayData {
	bits, nulls := validity(v, s)
	return array.NewData(to, s.n, []*memory.Buffer{bits, memory.NewBufferBytes(values)}, nil, nulls, 0)
}

// fixed makes arrays of values that have the same layout in both.
func fixed(to arrow.FixedWidthDataType) converter {
	width := to.BitWidth() / 8
	return func(v mapping.Vector, s selection) arrow.ArrayData {
		values := make([]byte, s.n*width)
		from := mapping.VectorGetData(v)
		if s.rows == nil {
			copy(values, unsafe.Slice((*byte)(from), len(values)))
		}
		for i, row := range s.rows {
			copy(values[i*width:(i+1)*width], unsafe.Slice((*byte)(unsafe.Add(from, int(row)*width)), width))
		}
		return newData(to, v, s, values)
	}
}

// booleans makes bits of bytes.
func booleans(v mapping.Vector, s selection) arrow.ArrayData {
	values := make([]byte, bitutil.BytesForBits(int64(s.n)))
	from := mapping.VectorGetData(v)
	for i := range s.n {
		if *(*byte)(unsafe.Add(from, s.row(i))) != 0 {
			bitutil.SetBit(values, i)
		}
	}
	return newData(arrow.FixedWidthTypes.Boolean, v, s, values)
}

// decimals makes 128 bits of what DuckDB stores in as few as the precision allows.
func decimals(to *arrow.Decimal128Type, stored mapping.Type) converter {
	if stored == mapping.TypeHugeInt {
		return fixed(to)
	}
	return func(v mapping.Vector, s selection) arrow.ArrayData {
		values := make([]byte, s.n*16)
		from := mapping.VectorGetData(v)
		for i := range s.n {
			n := int64(0)
			switch row := s.row(i); stored {
			case mapping.TypeSmallInt:
				n = int64(*(*int16)(unsafe.Add(from, row*2)))
			case mapping.TypeInteger:
				n = int64(*(*int32)(unsafe.Add(from, row*4)))
			case mapping.TypeBigInt:
				n = *(*int64)(unsafe.Add(from, row*8))
			}
			binary.LittleEndian.PutUint64(values[i*16:], uint64(n))
			binary.LittleEndian.PutUint64(values[i*16+8:], uint64(n>>63))
		}
		return newData(to, v, s, values)
	}
}

// text is DuckDB's string_t: up to 12 bytes are in it, and otherwise their address.
type text struct {
	length uint32
	start  [4]byte
	rest   unsafe.Pointer
}

// inlined is the greatest length of a text that is stored in place.
const inlined = 12

func (t *text) bytes() []byte {
	if t.length <= inlined {
		return unsafe.Slice((*byte)(unsafe.Pointer(&t.start)), t.length)
	}
	return unsafe.Slice((*byte)(t.rest), t.length)
}

// variable makes arrays of texts and of bytes.
func variable(to arrow.DataType) converter {
	return func(v mapping.Vector, s selection) arrow.ArrayData {
		bits, nulls := validity(v, s)
		from := mapping.VectorGetData(v)
		at := func(i int) *text { return (*text)(unsafe.Add(from, s.row(i)*int(unsafe.Sizeof(text{})))) }
		offsets := make([]int32, s.n+1)
		total := 0
		for i := range s.n {
			if !isNull(bits, i) {
				total += int(at(i).length)
			}
			if total > math.MaxInt32 {
				panic(ErrTooLarge) // Record recovers
			}
			offsets[i+1] = int32(total)
		}
		values := make([]byte, 0, total)
		for i := range s.n {
			if !isNull(bits, i) {
				values = append(values, at(i).bytes()...)
			}
		}
		buffers := []*memory.Buffer{bits, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(values)}
		return array.NewData(to, s.n, buffers, nil, nulls, 0)
	}
}
