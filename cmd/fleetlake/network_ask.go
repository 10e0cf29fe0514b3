package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// askRows runs a statement of the page's form in a process of its own, and returns its first rows.
func (n *networkServer) askRows(ctx context.Context, sql string) (t page.Table, err error) {
	answer, err := n.pool.Query(ctx, worker.Query{Text: sql, Texts: true})
	if err != nil {
		return t, err
	}
	defer func() {
		if closed := answer.Close(); int64(len(t.Rows)) == t.Total { // else it was cancelled
			err = errors.Join(err, closed)
		}
	}()
	t.Total = answer.Rows
	for _, f := range answer.Schema().Fields() {
		t.Columns = append(t.Columns, page.TableColumn{Name: page.Beginning(f.Name), Type: page.Beginning(f.Type.String()), Number: isNumber(f.Type)})
	}
	held := 0
	for row, err := range rowsOf(answer) {
		if err != nil {
			return t, err
		}
		line, size := askLine(row)
		if held += size; len(t.Rows) == page.AskRows || held > page.AskBytes && len(t.Rows) > 0 {
			break
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}

// askLine is a row as the page shows it, and about what it takes there.
func askLine(row []any) (line []*string, size int) {
	line = make([]*string, len(row))
	for i, v := range row {
		size += page.AskCellBytes
		if text, ok := v.(string); ok {
			shown := page.Beginning(text)
			line[i], size = &shown, size+len(shown)
		}
	}
	return line, size
}

// isNumber reports whether the values of a type are numbers.
func isNumber(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

// rowsOf yields the rows of an answer as texts, and nil for NULL. The slice is used again for the next row.
func rowsOf(answer *worker.Answer) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		row := make([]any, answer.Schema().NumFields())
		for {
			record, err := answer.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range int(record.NumRows()) {
				for c, column := range record.Columns() {
					if row[c] = nil; !column.IsNull(i) {
						row[c] = column.ValueStr(i)
					}
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// askFile writes the whole answer of a statement of the page's form to a temporary file.
func (n *networkServer) askFile(ctx context.Context, sql, format string) (path string, done func() error, err error) {
	end, err := n.makeFile(ctx)
	if err != nil {
		return "", nil, err
	}
	defer end()
	return temporaryAnswer(format, func(_, path string) error { return n.writeAsked(ctx, sql, format, path) })
}

func (n *networkServer) writeAsked(ctx context.Context, sql, format, path string) (err error) {
	answer, err := n.pool.Query(ctx, worker.Query{Text: sql, Texts: format == "csv"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Close()) }()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if format == "parquet" {
		return writeParquet(f, answer)
	}
	columns := make([]console.Column, answer.Schema().NumFields())
	for i, field := range answer.Schema().Fields() {
		columns[i] = console.Column{Name: field.Name, Type: "VARCHAR"}
		if isNumber(field.Type) {
			columns[i].Type = "DOUBLE"
		}
	}
	_, err = console.WriteRows(f, forPeople(format), 0, columns, rowsOf(answer))
	return errors.Join(err, f.Close())
}

// maxRowGroup is about how many bytes of a Parquet file are in memory until they are written.
const maxRowGroup = 16 << 20

// writeParquet writes an answer as Parquet, and closes the file.
func writeParquet(f *os.File, answer *worker.Answer) error {
	w, err := pqarrow.NewFileWriter(answer.Schema(), f, arrowparquet.NewWriterProperties(arrowparquet.WithCompression(compress.Codecs.Zstd)), pqarrow.DefaultWriterProps())
	if err != nil {
		return errors.Join(fmt.Errorf("write the answer: %w", err), f.Close())
	}
	for {
		record, err := answer.Next()
		if err == io.EOF {
			return w.Close() // which closes the file
		}
		if err == nil && w.RowGroupTotalBytesWritten() > maxRowGroup {
			w.NewBufferedRowGroup()
		}
		if err == nil {
			err = w.WriteBuffered(record)
		}
		if err != nil {
			return errors.Join(err, w.Close())
		}
	}
}
