package worker

import (
	"io"
	"iter"

	"github.com/apache/arrow/go/v17/arrow"
)

// IsNumber reports whether the values of a type are numbers.
func IsNumber(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

// Texts yields the rows of an answer as texts, and nil for NULL. The slice is used again for the next row.
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
