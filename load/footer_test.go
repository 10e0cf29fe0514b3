package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	parquet "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/apache/thrift/lib/go/thrift"
)

// index is what the page index of a column chunk says.
type index struct {
	empty           []bool
	least, greatest []string
	order           int32
	nulls           []int64
	offset, first   []int64
	size            []int32
}

// readIndexes reads the two indexes of a chunk with Thrift's own reader of lists.
func readIndexes(t *testing.T, values, places []byte) (x index) {
	t.Helper()
	ctx := context.Background()
	r := fieldReader{thrift.NewTCompactProtocolConf(&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(values)}, nil)}
	list := func(r fieldReader, element func() error) error {
		_, n, err := r.ReadListBegin(ctx)
		for range n {
			err = errors.Join(err, element())
		}
		return err
	}
	err := r.fields(func(id int16) (err error) {
		switch id {
		case 1:
			return list(r, func() error { v, err := r.ReadBool(ctx); x.empty = append(x.empty, v); return err })
		case 2:
			return list(r, func() error { v, err := r.ReadBinary(ctx); x.least = append(x.least, string(v)); return err })
		case 3:
			return list(r, func() error { v, err := r.ReadBinary(ctx); x.greatest = append(x.greatest, string(v)); return err })
		case 4:
			x.order, err = r.ReadI32(ctx)
			return err
		}
		return list(r, func() error { v, err := r.ReadI64(ctx); x.nulls = append(x.nulls, v); return err })
	})
	if err != nil {
		t.Fatal(err)
	}
	r = fieldReader{thrift.NewTCompactProtocolConf(&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(places)}, nil)}
	err = r.fields(func(int16) error {
		return list(r, func() error {
			return r.fields(func(id int16) error {
				switch id {
				case 1:
					v, err := r.ReadI64(ctx)
					x.offset = append(x.offset, v)
					return err
				case 2:
					v, err := r.ReadI32(ctx)
					x.size = append(x.size, v)
					return err
				}
				v, err := r.ReadI64(ctx)
				x.first = append(x.first, v)
				return err
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// bounds are the least and the greatest of some values, encoded as in an index, and the number of nulls.
func bounds(values arrow.Array, from, to int64) (least, greatest string, nulls int64) {
	var rows []int
	for i := int(from); i < int(to); i++ {
		if values.IsValid(i) {
			rows = append(rows, i)
		}
	}
	nulls = to - from - int64(len(rows))
	if len(rows) == 0 {
		return "", "", nulls
	}
	switch v := values.(type) {
	case *array.String:
		least, greatest = ends(rows, v.Value, func(s string) string { return s })
	case *array.Int32:
		least, greatest = ends(rows, v.Value, func(n int32) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) })
	case *array.Date32:
		least, greatest = ends(rows, v.Value, func(n arrow.Date32) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) })
	case *array.Timestamp:
		least, greatest = ends(rows, v.Value, func(n arrow.Timestamp) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(n))) })
	case *array.Float64:
		least, greatest = ends(rows, v.Value, func(f float64) string { return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))) })
	case *array.Boolean:
		number := func(i int) byte {
			if v.Value(i) {
				return 1
			}
			return 0
		}
		least, greatest = ends(rows, number, func(b byte) string { return string(rune(b)) })
	default:
		panic(fmt.Sprintf("no bounds of %T", v))
	}
	return least, greatest, nulls
}

func ends[T cmp.Ordered](rows []int, value func(int) T, encode func(T) string) (least, greatest string) {
	low, high := value(rows[0]), value(rows[0])
	for _, i := range rows {
		low, high = min(low, value(i)), max(high, value(i))
	}
	return encode(low), encode(high)
}

