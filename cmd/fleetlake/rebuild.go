package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) rebuildCommand() *cobra.Command {
	var o pipeline.RebuildOptions
	var asJSON, acceptIssues bool
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Make lake and warehouse anew from the journal, with 0 requests",
		Long: `Make lake and warehouse anew from the journal, with 0 requests, and say how the tables differ
from those that were published: after a new version with other rules, per table and field.

Everything is built aside, which takes room for a second lake and warehouse. The switch comes
when all of it is verified; until then, and if the rebuild fails or dies, everything is as it
was, and the published file can be read at any minute. ` + "`fleetlake rollback`" + ` goes back to the
file that was published before. Runs that were rolled back come back.`,
		Example: `  fleetlake rebuild --dry-run
  fleetlake rebuild
  fleetlake rebuild --json > differences.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.lake()
			if err != nil {
				return err
			}
			return a.rebuild(cmd.Context(), dir, o, acceptIssues, asJSON)
		},
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "build and compare, and throw away what was built")
	c.Flags().BoolVar(&o.Lose, "lose", false, "go on without published runs whose segments are no more in the journal")
	c.Flags().BoolVar(&acceptIssues, "accept-issues", false, "publish also if suddenly many values are refused")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func (a *app) rebuild(ctx context.Context, dir string, o pipeline.RebuildOptions, acceptIssues, asJSON bool) error {
	unlock, err := lock(dir, "rebuild")
	if err != nil {
		return err
	}
	log := a.log()
	report, stop := a.progress(log)
	p := &pipeline.Pipeline{Dir: dir, Log: log, Version: version(), Progress: report, AcceptIssues: acceptIssues}
	done, err := p.Rebuild(ctx, o)
	stop()
	if err := errors.Join(err, unlock()); err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(a.stdout, done)
	}
	return renderRebuilt(a.stdout, console.TerminalWidth(a.stdout), done)
}

// renderRebuilt says what was made, and then table by table and field by field what differs.
func renderRebuilt(w io.Writer, width int, r pipeline.Rebuilt) error {
	rows := 0
	for _, n := range r.Rows {
		rows += n
	}
	fmt.Fprintf(w, "%d nights, %d runs, %s rows in the lake: rebuilt from the journal with 0 requests\n", r.Nights, r.Runs, console.Thousands(rows))
	for _, run := range r.Back {
		fmt.Fprintf(w, "came in: %s, which was not published\n", run)
	}
	for _, left := range r.Left {
		fmt.Fprintf(w, "left out: %s\n", left)
	}
	switch {
	case r.Uncompared != "":
		fmt.Fprintf(w, "not compared: %s\n", r.Uncompared)
	case r.Compared.Same():
		fmt.Fprintf(w, "all %d tables are identical to those that were published\n", len(r.Compared))
	default:
		if err := renderDifferences(w, width, r.Compared); err != nil {
			return err
		}
	}
	words := "published; `fleetlake rollback` goes back to what was published before"
	if !r.Switched {
		words = "thrown away: this was a dry run"
	}
	_, err := fmt.Fprintln(w, words)
	return err
}

func renderDifferences(w io.Writer, width int, c warehouse.Comparison) error {
	var tables, fields [][]any
	for _, t := range c {
		if t.Same() {
			continue
		}
		tables = append(tables, []any{t.Table, t.RowsBefore, t.RowsAfter, t.OnlyBefore, t.OnlyAfter, t.Changed})
		for _, f := range t.Fields {
			fields = append(fields, []any{t.Table, f.Field, f.Rows, f.Example})
		}
		for _, column := range t.Columns {
			fields = append(fields, []any{t.Table, column, nil, "only one of the two files has this column"})
		}
	}
	fmt.Fprintf(w, "\n%d of %d tables differ; the others are identical\n\n", len(tables), len(c))
	if _, err := console.WriteRows(w, "table", width, columnsNamed("table", "rows before", "rows after", "only before", "only after", "changed"), each(tables)); err != nil {
		return err
	}
	if len(fields) == 0 {
		_, err := fmt.Fprintln(w)
		return err
	}
	fmt.Fprint(w, "\nWhere both have a row, and its values differ: an example, before -> after\n\n")
	_, err := console.WriteRows(w, "table", width, columnsNamed("table", "field", "rows", "example"), each(fields))
	fmt.Fprintln(w)
	return err
}

func columnsNamed(names ...string) []console.Column {
	var columns []console.Column
	for _, name := range names {
		columns = append(columns, console.Column{Name: name})
	}
	return columns
}

// each yields rows as renderRows wants them.
func each(rows [][]any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for row := range slices.Values(rows) {
			if !yield(row, nil) {
				return
			}
		}
	}
}
