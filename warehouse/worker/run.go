package worker

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/vectors"
	"github.com/marcboeker/go-duckdb/mapping"
)

// Rows that are read from the spooled answer at a time: at first, while their size is unknown, and at
// most, which is a row group of DuckDB. They are in memory outside of DuckDB's limit.
const (
	firstRows = 2048
	mostRows  = 122_880
)

// sliceBytes is about how much is read at a time, and recordBytes is the greatest record, unless a
// single row is larger: clients refuse messages of 16 MiB.
const (
	sliceBytes  = 16 << 20
	recordBytes = 2 << 20
)

// answer answers a request; all but its end.
func (s *server) answer(ctx context.Context, r request) error {
	if r.Describe {
		return s.describe(ctx, r)
	}
	w, err := s.file.open(ctx)
	if err != nil {
		return err
	}
	args, err := arguments(r.Arguments)
	if err != nil {
		return err
	}
	a, err := w.Answer(ctx, r.Statements[0], args...)
	if err != nil {
		return err
	}
	defer a.Close()
	if r.Rows > 0 && a.Rows > r.Rows {
		return fmt.Errorf("%w: %d, of at most %d; aggregate or add a LIMIT", ErrRows, a.Rows, r.Rows)
	}
	columns, err := columnsOf(ctx, a, r.Texts)
	if err != nil {
		return err
	}
	if _, err := schemaBytes(columns.Schema); err != nil {
		return err
	}
	if err := s.out.message(frameAnswer, answer{Rows: a.Rows}); err != nil {
		return err
	}
	return s.send(ctx, a, columns, r.Bytes)
}

func columnsOf(ctx context.Context, a *warehouse.Answer, texts bool) (columns vectors.Columns, err error) {
	if texts {
		return vectors.TextColumns(a.Names, a.Types, a.Texts), nil
	}
	return columns, a.Vectors(ctx, "FROM temp.fleetlake_answer LIMIT 0", func(result *mapping.Result) error {
		columns = vectors.ColumnsOf(result, a.Names)
		return nil
	})
}

// stream writes the rows of an answer as an Arrow stream.
type stream struct {
	columns vectors.Columns
	part    *part // what to writes to
	to      *ipc.Writer
	most    int64 // bytes; 0 is no limit
	sent    int64
}

// send writes the rows, slice by slice.
func (s *server) send(ctx context.Context, a *warehouse.Answer, columns vectors.Columns, most int64) error {
	part := &part{s.out, maxRow}
	out := &stream{columns: columns, most: most, part: part, to: ipc.NewWriter(part, ipc.WithSchema(columns.Schema))}
	for from, n := int64(0), int64(firstRows); from < a.Rows; from += n {
		if from > 0 {
			n = min(max(sliceBytes/max(out.sent/from, 1), firstRows), mostRows)
		}
		text := fmt.Sprintf("SELECT %s FROM temp.fleetlake_answer WHERE rowid >= %d AND rowid < %d", columns.Select(), from, from+n)
		if err := a.Vectors(ctx, text, out.sendAll); err != nil {
			return err
		}
	}
	part.left = maxRow
	return out.to.Close()
}

// sendAll writes the rows of a result.
func (s *stream) sendAll(result *mapping.Result) error {
	for i := range mapping.ResultChunkCount(*result) {
		chunk := mapping.ResultGetChunk(*result, i)
		record, err := s.columns.Record(chunk)
		mapping.DestroyDataChunk(&chunk)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBytes, err)
		}
		err = s.sendRecord(record)
		record.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// sendRecord writes a record in parts that are not too large.
func (s *stream) sendRecord(record arrow.Record) error {
	size, rows := int64(0), record.NumRows()
	for _, c := range record.Columns() {
		size += int64(c.Data().SizeInBytes())
	}
	size = max(size, weight(record, 0, rows))
	if s.sent += size; s.most > 0 && s.sent > s.most {
		return fmt.Errorf("%w: more than %d MiB; select fewer columns or rows", ErrBytes, s.most>>20)
	}
	step := max(1, rows*recordBytes/max(size, 1))
	for from := int64(0); from < rows; from += step {
		to := min(from+step, rows)
		if weight(record, from, to) > maxRow {
			return errLargeRow
		}
		part := record.NewSlice(from, to)
		s.part.left = maxRow
		err := s.to.Write(part)
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// part writes what one message may have, and refuses the rest of a larger one.
type part struct {
	to   io.Writer
	left int
}

func (p *part) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, errLargeRow
	}
	return p.to.Write(b)
}

// describe sends the columns and parameters of statements. Without arguments, all parameters are NULL.
func (s *server) describe(ctx context.Context, r request) error {
	w, err := s.file.open(ctx)
	if err != nil {
		return err
	}
	var reply answer
	for _, text := range r.Statements {
		var d description
		if d.Parameters, err = w.Parameters(ctx, text); err != nil {
			return err
		}
		args := make([]mapping.Value, len(d.Parameters))
		for i := range args {
			args[i] = mapping.CreateNullValue()
		}
		if r.Arguments != nil {
			if args, err = arguments(r.Arguments); err != nil {
				return err
			}
		}
		if d.Columns, err = describeColumns(ctx, w, text, args); err != nil {
			return err
		}
		reply.Statements = append(reply.Statements, d)
	}
	return s.out.message(frameAnswer, reply)
}

func describeColumns(ctx context.Context, w *warehouse.Warehouse, text string, args []mapping.Value) ([]byte, error) {
	a, err := w.Describe(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	columns, err := columnsOf(ctx, a, false)
	if err != nil {
		return nil, err
	}
	return schemaBytes(columns.Schema)
}

// schemaBytes writes a schema as an Arrow stream without rows. One that is too large is ErrBytes.
func schemaBytes(schema *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(schema)).Close(); err != nil {
		return nil, err
	}
	if b.Len() > maxSchema {
		return nil, fmt.Errorf("%w: the names and types of the columns have more than %d KiB", ErrBytes, maxSchema>>10)
	}
	return b.Bytes(), nil
}

// schemaOf reads what schemaBytes wrote.
func schemaOf(b []byte) (*arrow.Schema, error) {
	r, err := newStreamReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}
