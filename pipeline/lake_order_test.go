package pipeline

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/file"
)

// TestLakeFilesAreInTheOrderThatTheyDeclare, for answers of two simulated nights: an engine that trusts the
// declaration merges files without sorting them.
func TestLakeFilesAreInTheOrderThatTheyDeclare(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(copyOfTwoNights(t).Dir, "lake", "[a-u]*", "*", "*.parquet"))
	must(t, err)
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	tables := map[string]bool{}
	for _, path := range paths {
		order := declaredOrder(t, path)
		if len(order) == 0 {
			t.Errorf("%s declares no order", path)
			continue
		}
		text := fmt.Sprintf("SELECT bool_and(place = file_row_number) FROM (SELECT file_row_number, row_number() OVER (ORDER BY %s, file_row_number) - 1 AS place FROM read_parquet('%s', file_row_number = true))",
			strings.Join(order, ", "), path)
		var sorted bool
		must(t, db.QueryRow(text).Scan(&sorted))
		if !sorted {
			t.Errorf("%s is not sorted by %s", path, strings.Join(order, ", "))
		}
		tables[filepath.Base(filepath.Dir(filepath.Dir(path)))] = true
	}
	if len(tables) != 9 {
		t.Errorf("only %v", tables)
	}
}

// declaredOrder returns the columns that each row group of a file is declared to be sorted by.
func declaredOrder(t *testing.T, path string) (order []string) {
	t.Helper()
	r, err := file.OpenParquetFile(path, false)
	must(t, err)
	defer r.Close()
	for i, group := range r.MetaData().RowGroups {
		var of []string
		for _, c := range group.SortingColumns {
			if c.Descending || !c.NullsFirst {
				t.Errorf("%s is declared in another direction", path)
			}
			of = append(of, r.MetaData().Schema.Column(int(c.ColumnIdx)).Name()+" NULLS FIRST")
		}
		if i > 0 && strings.Join(of, ", ") != strings.Join(order, ", ") {
			t.Errorf("%s: row group %d has another order", path, i)
		}
		order = of
	}
	return order
}