// checkPageIndex compares the page index of a file with its pages and their values, and returns the
// number of pages.
func checkPageIndex(t *testing.T, path string) (pages int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := parquet.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	arrows, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	var columns []int
	for i := range r.MetaData().Schema.NumColumns() {
		columns = append(columns, i)
	}
	for i, group := range r.MetaData().RowGroups {
		table, err := arrows.ReadRowGroups(t.Context(), columns, []int{i})
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range group.Columns {
			name := fmt.Sprintf("%s, group %d, column %s", path, i, r.MetaData().Schema.Column(j).Name())
			x := readIndexes(t, b[*c.ColumnIndexOffset:][:*c.ColumnIndexLength], b[*c.OffsetIndexOffset:][:*c.OffsetIndexLength])
			values, err := array.Concatenate(table.Column(j).Data().Chunks(), memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			end := c.MetaData.DataPageOffset
			for k := range x.offset {
				next := group.NumRows
				if k+1 < len(x.first) {
					next = x.first[k+1]
				}
				if x.offset[k] != end || k == 0 && x.first[k] != 0 || next <= x.first[k] {
					t.Fatalf("%s: page %d is at %d with row %d, want it at %d", name, k, x.offset[k], x.first[k], end)
				}
				end += int64(x.size[k])
				least, greatest, nulls := bounds(values, x.first[k], next)
				if x.least[k] != least || x.greatest[k] != greatest || x.nulls[k] != nulls || x.empty[k] != (nulls == next-x.first[k]) {
					t.Fatalf("%s: page %d has %q to %q and %d nulls, its index says %q to %q and %d (%v)", name, k, least, greatest, nulls, x.least[k], x.greatest[k], x.nulls[k], x.empty[k])
				}
			}
			inOrder := slices.IsSorted(x.least) && slices.IsSorted(x.greatest)
			if x.order == 1 && !inOrder || r.MetaData().Schema.Column(j).Name() == "vessel_id" && x.order != 1 {
				t.Errorf("%s: the pages have the order %d, and are sorted: %v", name, x.order, inOrder)
			}
			pages += len(x.offset)
		}
		table.Release()
	}
	return pages
}

// TestThePageIndexIsTrue: an engine skips the pages that cannot have what it looks for, by this index
// alone.
func TestThePageIndexIsTrue(t *testing.T) {
	dir := t.TempDir()
	f := fleet{rowGroup + 20_000, 0}
	if _, err := Write(dir, f.run(), f); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(lake(dir), filepath.FromSlash(lakePath("listings", f.run().Date, f.run().ID)))
	if n := checkPageIndex(t, path); n < 90 {
		t.Errorf("%d pages", n)
	}

	small := night("20", listings(ever, nameless), particulars(with(ever, row{"length_m": 399.9, "updated_at": "19 04:00"}), with(nameless, row{"length_m": nil})),
		positions(with(row{"imo": 9811000}, row{"latitude": -1.5, "longitude": 103.0, "position_at": "20 01:30"})), covered("country"))
	for _, f := range write(t, dir, small).Files {
		checkPageIndex(t, LakePath(dir, f))
	}
}

// TestTheFooterSaysWhatAFileIs also of the file of vessels, which DuckDB writes.
func TestTheFooterSaysWhatAFileIs(t *testing.T) {
	dir, r := fourNightsAtOnce(t), fourNights()[0]
	for _, table := range []string{"listings", "coverage", vessels} {
		path := filepath.Join(lake(dir), filepath.FromSlash(lakePath(table, "2026-11-20", r.runID())))
		got := query(t, dir, "SELECT decode(key) || '=' || decode(value) FROM parquet_kv_metadata('"+path+"')")
		want := strings.Join([]string{"fleetlake.table=" + table, "fleetlake.run_id=" + r.runID(), "fleetlake.schema=" + SchemaID()}, "\n")
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", table, got, want)
		}
	}
}

// TestAFileWithoutAFooterIsRefused: the library loses the error of a footer that it cannot write.
func TestAFileWithoutAFooterIsRefused(t *testing.T) {
	for name, writes := range map[string][]string{
		"nothing":                  nil,
		"a footer without its end": {"PAR1", "footer", "\x06\x00\x00\x00"},
		"another length":           {"footer", "\x07\x00\x00\x00", "PAR1"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := create(filepath.Join(t.TempDir(), "a.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.abandon()
			w := &footerWriter{out: out}
			for _, s := range writes {
				if _, err := w.Write([]byte(s)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.finish(nil); err == nil || !strings.Contains(err.Error(), "no footer") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzPages checks that the bytes of a column chunk, however broken, are an error or pages within the chunk.
func FuzzPages(f *testing.F) {
	f.Add([]byte{0x15, 0, 0x15, 0x14, 0x15, 0x14, 0x2c, 0x15, 8, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0})
	f.Add([]byte{0x35, 1, 0})
	f.Fuzz(func(t *testing.T, chunk []byte) {
		pages, err := readPages(bytes.NewReader(chunk), 0, int64(len(chunk)))
		if err != nil {
			return
		}
		at := int64(0)
		for _, p := range pages {
			if p.offset < at || p.size <= 0 || p.offset+int64(p.size) > int64(len(chunk)) {
				t.Fatalf("%x has a page of %d bytes at %d", chunk, p.size, p.offset)
			}
			at = p.offset + int64(p.size)
		}
	})
}
