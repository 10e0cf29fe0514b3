package vectors

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/marcboeker/go-duckdb/mapping"
)

// ErrValue says that a value has no exact counterpart in DuckDB.
var ErrValue = errors.New("it has no exact counterpart in DuckDB: bind it as text, and write the cast: ?::TYPE")

// Value is a value of DuckDB that is exactly the one at row i of an array, with its type. The caller destroys it. A value
// that DuckDB would round, cut or take for another one is ErrValue.
func Value(column arrow.Array, i int) (mapping.Value, error) {
	if column.DataType().ID() == arrow.NULL || column.IsNull(i) {
		return mapping.CreateNullValue(), nil
	}
	switch c := column.(type) {
	case *array.Boolean:
		return mapping.CreateBool(c.Value(i)), nil
	case *array.Int8:
		return mapping.CreateInt8(c.Value(i)), nil
	case *array.Int16:
		return mapping.CreateInt16(c.Value(i)), nil
	case *array.Int32:
		return mapping.CreateInt32(c.Value(i)), nil
	case *array.Int64:
		return mapping.CreateInt64(c.Value(i)), nil
	case *array.Uint8:
		return mapping.CreateUInt8(c.Value(i)), nil
	case *array.Uint16:
		return mapping.CreateUInt16(c.Value(i)), nil
	case *array.Uint32:
		return mapping.CreateUInt32(c.Value(i)), nil
	case *array.Uint64:
		return mapping.CreateUInt64(c.Value(i)), nil
	case *array.Float16:
		return mapping.CreateFloat(c.Value(i).Float32()), nil
	case *array.Float32:
		return mapping.CreateFloat(c.Value(i)), nil
	case *array.Float64:
		return mapping.CreateDouble(c.Value(i)), nil
	case *array.Decimal128:
		t := c.DataType().(*arrow.Decimal128Type)
		return decimalValue(c.Value(i).BigInt(), t.Precision, t.Scale)
	case *array.Decimal256:
		t := c.DataType().(*arrow.Decimal256Type)
		return decimalValue(c.Value(i).BigInt(), t.Precision, t.Scale)
	}
	return textValue(column, i)
}

// textValue is Value of texts, bytes, and what follows in the other functions.
func textValue(column arrow.Array, i int) (mapping.Value, error) {
	switch c := column.(type) {
	case *array.String:
		return validText(c.Value(i))
	case *array.LargeString:
		return validText(c.Value(i))
	case *array.StringView:
		return validText(c.Value(i))
	case *array.Binary:
		return mapping.CreateBlob(c.Value(i)), nil
	case *array.LargeBinary:
		return mapping.CreateBlob(c.Value(i)), nil
	case *array.BinaryView:
		return mapping.CreateBlob(c.Value(i)), nil
	case *array.FixedSizeBinary:
		return mapping.CreateBlob(c.Value(i)), nil
	}
	return timeValue(column, i)
}

// validText is a text with all of its bytes. DuckDB ends the process for one that is no UTF-8.
func validText(s string) (mapping.Value, error) {
	if !utf8.ValidString(s) {
		return mapping.Value{}, errors.New("the text is no valid UTF-8: bind it as bytes")
	}
	return mapping.CreateVarcharLength(s, mapping.IdxT(len(s))), nil
}

