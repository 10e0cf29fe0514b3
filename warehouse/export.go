package warehouse

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// ExportColumn is a column of a Parquet file that ExportTable or Merge writes.
type ExportColumn struct {
	Name, Type string // the type in DuckDB
	ID         int    // the field id in the file
}

// Night reports whether the column is the night of a lake file.
func (c ExportColumn) Night() bool { return c.Name == "snapshot_date" && c.Type == "DATE" }

// exported is what the statements of an export are filled with.
type exported struct {
	Columns      []ExportColumn
	Source, Path string
	Paths, Sort  []string
}

// ExportTable writes columns of a table to a new Parquet file, sorted, and returns the number of rows.
func (w *Warehouse) ExportTable(ctx context.Context, table string, columns []ExportColumn, sort []string, path string) (rows int64, err error) {
	text := filled("export/table", exported{Columns: columns, Source: table, Path: quote(path), Sort: sort})
	result, err := w.db.ExecContext(ctx, text)
	if err != nil {
		return 0, fmt.Errorf("write %s to %s: %w", table, path, unwrapped(err))
	}
	return result.RowsAffected()
}

// Merge writes the rows of lake files to a new Parquet file, sorted, and returns their number. It uses
// three threads, which is safe without a window function (see DefaultThreads), and at most some memory; the rest
// spills to a directory.
func Merge(ctx context.Context, files []string, columns []ExportColumn, sort []string, path, spill string, memoryMiB int) (rows int64, err error) {
	db, err := open(ctx, ":memory:", setting{"memory_limit", strconv.Itoa(within(memoryMiB, &bounds.memoryMiB)) + "MiB"}, setting{"temp_directory", spill}, threads(within(3, &bounds.threads)))
	if err != nil {
		return 0, fmt.Errorf("merge lake files: %w", err)
	}
	defer func() { err = errors.Join(err, unwrapped(db.Close())) }()
	quoted := make([]string, len(files))
	for i, name := range files {
		quoted[i] = quote(name)
	}
	result, err := db.ExecContext(ctx, filled("export/merge", exported{Columns: columns, Path: quote(path), Paths: quoted, Sort: sort}))
	if err != nil {
		return 0, fmt.Errorf("merge lake files to %s: %w", path, unwrapped(err))
	}
	return result.RowsAffected()
}
