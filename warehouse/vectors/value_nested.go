package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/marcboeker/go-duckdb/mapping"
)

// nestedValue is Value of what has values of other arrays.
func nestedValue(column arrow.Array, i int) (mapping.Value, error) {
	switch c := column.(type) {
	case *array.Dictionary:
		return Value(c.Dictionary(), c.GetValueIndex(i))
	case *array.DenseUnion:
		return Value(c.Field(c.ChildID(i)), int(c.ValueOffset(i)))
	case *array.SparseUnion:
		return Value(c.Field(c.ChildID(i)), i+c.Data().Offset())
	case array.ListLike:
		if c.DataType().ID() != arrow.MAP {
			from, to := c.ValueOffsets(i)
			return list(c.ListValues(), from, to)
		}
	}
	return mapping.Value{}, fmt.Errorf("%s: %w", column.DataType(), ErrValue)
}

// list is a list of the values of an array, which all have one type.
func list(values arrow.Array, from, to int64) (mapping.Value, error) {
	all := make([]mapping.Value, 0, to-from)
	defer func() {
		for i := range all {
			mapping.DestroyValue(&all[i])
		}
	}()
	untyped := mapping.CreateLogicalType(mapping.TypeSQLNull)
	defer mapping.DestroyLogicalType(&untyped)
	kind := untyped
	for i := from; i < to; i++ {
		one, err := Value(values, int(i))
		if err != nil {
			return one, err
		}
		all = append(all, one)
		if mapping.IsNullValue(one) {
			continue
		}
		switch its := mapping.GetValueType(one); {
		case kind == untyped:
			kind = its
		case mapping.GetTypeId(kind) != mapping.GetTypeId(its):
			return mapping.Value{}, errors.New("a list of values of several types: cast them to one, or bind the list as text, and write ?::TYPE[]")
		}
	}
	return mapping.CreateListValue(kind, all), nil
}

// Field is Value of a column with a field, whose metadata says that 16 bytes are a UUID.
func Field(field arrow.Field, column arrow.Array, i int) (mapping.Value, error) {
	bytes, ok := column.(*array.FixedSizeBinary)
	name, _ := field.Metadata.GetValue("ARROW:extension:name")
	if !ok || name != "arrow.uuid" || column.IsNull(i) || len(bytes.Value(i)) != 16 {
		return Value(column, i)
	}
	b := bytes.Value(i)
	return mapping.CreateUUID(mapping.NewUHugeInt(binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[:8]))), nil
}
