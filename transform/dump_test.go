package transform

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/fleetlake/fleetlake/extract/journal"
)

// night is a plan and the entries behind it.
func night(entries ...journal.Entry) []journal.Entry {
	plan := journal.Entry{Kind: journal.KindPlan, Plan: &journal.Plan{Run: "20261120T020000.000Z-7f3a", Job: "nightly", Date: "2026-11-20"}}
	return append([]journal.Entry{plan}, entries...)
}

// sequence yields entries as journal.Read does.
func sequence(entries []journal.Entry) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// batchOf adds entries to a batch whose memory is checked at the end of the test.
func batchOf(t testing.TB, entries []journal.Entry) *Batch {
	t.Helper()
	b := NewBatch()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	b.mem = mem
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	for x := range journal.Pair(sequence(entries)) {
		b.Add(x)
	}
	return b
}

// rowsIn returns the rows of a table as columns by name; null columns are left out.
func rowsIn(t testing.TB, b *Batch, table Table) []map[string]string {
	t.Helper()
	var rows []map[string]string
	err := b.Write(table, func(r arrow.Record) error {
		if !r.Schema().Equal(table.Schema) {
			t.Errorf("%s: schema %v", table.Name, r.Schema())
		}
		if r.NumRows() == 0 || r.NumRows() > recordRows {
			t.Errorf("%s: a record of %d rows", table.Name, r.NumRows())
		}
		for i := range int(r.NumRows()) {
			row := map[string]string{}
			for c, column := range r.Columns() {
				if !column.IsNull(i) {
					row[r.ColumnName(c)] = column.ValueStr(i)
				}
			}
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.Rows(table), len(rows); got != want {
		t.Errorf("%s: Rows says %d, Write gave %d", table.Name, got, want)
	}
	return rows
}

// dump writes every table, one cell a line.
func dump(t testing.TB, b *Batch) string {
	t.Helper()
	var out strings.Builder
	for _, table := range Tables {
		for i, row := range rowsIn(t, b, table) {
			fmt.Fprintf(&out, "%s %d\n", table.Name, i)
			for _, f := range table.Schema.Fields() {
				if s, ok := row[f.Name]; ok {
					fmt.Fprintf(&out, "\t%s: %s\n", f.Name, s)
				}
			}
		}
	}
	return out.String()
}
