package worker

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/vectors"
	"github.com/marcboeker/go-duckdb/mapping"
)

// errArguments says that the fault is in the arguments of a statement.
var errArguments = fmt.Errorf("the arguments: %w", warehouse.ErrStatement)

// arguments reads the arguments of a statement from an Arrow stream with one row. Each is a value of DuckDB that is
// exactly the one that the client bound, or an error. The process frees them by its end, which follows its one statement.
func arguments(stream []byte) (args []mapping.Value, err error) {
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
		for i, column := range record.Columns() {
			if rows == 0 {
				break
			}
			value, err := vectors.Field(record.Schema().Field(i), column, 0)
			if err != nil {
				return nil, fmt.Errorf("%w: number %d: %w", errArguments, i+1, err)
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

// Stream writes the arguments of a query as an Arrow stream.
func Stream(arguments arrow.Record) ([]byte, error) {
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(arguments.Schema()))
	if err := errors.Join(w.Write(arguments), w.Close()); err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	return b.Bytes(), nil
}
