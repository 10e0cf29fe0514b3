package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	iceberg "github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
)

// batchRows is how many rows of each file are in memory at a time.
const batchRows = 1024

// fieldID is the entry of a column's metadata that has its field id.
const fieldID = "PARQUET:field_id"

// cursor reads one file row by row, its columns in the order of the table and found by their ids.
type cursor struct {
	uri     string
	file    *file.Reader
	records pqarrow.RecordReader
	places  []int // for each column of the table its place in the file, -1 if the file does not have it
	columns []arrow.Array
	row     int
	rows    int
}

func openCursor(ctx context.Context, files iceio.IO, uri string, schema *iceberg.Schema) (*cursor, error) {
	f, err := files.Open(uri)
	if err != nil {
		return nil, err
	}
	properties := parquet.NewReaderProperties(memory.DefaultAllocator)
	properties.BufferedStreamEnabled = true // a buffer for each column instead of a whole row group of every file
	r, err := file.NewParquetReader(f, file.WithReadProps(properties))
	if err != nil {
		f.Close()
		return nil, err
	}
	c := &cursor{uri: uri, file: r}
	if err := c.start(ctx, schema); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *cursor) start(ctx context.Context, schema *iceberg.Schema) error {
	r, err := pqarrow.NewFileReader(c.file, pqarrow.ArrowReadProperties{BatchSize: batchRows}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	have, err := r.Schema()
	if err != nil {
		return err
	}
	byID := map[int]int{}
	for i, field := range have.Fields() {
		text, _ := field.Metadata.GetValue(fieldID)
		id, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("column %s of %s has no field id", field.Name, c.uri)
		}
		byID[id] = i
	}
	for _, field := range schema.Fields() {
		place, ok := byID[field.ID]
		if !ok {
			place = -1
		}
		c.places = append(c.places, place)
	}
	c.records, err = r.GetRecordReader(ctx, nil, nil)
	return err
}

// next moves to the next row; false at the end of the file.
func (c *cursor) next() (bool, error) {
	if c.row++; c.row < c.rows {
		return true, nil
	}
	for c.records.Next() {
		batch := c.records.RecordBatch()
		if batch.NumRows() == 0 {
			continue
		}
		c.columns = c.columns[:0]
		for _, place := range c.places {
			var column arrow.Array
			if place >= 0 {
				column = batch.Column(place)
			}
			c.columns = append(c.columns, column)
		}
		c.row, c.rows = 0, int(batch.NumRows())
		return true, nil
	}
	return false, c.records.Err()
}

func (c *cursor) close() {
	if c.records != nil {
		c.records.Release()
	}
	c.file.Close()
}

// compareRows orders two rows by some columns of the table; a missing value comes first.
func compareRows(a *cursor, i int, b *cursor, j int, by []int) int {
	for _, column := range by {
		if order := compareValues(a.columns[column], i, b.columns[column], j); order != 0 {
			return order
		}
	}
	return 0
}

func compareValues(a arrow.Array, i int, b arrow.Array, j int) int {
	missingA, missingB := a == nil || a.IsNull(i), b == nil || b.IsNull(j)
	if missingA || missingB {
		return compareBools(!missingA, !missingB)
	}
	switch a := a.(type) {
	case *array.String:
		return strings.Compare(a.Value(i), b.(*array.String).Value(j))
	case *array.Int64:
		return cmp.Compare(a.Value(i), wide(b, j))
	case *array.Int32:
		return cmp.Compare(int64(a.Value(i)), wide(b, j))
	case *array.Float64:
		return cmp.Compare(a.Value(i), b.(*array.Float64).Value(j))
	case *array.Boolean:
		return compareBools(a.Value(i), b.(*array.Boolean).Value(j))
	case *array.Date32:
		return cmp.Compare(a.Value(i), b.(*array.Date32).Value(j))
	case *array.Timestamp:
		return cmp.Compare(a.Value(i), b.(*array.Timestamp).Value(j))
	}
	return 0 // appendValue refuses the type
}

// wide reads an integer: a column may have been an int before it became a long.
func wide(a arrow.Array, i int) int64 {
	if a, ok := a.(*array.Int32); ok {
		return int64(a.Value(i))
	}
	return a.(*array.Int64).Value(i)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// appendValue copies one value to a builder of the table's type.
func appendValue(to array.Builder, from arrow.Array, i int) error {
	if from == nil || from.IsNull(i) {
		to.AppendNull()
		return nil
	}
	switch to := to.(type) {
	case *array.StringBuilder:
		to.Append(from.(*array.String).Value(i))
	case *array.Int64Builder:
		to.Append(wide(from, i))
	case *array.Int32Builder:
		to.Append(from.(*array.Int32).Value(i))
	case *array.Float64Builder:
		to.Append(from.(*array.Float64).Value(i))
	case *array.BooleanBuilder:
		to.Append(from.(*array.Boolean).Value(i))
	case *array.Date32Builder:
		to.Append(from.(*array.Date32).Value(i))
	case *array.TimestampBuilder:
		to.Append(from.(*array.Timestamp).Value(i))
	default:
		return fmt.Errorf("values of %s cannot be copied", from.DataType())
	}
	return nil
}
