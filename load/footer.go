package load

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// footerWriter passes a Parquet file on, except for its footer, so that finish can name the columns that the rows are
// sorted by: the library has no option for it. The footer is the last three writes.
type footerWriter struct {
	out  *file
	last [3]bytes.Buffer // the latest writes, the oldest first
	held int
}

func (w *footerWriter) Write(b []byte) (int, error) {
	if w.held == len(w.last) {
		if _, err := w.out.Write(w.last[0].Bytes()); err != nil {
			return 0, err
		}
		w.last[0].Reset()
		w.last[0], w.last[1], w.last[2] = w.last[1], w.last[2], w.last[0]
		w.held--
	}
	w.held++
	return w.last[w.held-1].Write(b)
}

// finish writes the footer, which then names the columns that the rows are sorted by. An error in the form of the
// footer is one of the library.
func (w *footerWriter) finish(sorted []string) error {
	footer, length, magic := w.last[0].Bytes(), w.last[1].Bytes(), w.last[2].Bytes()
	if string(magic) != "PAR1" || len(length) != 4 || int(binary.LittleEndian.Uint32(length)) != len(footer) {
		return errors.New("the Parquet writer wrote no footer")
	}
	m, err := metadata.NewFileMetaData(footer, nil)
	if err != nil {
		return err
	}
	declareOrder(m, sorted)
	n, err := m.WriteTo(w.out, nil)
	if err != nil {
		return err
	}
	_, err = w.out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), "PAR1"...))
	return err
}

// declareOrder names in each row group the columns that its rows are sorted by, in ascending order and with nulls
// first.
func declareOrder(m *metadata.FileMetaData, sorted []string) {
	for _, group := range m.RowGroups {
		for _, name := range sorted {
			c := newOf(group.SortingColumns)
			c.ColumnIdx, c.NullsFirst = int32(m.Schema.ColumnIndexByName(name)), true
			group.SortingColumns = append(group.SortingColumns, c)
		}
	}
}

// newOf returns a new element of a list, whose type is internal to the library.
func newOf[T any](_ []*T) *T { return new(T) }
