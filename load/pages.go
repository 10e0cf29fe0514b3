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
	buffer, ctx := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(b)}, context.Background()
	r := fieldReader{thrift.NewTCompactProtocolConf(buffer, nil)}
	statistics := func(id int16) (err error) {
		switch id {
		case 3:
			p.nulls, err = r.ReadI64(ctx)
		case 5:
			p.greatest, err = r.ReadBinary(ctx)
		case 6:
			p.least, err = r.ReadBinary(ctx)
		default:
			return errSkip
		}
		return err
	}
	dataPage := func(id int16) (err error) {
		switch id {
		case 1:
			var n int32
			n, err = r.ReadI32(ctx)
			p.rows = int64(n)
		case 5:
			err = r.fields(statistics)
		default:
			return errSkip
		}
		return err
	}
	err = r.fields(func(id int16) (err error) {
		switch id {
		case 3:
			p.size, err = r.ReadI32(ctx)
		case 5:
			err = r.fields(dataPage)
		case 7:
			p.dictionary = true
			return errSkip
		default:
			return errSkip
		}
		return err
	})
	if err == nil && !p.dictionary && p.rows == 0 {
		err = errors.New("it is no data page of the first version")
	}
	return p, len(b) - buffer.Len(), err
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
