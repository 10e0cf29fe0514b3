package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/thrift/lib/go/thrift"
)

// page is a data page of a column chunk. Each value is a row, since no column is a list.
type page struct {
	offset     int64 // of its header in the file
	size       int32 // in bytes, with its header
	rows       int64
	nulls      int64
	least      []byte // plainly encoded; nil if all values are null, or if the writer left it out
	greatest   []byte
	dictionary bool // it has the dictionary of the chunk, and no rows
}

// unknown reports whether a page has values of which nothing is known.
func (p page) unknown() bool {
	return p.nulls < p.rows && (p.least == nil || p.greatest == nil)
}

// ascending reports whether pages of texts are in the order of their values.
func ascending(pages []page) bool {
	var before page
	for _, p := range pages {
		if p.least == nil {
			continue
		}
		if bytes.Compare(before.least, p.least) > 0 || bytes.Compare(before.greatest, p.greatest) > 0 {
			return false
		}
		before = p
	}
	return true
}

// readPages reads the headers of the data pages of a column chunk.
func readPages(r io.ReaderAt, from, size int64) ([]page, error) {
	chunk := make([]byte, size)
	if _, err := r.ReadAt(chunk, from); err != nil {
		return nil, fmt.Errorf("read the pages at %d: %w", from, err)
	}
	var pages []page
	for at := int64(0); at < size; {
		p, header, err := readPageHeader(chunk[at:])
		if err == nil && (p.size < 0 || int64(p.size) > size-at-int64(header)) {
			err = fmt.Errorf("it has %d bytes, and the chunk has %d more", p.size, size-at-int64(header))
		}
		if err != nil {
			return nil, fmt.Errorf("read the page at %d: %w", from+at, err)
		}
		p.offset, p.size = from+at, p.size+int32(header) // the header says how long the rest is
		if !p.dictionary {
			pages = append(pages, p)
		}
		at += int64(p.size)
	}
	return pages, nil
}

// readPageHeader reads the header at the beginning of some bytes, and returns its length. The size is
// that of the page without it.
func readPageHeader(b []byte) (p page, header int, err error) {
	buffer := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}
	r := headerReader{fieldReader: fieldReader{thrift.NewTCompactProtocolConf(buffer, nil)}}
	err = r.fields(r.header)
	if err == nil && !r.page.dictionary && r.page.rows == 0 {
		err = errors.New("it is no data page of the first version")
	}
	return r.page, len(b) - buffer.Len(), err
}

// headerReader reads the header of a page. Its methods read one field each, by its number in the format.
type headerReader struct {
	fieldReader
	page page
}

func (r *headerReader) header(id int16) (err error) {
	switch id {
	case 3:
		r.page.size, err = r.ReadI32(context.Background())
	case 5:
		err = r.fields(r.data)
	case 7:
		r.page.dictionary = true
		err = errSkip
	default:
		err = errSkip
	}
	return err
}

// data reads the part of the header that only a data page has.
func (r *headerReader) data(id int16) error {
	switch id {
	case 1:
		n, err := r.ReadI32(context.Background())
		r.page.rows = int64(n)
		return err
	case 5:
		return r.fields(r.statistics)
	}
	return errSkip
}

func (r *headerReader) statistics(id int16) (err error) {
	switch ctx := context.Background(); id {
	case 3:
		r.page.nulls, err = r.ReadI64(ctx)
	case 5:
		r.page.greatest, err = r.ReadBinary(ctx)
	case 6:
		r.page.least, err = r.ReadBinary(ctx)
	default:
		err = errSkip
	}
	return err
}

// errSkip says that a field is not read.
var errSkip = errors.New("not read")

// fieldReader reads structs of Thrift, in which the format has its headers.
type fieldReader struct{ *thrift.TCompactProtocol }

// fields reads a struct: it calls read for each field, which returns errSkip for those that it leaves.
func (r fieldReader) fields(read func(id int16) error) error {
	ctx := context.Background()
	if _, err := r.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, kind, id, err := r.ReadFieldBegin(ctx)
		if err == nil && kind == thrift.STOP {
			return r.ReadStructEnd(ctx)
		}
		if err == nil {
			err = read(id)
		}
		if err == errSkip {
			err = r.Skip(ctx, kind)
		}
		if err != nil {
			return err
		}
	}
}
