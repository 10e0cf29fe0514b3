package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) rebuildCommand() *cobra.Command {
	var o derive.RebuildOptions
	var asJSON, acceptIssues bool
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Rebuild lake and warehouse from the journal, with 0 requests",
		Long: `Rebuild lake and warehouse from the journal, with 0 requests, and print how the tables differ from
the published ones, per table and field; they can differ after an update of fleetlake.

The rebuild is written beside the published files and needs room for a second lake and warehouse.
It replaces them only when all of it is verified. Until then, and if it fails or is killed, nothing
changes, and the published file stays readable. ` + "`fleetlake rollback`" + ` returns to the previous
file. Runs that were rolled back are published again.`,
		Example: `  fleetlake rebuild --dry-run
  fleetlake rebuild
  fleetlake rebuild --json > differences.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.boundedLake()
			if err != nil {
				return err
			}
			return a.rebuild(cmd.Context(), dir, o, acceptIssues, asJSON)
		},
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "build and compare, then discard what was built")
	c.Flags().BoolVar(&o.Lose, "lose", false, "continue even if the journal no longer has the segments of published runs")
	c.Flags().BoolVar(&acceptIssues, "accept-issues", false, "publish even if suddenly many values are refused")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func (a *app) rebuild(ctx context.Context, dir string, o derive.RebuildOptions, acceptIssues, asJSON bool) error {
	unlock, err := datadir.LockFor(dir, "rebuild")
	if err != nil {
		return err
	}
	log := a.log()
	report, stop := a.progress(log)
	phase := func(phase string) { report(pipeline.Progress{At: time.Now(), Phase: phase}) }
	done, err := derive.Rebuild(ctx, derive.Deriver{Dir: dir, Log: log, Phase: phase, AcceptIssues: acceptIssues}, o)
	stop()
	if err := errors.Join(err, unlock()); err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(a.stdout, done)
	}
	return renderRebuilt(a.stdout, console.TerminalWidth(a.stdout), done)
}

// renderRebuilt prints what was built, and then what differs, by table and field.
func renderRebuilt(w io.Writer, width int, r derive.Rebuilt) error {
	rows := 0
	for _, n := range r.Rows {
		rows += n
	}
	fmt.Fprintf(w, "%d nights, %d runs, %s rows in the lake: rebuilt from the journal with 0 requests\n", r.Nights, r.Runs, wording.Count(rows))
	for _, run := range r.Back {
		fmt.Fprintf(w, "added: %s, which was not published\n", run)
	}
	for _, left := range r.Left {
		fmt.Fprintf(w, "left out: %s\n", left)
	}
	switch {
	case r.Uncompared != "":
		fmt.Fprintf(w, "not compared: %s\n", r.Uncompared)
	case r.Compared.Same():
		fmt.Fprintf(w, "all %d tables are identical to the published ones\n", len(r.Compared))
	default:
		if err := renderDifferences(w, width, r.Compared); err != nil {
			return err
		}
	}
	words := "published; `fleetlake rollback` returns to the previous version"
	if !r.Switched {
		words = "discarded: this was a dry run"
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
	fmt.Fprint(w, "\nRows that both have with different values: an example, before -> after\n\n")
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

// each yields rows in the form that console.WriteRows takes.
func each(rows [][]any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for row := range slices.Values(rows) {
			if !yield(row, nil) {
				return
			}
		}
	}
}
