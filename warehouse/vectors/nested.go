package vectors

import (
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/marcboeker/go-duckdb/mapping"
)

// entry is where the elements of a list are in the vector of all elements.
type entry struct{ offset, length uint64 }

// lists makes arrays of lists, and of maps, which are lists of structs in both.
func lists(to arrow.DataType, child converter) converter {
	return func(v mapping.Vector, s selection) arrow.ArrayData {
		bits, nulls := validity(v, s)
		from := mapping.VectorGetData(v)
		offsets := make([]int32, s.n+1)
		elements := []uint32{}
		for i := range s.n {
			if !isNull(bits, i) {
				e := *(*entry)(unsafe.Add(from, s.row(i)*int(unsafe.Sizeof(entry{}))))
				for k := range e.length {
					elements = append(elements, uint32(e.offset+k))
				}
			}
			offsets[i+1] = int32(len(elements))
		}
		values := child(mapping.ListVectorGetChild(v), selection{len(elements), elements})
		defer values.Release()
		buffers := []*memory.Buffer{bits, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))}
		return array.NewData(to, s.n, buffers, []arrow.ArrayData{values}, nulls, 0)
	}
}

// arrays makes arrays of lists that all have the same size.
func arrays(to arrow.DataType, size uint32, child converter) converter {
	return func(v mapping.Vector, s selection) arrow.ArrayData {
		bits, nulls := validity(v, s)
		elements := make([]uint32, 0, s.n*int(size))
		for i := range s.n {
			for k := range size {
				elements = append(elements, uint32(s.row(i))*size+k)
			}
		}
		values := child(mapping.ArrayVectorGetChild(v), selection{len(elements), elements})
		defer values.Release()
		return array.NewData(to, s.n, []*memory.Buffer{bits}, []arrow.ArrayData{values}, nulls, 0)
	}
}

// structs makes arrays of structs, whose fields have the rows of the whole.
func structs(to arrow.DataType, children []converter) converter {
	return func(v mapping.Vector, s selection) arrow.ArrayData {
		bits, nulls := validity(v, s)
		fields := make([]arrow.ArrayData, len(children))
		for i, convert := range children {
			fields[i] = convert(mapping.StructVectorGetChild(v, mapping.IdxT(i)), s)
		}
		data := array.NewData(to, s.n, []*memory.Buffer{bits}, fields, nulls, 0)
		for _, f := range fields {
			f.Release()
		}
		return data
	}
}
