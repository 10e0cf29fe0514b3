package worker

import (
	"io"
	"iter"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/fleetlake/fleetlake/warehouse/vectors"
)

// Types returns the types of the columns as DuckDB names them, of an answer that was asked for as texts.
func (a *Answer) Types() []string {
	types := make([]string, a.Schema().NumFields())
	for i, f := range a.Schema().Fields() {
		types[i] = vectors.TypeOf(f)
	}
	return types
}

// Texts yields the rows of an answer that was asked for as texts, as every other way to ask writes them, and nil for NULL.
// The slice is used again for the next row.
func (a *Answer) Texts() iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		row := make([]any, a.Schema().NumFields())
		for {
			record, err := a.Next()
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
						row[c] = column.(*array.String).Value(i)
					}
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}
