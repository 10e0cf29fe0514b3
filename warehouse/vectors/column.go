package vectors

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/marcboeker/go-duckdb/mapping"
)

// Columns are the columns of a table or an answer, with what makes Arrow arrays of them.
type Columns struct {
	Schema *arrow.Schema
	list   string // what to select, so that each value has a counterpart in Arrow
	make   []converter
}

// TextColumns returns columns of texts: the values of expressions of VARCHAR, each under a name, with the type that it stands
// for as DuckDB names it.
func TextColumns(names, types, expressions []string) Columns {
	var c Columns
	var fields []arrow.Field
	for i, name := range names {
		metadata := arrow.NewMetadata([]string{duckdbType}, []string{types[i]})
		fields = append(fields, arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true, Metadata: metadata})
		c.make = append(c.make, variable(arrow.BinaryTypes.String))
	}
	c.Schema, c.list = arrow.NewSchema(fields, nil), strings.Join(expressions, ", ")
	return c
}

// duckdbType is the key in a field's metadata of what TypeOf returns.
const duckdbType = "duckdb.type"

// TypeOf returns the type that a field of TextColumns stands for; empty for any other.
func TypeOf(f arrow.Field) string {
	name, _ := f.Metadata.GetValue(duckdbType)
	return name
}

// ColumnsOf returns the columns of a result, which may have no rows, under other names.
func ColumnsOf(result *mapping.Result, names []string) Columns {
	var c Columns
	var fields []arrow.Field
	var selected []string
	for i, name := range names {
		i := mapping.IdxT(i)
		kind := mapping.ColumnLogicalType(result, i)
		to, convert, ok := counterpart(kind)
		mapping.DestroyLogicalType(&kind)
		quoted := `"` + strings.ReplaceAll(mapping.ColumnName(result, i), `"`, `""`) + `"`
		if !ok {
			to, convert = arrow.BinaryTypes.String, variable(arrow.BinaryTypes.String)
			quoted = fmt.Sprintf("CAST(%s AS VARCHAR) AS %[1]s", quoted)
		}
		fields = append(fields, arrow.Field{Name: name, Type: to, Nullable: true})
		selected = append(selected, quoted)
		c.make = append(c.make, convert)
	}
	c.Schema, c.list = arrow.NewSchema(fields, nil), strings.Join(selected, ", ")
	return c
}

// Select is the list of columns for a SELECT whose chunks Record accepts: values without a counterpart
// in Arrow are cast to text.
func (c Columns) Select() string { return c.list }

// simple are the types whose values have the same layout in DuckDB and in Arrow.
var simple = map[mapping.Type]arrow.FixedWidthDataType{
	mapping.TypeTinyInt:     arrow.PrimitiveTypes.Int8.(arrow.FixedWidthDataType),
	mapping.TypeSmallInt:    arrow.PrimitiveTypes.Int16.(arrow.FixedWidthDataType),
	mapping.TypeInteger:     arrow.PrimitiveTypes.Int32.(arrow.FixedWidthDataType),
	mapping.TypeBigInt:      arrow.PrimitiveTypes.Int64.(arrow.FixedWidthDataType),
	mapping.TypeUTinyInt:    arrow.PrimitiveTypes.Uint8.(arrow.FixedWidthDataType),
	mapping.TypeUSmallInt:   arrow.PrimitiveTypes.Uint16.(arrow.FixedWidthDataType),
	mapping.TypeUInteger:    arrow.PrimitiveTypes.Uint32.(arrow.FixedWidthDataType),
	mapping.TypeUBigInt:     arrow.PrimitiveTypes.Uint64.(arrow.FixedWidthDataType),
	mapping.TypeHugeInt:     &arrow.Decimal128Type{Precision: 38},
	mapping.TypeFloat:       arrow.PrimitiveTypes.Float32.(arrow.FixedWidthDataType),
	mapping.TypeDouble:      arrow.PrimitiveTypes.Float64.(arrow.FixedWidthDataType),
	mapping.TypeDate:        arrow.PrimitiveTypes.Date32.(arrow.FixedWidthDataType),
	mapping.TypeTime:        &arrow.Time64Type{Unit: arrow.Microsecond},
	mapping.TypeTimestamp:   &arrow.TimestampType{Unit: arrow.Microsecond},
	mapping.TypeTimestampS:  &arrow.TimestampType{Unit: arrow.Second},
	mapping.TypeTimestampMS: &arrow.TimestampType{Unit: arrow.Millisecond},
	mapping.TypeTimestampNS: &arrow.TimestampType{Unit: arrow.Nanosecond},
	mapping.TypeTimestampTZ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
}

// counterpart returns the Arrow type of one of DuckDB's, and what makes arrays of it; ok is false if
// there is none.
func counterpart(kind mapping.LogicalType) (to arrow.DataType, convert converter, ok bool) {
	id := mapping.GetTypeId(kind)
	if same, ok := simple[id]; ok {
		return same, fixed(same), true
	}
	switch id {
	case mapping.TypeBoolean:
		return arrow.FixedWidthTypes.Boolean, booleans, true
	case mapping.TypeVarchar:
		return arrow.BinaryTypes.String, variable(arrow.BinaryTypes.String), true
	case mapping.TypeBlob:
		return arrow.BinaryTypes.Binary, variable(arrow.BinaryTypes.Binary), true
	case mapping.TypeDecimal:
		decimal := &arrow.Decimal128Type{Precision: int32(mapping.DecimalWidth(kind)), Scale: int32(mapping.DecimalScale(kind))}
		return decimal, decimals(decimal, mapping.DecimalInternalType(kind)), true
	case mapping.TypeStruct:
		return structCounterpart(kind)
	case mapping.TypeList:
		child, convert, ok := counterpartOf(mapping.ListTypeChildType(kind))
		if !ok {
			return nil, nil, false
		}
		to := arrow.ListOf(child)
		return to, lists(to, convert), true
	case mapping.TypeArray:
		child, convert, ok := counterpartOf(mapping.ArrayTypeChildType(kind))
		if !ok {
			return nil, nil, false
		}
		size := uint32(mapping.ArrayTypeArraySize(kind))
		to := arrow.FixedSizeListOf(int32(size), child)
		return to, arrays(to, size, convert), true
	case mapping.TypeMap:
		key, makeKey, keyOK := counterpartOf(mapping.MapTypeKeyType(kind))
		value, makeValue, valueOK := counterpartOf(mapping.MapTypeValueType(kind))
		if !keyOK || !valueOK {
			return nil, nil, false
		}
		to := arrow.MapOf(key, value)
		return to, lists(to, structs(to.Elem(), []converter{makeKey, makeValue})), true
	}
	return nil, nil, false
}

func structCounterpart(kind mapping.LogicalType) (to arrow.DataType, convert converter, ok bool) {
	var fields []arrow.Field
	var children []converter
	for i := range mapping.StructTypeChildCount(kind) {
		child, convert, ok := counterpartOf(mapping.StructTypeChildType(kind, i))
		if !ok {
			return nil, nil, false
		}
		fields = append(fields, arrow.Field{Name: mapping.StructTypeChildName(kind, i), Type: child, Nullable: true})
		children = append(children, convert)
	}
	to = arrow.StructOf(fields...)
	return to, structs(to, children), true
}

// counterpartOf is counterpart of a type that it frees.
func counterpartOf(kind mapping.LogicalType) (arrow.DataType, converter, bool) {
	defer mapping.DestroyLogicalType(&kind)
	return counterpart(kind)
}
