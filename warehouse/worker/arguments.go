package worker

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/fleetlake/fleetlake/warehouse"
)

// errArguments says that the fault is in the arguments of a statement.
var errArguments = fmt.Errorf("the arguments: %w", warehouse.ErrStatement)

// arguments reads the arguments of a statement from an Arrow stream with one row. A text that has no
// counterpart in the driver, such as a decimal, is passed as text, which DuckDB casts to what it compares it with.
func arguments(stream []byte) (args []any, err error) {
	if stream == nil {
		return nil, nil
	}
	defer func() { // Arrow's reader panics on some streams that are none
		if r := recover(); r != nil {
			args, err = nil, fmt.Errorf("%w: they cannot be read: %v", errArguments, r)
		}
	}()
	reader, err := newStreamReader(bytes.NewReader(stream))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errArguments, err)
	}
	defer reader.Release()
	rows := int64(0)
	for reader.Next() {
		record := reader.Record()
		if rows += record.NumRows(); rows > 1 {
			break
		}
		for _, column := range record.Columns() {
			value, err := argument(column)
			if err != nil {
				return nil, err
			}
			args = append(args, value)
		}
	}
	if reader.Err() != nil {
		return nil, fmt.Errorf("%w: %w", errArguments, reader.Err())
	}
	if rows != 1 {
		return nil, fmt.Errorf("%w: not one row of them, expected one: a statement runs once", errArguments)
	}
	return args, nil
}

// argument returns the first value of a column as the driver of DuckDB accepts it.
func argument(column arrow.Array) (any, error) {
	if column.IsNull(0) || column.DataType().ID() == arrow.NULL {
		return nil, nil
	}
	switch c := column.(type) {
	case *array.Boolean:
		return c.Value(0), nil
	case *array.Int8:
		return c.Value(0), nil
	case *array.Int16:
		return c.Value(0), nil
	case *array.Int32:
		return c.Value(0), nil
	case *array.Int64:
		return c.Value(0), nil
	case *array.Uint8:
		return c.Value(0), nil
	case *array.Uint16:
		return c.Value(0), nil
	case *array.Uint32:
		return c.Value(0), nil
	case *array.Uint64:
		return new(big.Int).SetUint64(c.Value(0)), nil // database/sql has no numbers of more than 63 bits
	case *array.Float32:
		return c.Value(0), nil
	case *array.Float64:
		return c.Value(0), nil
	}
	return otherArgument(column)
}

// otherArgument is argument for values that are no plain numbers.
func otherArgument(column arrow.Array) (any, error) {
	switch c := column.(type) {
	case *array.String:
		return c.Value(0), nil
	case *array.LargeString:
		return c.Value(0), nil
	case *array.Binary:
		return bytes.Clone(c.Value(0)), nil
	case *array.LargeBinary:
		return bytes.Clone(c.Value(0)), nil
	case *array.Date32:
		return c.Value(0).ToTime(), nil
	case *array.Date64:
		return c.Value(0).ToTime(), nil
	case *array.Timestamp:
		return c.Value(0).ToTime(c.DataType().(*arrow.TimestampType).Unit), nil
	case *array.Decimal128:
		return decimal(c.Value(0).BigInt(), c.DataType().(*arrow.Decimal128Type).Scale), nil
	case *array.Decimal256:
		return decimal(c.Value(0).BigInt(), c.DataType().(*arrow.Decimal256Type).Scale), nil
	case *array.Dictionary:
		index := c.GetValueIndex(0)
		one := array.NewSlice(c.Dictionary(), int64(index), int64(index)+1)
		defer one.Release()
		return argument(one)
	}
	return nil, fmt.Errorf("%w: %s is no type that an argument can have", errArguments, column.DataType())
}

// maxHuge is the first number that is too large for a HUGEINT.
var maxHuge = new(big.Int).Lsh(big.NewInt(1), 127)

// decimal is a decimal number as the driver accepts it: an integer, or its text.
func decimal(n *big.Int, scale int32) any {
	if scale <= 0 {
		n = n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil))
		if n.CmpAbs(maxHuge) < 0 {
			return n
		}
		return n.String()
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(int(scale))
}

// Stream writes the arguments of a query as an Arrow stream.
func Stream(arguments arrow.Record) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(arguments.Schema()))
	if err := errors.Join(w.Write(arguments), w.Close()); err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	return b.Bytes(), nil
}
