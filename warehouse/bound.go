package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/marcboeker/go-duckdb/mapping"
)

// runBound runs a statement with values of DuckDB for its parameters in their order, and passes its result to read unless
// that is nil. The driver binds Go's values, by the type that a parameter seems to have: a date becomes an instant, and a
// decimal a text. A value of DuckDB keeps its type.
func runBound(ctx context.Context, conn *sql.Conn, text string, args []mapping.Value, read func(*mapping.Result) error) error {
	return conn.Raw(func(c any) error {
		native, err := nativeConnection(c)
		if err != nil {
			return err
		}
		var result mapping.Result
		defer mapping.DestroyResult(&result)
		state, err := interruptible(ctx, native, func() (mapping.State, error) {
			if len(args) == 0 {
				return mapping.Query(native, text, &result), nil
			}
			return executeBound(c, native, text, args, &result)
		})
		switch {
		case err != nil:
			return err
		case state == mapping.StateError:
			return errorOf(&result)
		case read != nil:
			return read(&result)
		}
		return nil
	})
}

// interruptible runs something of DuckDB's that a cancelled ctx interrupts. An interrupt never reaches what runs next.
func interruptible(ctx context.Context, conn mapping.Connection, run func() (mapping.State, error)) (mapping.State, error) {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		mapping.Interrupt(conn)
		close(interrupted)
	})
	state, err := run()
	if !stop() {
		<-interrupted
		return state, context.Cause(ctx)
	}
	return state, err
}

// executeBound prepares a statement, binds its parameters and runs it.
func executeBound(c any, conn mapping.Connection, text string, args []mapping.Value, result *mapping.Result) (mapping.State, error) {
	var prepared mapping.PreparedStatement
	defer mapping.DestroyPrepare(&prepared)
	if mapping.Prepare(conn, text, &prepared) == mapping.StateError {
		return mapping.StateError, notPrepared(c, text)
	}
	if n := int(mapping.NParams(prepared)); n != len(args) {
		return mapping.StateError, &cause{fmt.Sprintf("the statement has %d parameters, and %d values are bound", n, len(args)), ErrStatement}
	}
	for i, value := range args {
		index := mapping.IdxT(i + 1)
		value, free, err := asInteger(value, mapping.ParamType(prepared, index))
		if err != nil {
			return mapping.StateError, &cause{fmt.Sprintf("parameter %s: %s", mapping.ParameterName(prepared, index), err), ErrStatement}
		}
		state := mapping.BindValue(prepared, index, value)
		free()
		if state == mapping.StateError {
			return state, &cause{"parameter " + mapping.ParameterName(prepared, index) + ": " + mapping.PrepareError(prepared), ErrStatement}
		}
	}
	return mapping.ExecutePrepared(prepared, result), nil
}

// parametersOf prepares a text as exactly one statement, and returns its parameters.
func parametersOf(ctx context.Context, conn *sql.Conn, text string) (all []BoundParameter, err error) {
	err = conn.Raw(func(c any) error {
		native, err := nativeConnection(c)
		if err != nil {
			return err
		}
		var prepared mapping.PreparedStatement
		defer mapping.DestroyPrepare(&prepared)
		if mapping.Prepare(native, text, &prepared) == mapping.StateError {
			return notPrepared(c, text)
		}
		for i := range mapping.NParams(prepared) {
			kind := mapping.ParamLogicalType(prepared, i+1)
			all = append(all, BoundParameter{mapping.ParameterName(prepared, i+1), parameterType(kind)})
			mapping.DestroyLogicalType(&kind)
		}
		return nil
	})
	return all, err
}

// parameterType names a type of which a client should know.
func parameterType(kind mapping.LogicalType) string {
	if kind.Ptr == nil {
		return ""
	}
	id := mapping.GetTypeId(kind)
	if id == mapping.TypeDecimal {
		return fmt.Sprintf("DECIMAL(%d,%d)", mapping.DecimalWidth(kind), mapping.DecimalScale(kind))
	}
	return parameterTypes[id]
}

// parameterTypes names the types that a parameter can have of which a client should know.
var parameterTypes = map[mapping.Type]string{
	mapping.TypeBoolean: "BOOLEAN", mapping.TypeTinyInt: "TINYINT", mapping.TypeSmallInt: "SMALLINT", mapping.TypeInteger: "INTEGER",
	mapping.TypeBigInt: "BIGINT", mapping.TypeUTinyInt: "UTINYINT", mapping.TypeUSmallInt: "USMALLINT", mapping.TypeUInteger: "UINTEGER",
	mapping.TypeUBigInt: "UBIGINT", mapping.TypeHugeInt: "HUGEINT", mapping.TypeUHugeInt: "UHUGEINT", mapping.TypeFloat: "FLOAT",
	mapping.TypeDouble: "DOUBLE", mapping.TypeVarchar: "VARCHAR", mapping.TypeDate: "DATE", mapping.TypeTime: "TIME",
	mapping.TypeTimestamp: "TIMESTAMP", mapping.TypeTimestampTZ: "TIMESTAMP WITH TIME ZONE", mapping.TypeBlob: "BLOB", mapping.TypeUUID: "UUID",
}

// integers are the types of integers.
var integers = map[mapping.Type]bool{
	mapping.TypeTinyInt: true, mapping.TypeSmallInt: true, mapping.TypeInteger: true, mapping.TypeBigInt: true, mapping.TypeHugeInt: true,
	mapping.TypeUTinyInt: true, mapping.TypeUSmallInt: true, mapping.TypeUInteger: true, mapping.TypeUBigInt: true, mapping.TypeUHugeInt: true,
}

// wholeDoubles is where doubles begin that stand for several integers.
const wholeDoubles = 1 << 53

// asInteger makes an integer of a whole DOUBLE for a parameter of integers. Clients declare such a parameter as
// numbers of any kind (see schedules/flight), since the JDBC driver silently cuts 2000.4 down to 2000 for an integer.
func asInteger(v mapping.Value, parameter mapping.Type) (value mapping.Value, free func(), err error) {
	keep := func() {}
	if v.Ptr == nil || !integers[parameter] || mapping.IsNullValue(v) || mapping.GetTypeId(mapping.GetValueType(v)) != mapping.TypeDouble {
		return v, keep, nil
	}
	switch d := mapping.GetDouble(v); {
	case math.Abs(d) >= wholeDoubles && !math.IsInf(d, 0):
		return v, keep, fmt.Errorf("%g is sent as a DOUBLE, which stands for several integers: bind it as text, and write ?::VARCHAR::HUGEINT", d)
	case d == math.Trunc(d) && !math.IsInf(d, 0):
		value = mapping.CreateInt64(int64(d))
		return value, func() { mapping.DestroyValue(&value) }, nil
	}
	return v, keep, nil
}