// timeValue is Value of dates, times, instants and durations.
func timeValue(column arrow.Array, i int) (mapping.Value, error) {
	switch c := column.(type) {
	case *array.Date32:
		if days := int32(c.Value(i)); days > -math.MaxInt32 && days < math.MaxInt32 { // those are infinity
			return mapping.CreateDate(mapping.NewDate(days)), nil
		}
	case *array.Date64:
		if days := int64(c.Value(i)) / millisecondsOfDay; days*millisecondsOfDay == int64(c.Value(i)) && days == int64(int32(days)) {
			return mapping.CreateDate(mapping.NewDate(int32(days))), nil
		}
	case *array.Time32:
		if us, ok := microseconds(int64(c.Value(i)), c.DataType().(*arrow.Time32Type).Unit); ok {
			return mapping.CreateTime(mapping.NewTime(us)), nil
		}
	case *array.Time64:
		if us, ok := microseconds(int64(c.Value(i)), c.DataType().(*arrow.Time64Type).Unit); ok {
			return mapping.CreateTime(mapping.NewTime(us)), nil
		}
	case *array.Timestamp:
		return timestamp(int64(c.Value(i)), c.DataType().(*arrow.TimestampType))
	case *array.Duration:
		if us, ok := microseconds(int64(c.Value(i)), c.DataType().(*arrow.DurationType).Unit); ok {
			return mapping.CreateInterval(mapping.NewInterval(0, 0, us)), nil
		}
	case *array.MonthDayNanoInterval:
		if us, ok := microseconds(c.Value(i).Nanoseconds, arrow.Nanosecond); ok {
			return mapping.CreateInterval(mapping.NewInterval(c.Value(i).Months, c.Value(i).Days, us)), nil
		}
	default:
		return nestedValue(column, i)
	}
	return mapping.Value{}, fmt.Errorf("%s %s: %w", column.DataType(), column.ValueStr(i), ErrValue)
}

const millisecondsOfDay = 24 * 60 * 60 * 1000

// microseconds converts a number of units; ok is false if it would not be exact.
func microseconds(n int64, unit arrow.TimeUnit) (us int64, ok bool) {
	switch unit {
	case arrow.Nanosecond:
		return n / 1000, n%1000 == 0
	case arrow.Millisecond:
		return n * 1000, n*1000/1000 == n
	case arrow.Second:
		return n * 1_000_000, n*1_000_000/1_000_000 == n
	}
	return n, true
}

// timestamp is an instant, or a wall clock's time if the type has no time zone. Only the latter may have nanoseconds.
func timestamp(n int64, kind *arrow.TimestampType) (mapping.Value, error) {
	us, ok := microseconds(n, kind.Unit)
	switch infinite := us == math.MaxInt64 || us <= -math.MaxInt64; {
	case ok && !infinite && kind.TimeZone != "":
		return mapping.CreateTimestampTZ(mapping.NewTimestamp(us)), nil
	case ok && !infinite:
		return mapping.CreateTimestamp(mapping.NewTimestamp(us)), nil
	case kind.Unit == arrow.Nanosecond && kind.TimeZone == "" && !infinite:
		return mapping.CreateTimestampNS(mapping.NewTimestampNS(n)), nil
	}
	return mapping.Value{}, fmt.Errorf("%s %d: %w", kind, n, ErrValue)
}

// Decimals of DuckDB have up to 38 digits, and a HUGEINT a few more numbers.
const maxDigits = 38

var maxHuge = new(big.Int).Lsh(big.NewInt(1), 127)

// decimalValue is a number of n/10^scale.
func decimalValue(n *big.Int, precision, scale int32) (mapping.Value, error) {
	if scale < 0 {
		n, precision, scale = n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-scale)), nil)), precision-scale, 0
	}
	digits := int32(len(new(big.Int).Abs(n).String()))
	switch precision = min(max(precision, scale, digits), maxDigits); {
	case digits <= maxDigits && scale <= maxDigits:
		return mapping.CreateDecimal(mapping.NewDecimal(uint8(precision), uint8(scale), hugeInt(n))), nil
	case scale == 0 && n.CmpAbs(maxHuge) < 0:
		return mapping.CreateHugeInt(hugeInt(n)), nil
	}
	return mapping.Value{}, fmt.Errorf("a decimal number of more than %d digits: %w", maxDigits, ErrValue)
}

// hugeInt is a number of less than 127 bits in the two halves of DuckDB's.
func hugeInt(n *big.Int) mapping.HugeInt {
	low := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)) // of the two's complement
	return mapping.NewHugeInt(low.Uint64(), new(big.Int).Rsh(n, 64).Int64())
}
