package load

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// footerWriter passes a Parquet file on, except for its footer, so that finish can complete it: the
// library writes neither a page index nor the order of the rows. The footer is the last three writes.
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

// finish writes the page index of each column and the footer, which then names the columns that the
// rows are sorted by. An error in the form of the footer is one of the library.
func (w *footerWriter) finish(sorted []string) error {
	footer, length, magic := w.last[0].Bytes(), w.last[1].Bytes(), w.last[2].Bytes()
	if string(magic) != "PAR1" || len(length) != 4 || int(binary.LittleEndian.Uint32(length)) != len(footer) {
		return errors.New("the Parquet writer wrote no footer")
	}
	m, err := metadata.NewFileMetaData(footer, nil)
	if err != nil {
		return err
	}
	if err := w.writePageIndex(m); err != nil {
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

// declareOrder names in each row group the columns that its rows are sorted by, in ascending order
// and with nulls first.
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

// writePageIndex writes the index of each column chunk, and enters in the footer where it is: first
// which values each page has, and then where each page is, as the format has it.
func (w *footerWriter) writePageIndex(m *metadata.FileMetaData) error {
	if err := w.out.w.Flush(); err != nil { // the pages are read back
		return err
	}
	var places [][]byte
	for _, group := range m.RowGroups {
		for i, c := range group.Columns {
			from := c.MetaData.DataPageOffset
			if at := c.MetaData.DictionaryPageOffset; at != nil {
				from = min(from, *at)
			}
			pages, err := readPages(w.out.f, from, c.MetaData.TotalCompressedSize)
			if err != nil {
				return err
			}
			places = append(places, offsetIndex(pages))
			if slices.ContainsFunc(pages, page.unknown) {
				continue // such a column has no index of values
			}
			inOrder := m.Schema.Column(i).PhysicalType() == parquet.Types.ByteArray && ascending(pages)
			if c.ColumnIndexOffset, c.ColumnIndexLength, err = w.writeIndex(columnIndex(pages, inOrder)); err != nil {
				return err
			}
		}
	}
	for _, group := range m.RowGroups {
		for _, c := range group.Columns {
			var err error
			if c.OffsetIndexOffset, c.OffsetIndexLength, err = w.writeIndex(places[0]); err != nil {
				return err
			}
			places = places[1:]
		}
	}
	return nil
}

// writeIndex writes an index, and returns where it is and its length.
func (w *footerWriter) writeIndex(b []byte) (*int64, *int32, error) {
	offset, length := w.out.size, int32(len(b))
	_, err := w.out.Write(b)
	return &offset, &length, err
}
