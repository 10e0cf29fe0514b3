package load

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	parquet "github.com/apache/arrow/go/v17/parquet/file"
	"github.com/fleetlake/fleetlake/transform"
)

// TestTheFooterDeclaresTheOrder reads the order of each row group, and that no chunk lacks its statistics.
func TestTheFooterDeclaresTheOrder(t *testing.T) {
	dir, f := t.TempDir(), fleet{rowGroup + 2_000, 0}
	if _, err := Write(dir, f.run(), f); err != nil {
		t.Fatal(err)
	}
	r, err := parquet.OpenParquetFile(filepath.Join(lake(dir), filepath.FromSlash(lakePath("listings", f.run().Date, f.run().ID))), false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.MetaData().RowGroups) != 2 {
		t.Errorf("%d row groups", len(r.MetaData().RowGroups))
	}
	for i, group := range r.MetaData().RowGroups {
		var order []string
		for _, c := range group.SortingColumns {
			if c.Descending || !c.NullsFirst {
				t.Errorf("group %d: %+v", i, c)
			}
			order = append(order, r.MetaData().Schema.Column(int(c.ColumnIdx)).Name())
		}
		if !slices.Equal(order, transform.Listings.Sort) {
			t.Errorf("group %d is sorted by %v, want %v", i, order, transform.Listings.Sort)
		}
		for j, c := range group.Columns {
			if s := c.MetaData.Statistics; s == nil || s.NullCount == nil {
				t.Errorf("group %d says nothing of column %s", i, r.MetaData().Schema.Column(j).Name())
			}
		}
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
