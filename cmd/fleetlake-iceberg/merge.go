package main

import (
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	iceberg "github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// rowGroupRows is how many rows a row group of a compacted file has, and so how many are in memory: as many as DuckDB has
// in one. Smaller ones make one vessel's life cheaper, and everything else dearer: docs/lake.md has the figures.
const rowGroupRows = 122_880

// rewrite writes the rows of several files into a new one in the order of the table, with its parts in the
// footer. Each file is read once, row by row, so that memory grows with their number and not with their size.
// declare names the order in the file. sorted is false if one of the files was not in the order of the table; then the
// new one is not either, and is not kept if it would declare it.
func rewrite(ctx context.Context, files iceio.WriteFileIO, schema *iceberg.Schema, by []int, declare bool, sources []string,
	parts []part, uri string) (rows int64, sorted bool, err error) {
	m := merger{by: by, declare: declare, sorted: true}
	defer m.close()
	for _, source := range sources {
		c, err := openCursor(ctx, files, source, schema)
		if err != nil {
			return 0, false, fmt.Errorf("read %s: %w", source, err)
		}
		m.open = append(m.open, c)
		if err := m.add(c); err != nil {
			return 0, false, err
		}
	}
	heap.Init(&m)
	out, err := files.Create(uri)
	if err != nil {
		return 0, false, err
	}
	rows, err = m.write(ctx, out, schema, parts)
	if err != nil || declare && !m.sorted {
		if w, ok := out.(*wholeFile); ok {
			return 0, false, errors.Join(err, w.abandon())
		}
		return 0, false, errors.Join(err, out.Close())
	}
	return rows, m.sorted, out.Close()
}

// merger gives the rows of several files in one order.
type merger struct {
	by      []int // places of the sort columns
	declare bool  // the file names them
	open    []*cursor
	heads   []*cursor // a heap of the cursors that have a row
	sorted  bool
}

func (m *merger) Len() int      { return len(m.heads) }
func (m *merger) Swap(i, j int) { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *merger) Less(i, j int) bool {
	a, b := m.heads[i], m.heads[j]
	if order := compareRows(a, a.row, b, b.row, m.by); order != 0 {
		return order < 0
	}
	return a.uri < b.uri // the same files give the same file
}
func (m *merger) Push(c any) { m.heads = append(m.heads, c.(*cursor)) }
func (m *merger) Pop() any {
	last := m.heads[len(m.heads)-1]
	m.heads = m.heads[:len(m.heads)-1]
	return last
}

func (m *merger) add(c *cursor) error {
	more, err := c.next()
	if err != nil {
		return fmt.Errorf("read %s: %w", c.uri, err)
	}
	if more {
		m.heads = append(m.heads, c)
	}
	return nil
}

func (m *merger) close() {
	for _, c := range m.open {
		c.close()
	}
}

// write drains the merger into a Parquet file. It leaves out open.
func (m *merger) write(ctx context.Context, out iceio.FileWriter, schema *iceberg.Schema, parts []part) (rows int64, err error) {
	arrowSchema, err := table.SchemaToArrowSchema(schema, nil, true, false)
	if err != nil {
		return 0, err
	}
	footer, err := json.Marshal(parts)
	if err != nil {
		return 0, err
	}
	var order []parquet.SortingColumn
	for _, place := range m.by {
		if m.declare {
			order = append(order, parquet.SortingColumn{ColumnIdx: int32(place), NullsFirst: true})
		}
	}
	properties := parquet.NewWriterProperties(parquet.WithCreatedBy("fleetlake-iceberg"), parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithMaxRowGroupLength(rowGroupRows), parquet.WithStats(true),
		parquet.WithSortingColumns(order))
	w, err := pqarrow.NewFileWriter(arrowSchema, keepOpen{out}, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return 0, err
	}
	if err := w.AppendKeyValueMetadata(partsKey, string(footer)); err != nil {
		return 0, errors.Join(err, w.Close())
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrowSchema)
	defer b.Release()
	for len(m.heads) > 0 {
		n, err := m.batch(b)
		rows += int64(n)
		if err = errors.Join(err, context.Cause(ctx)); err == nil {
			err = writeBatch(w, b)
		}
		if err != nil {
			return rows, errors.Join(err, w.Close())
		}
	}
	return rows, w.Close()
}

// batch appends the next rows to the builder.
func (m *merger) batch(b *array.RecordBuilder) (rows int, err error) {
	for rows < 8*batchRows && len(m.heads) > 0 {
		c := m.heads[0]
		for i, column := range c.columns {
			if err := appendValue(b.Field(i), column, c.row); err != nil {
				return rows, fmt.Errorf("%s: %w", c.uri, err)
			}
		}
		rows++
		if err := m.advance(c); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// advance moves the first cursor of the heap to its next row and notices a file that is not in order. Rows at
// the border of two batches are not compared: the arrays of the first are no longer there.
func (m *merger) advance(c *cursor) error {
	if c.row+1 < c.rows && compareRows(c, c.row, c, c.row+1, m.by) > 0 {
		m.sorted = false
	}
	more, err := c.next()
	if err != nil {
		return fmt.Errorf("read %s: %w", c.uri, err)
	}
	if more {
		heap.Fix(m, 0)
	} else {
		heap.Pop(m)
	}
	return nil
}

func writeBatch(w *pqarrow.FileWriter, b *array.RecordBuilder) error {
	batch := b.NewRecordBatch()
	defer batch.Release()
	return w.WriteBuffered(batch)
}

// keepOpen keeps the Parquet writer from closing the file: closing makes it visible, which rewrite decides.
type keepOpen struct{ iceio.FileWriter }

func (keepOpen) Close() error { return nil }
