package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// queryToScreen writes the result to the standard output. One for a terminal with a pager is rendered
// into a file first, so that the bounds are those of the query, and not of the person who reads.
func (a *app) queryToScreen(ctx context.Context, dir string, s warehouse.Statement, spill string, o queryOptions) error {
	pager := console.NewPager(a.stdout, a.getenv)
	if o.noPager {
		pager.Command = ""
	}
	render := func(to io.Writer) error {
		return o.bounded(ctx, func(ctx context.Context) error {
			w, err := o.open(ctx, dir, spill, []string{})
			if err != nil {
				return err
			}
			defer w.Close()
			return writeAnswer(ctx, w, s, o, to, pager.WidthOf)
		})
	}
	if pager.Command == "" {
		return render(a.stdout)
	}
	f, err := os.Create(filepath.Join(spill, "screen"))
	if err != nil {
		return fmt.Errorf("render the answer: %w", err)
	}
	err = render(console.ForPager(f))
	if err == nil {
		err = pager.Display(f, a.stdout, a.stderr)
	}
	return errors.Join(err, f.Close())
}

// queryToFile writes the result into a temporary directory beside the target, which is the only
// directory that DuckDB may use, and renames the file when it is complete.
func (a *app) queryToFile(ctx context.Context, dir string, s warehouse.Statement, spill string, o queryOptions) error {
	out, err := filepath.Abs(o.out)
	if err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	}
	if words := othersMayWrite(filepath.Dir(out)); words != "" {
		fmt.Fprintf(a.stderr, "fleetlake: %s\n", wording.Printable(words))
	}
	return a.inFile(ctx, dir, s, spill, filepath.Dir(out), o, func(answer string, rows int64) error {
		if err := durable.Replace(answer, out); err != nil {
			return fmt.Errorf("write %s: %w", o.out, err)
		}
		if o.format == parquet {
			fmt.Fprintf(a.stdout, "%d rows in %s\n", rows, o.out)
		}
		return nil
	})
}

// parquetToStdout writes a Parquet file to the standard output when it is complete: its index is at
// its end.
func (a *app) parquetToStdout(ctx context.Context, dir string, s warehouse.Statement, spill string, o queryOptions) error {
	return a.inFile(ctx, dir, s, spill, os.TempDir(), o, func(answer string, _ int64) error {
		f, err := os.Open(answer)
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		_, err = io.Copy(a.stdout, f)
		return errors.Join(err, f.Close())
	})
}

// inFile writes the result to a file in a temporary directory below another one, and gives it away.
func (a *app) inFile(ctx context.Context, dir string, s warehouse.Statement, spill, parent string, o queryOptions, done func(answer string, rows int64) error) (err error) {
	beside, remove, err := load.Scratch(parent, ".fleetlake-query-")
	if err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	answer, rows := filepath.Join(beside, "answer"), int64(0)
	err = o.bounded(ctx, func(ctx context.Context) error {
		w, err := o.open(ctx, dir, spill, []string{beside})
		if err != nil {
			return err
		}
		defer w.Close()
		if o.format == parquet {
			rows, err = w.ToParquet(ctx, s, answer)
			return err
		}
		f, err := os.Create(answer)
		if err != nil {
			return fmt.Errorf("write %s: %w", o.out, err)
		}
		return errors.Join(writeAnswer(ctx, w, s, o, f, unlimited), f.Close())
	})
	if err != nil {
		return err
	}
	return done(answer, rows)
}

// open opens the warehouse within the bounds of the flags.
func (o queryOptions) open(ctx context.Context, dir, spill string, confine []string) (*warehouse.Warehouse, error) {
	if o.unsafeFiles {
		confine = nil
	}
	return warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: o.memoryMiB, Threads: o.threads, Spill: spill, SpillMiB: o.spillMiB, Confine: confine, TimeZone: o.timezone})
}

// unlimited is the width of a table in a file.
func unlimited(int64) int { return 0 }

// writeAnswer runs a statement and writes its answer; widthOf is the width of a table of so many rows. A table for
// people has the time zone of its instants in their headers, if it is one that they chose.
func writeAnswer(ctx context.Context, w *warehouse.Warehouse, s warehouse.Statement, o queryOptions, to io.Writer, widthOf func(rows int64) int) error {
	format := o.format
	encoding := warehouse.AsText
	if format == "json" || format == "ndjson" {
		encoding = warehouse.AsJSON
	}
	rows, err := w.Spooled(ctx, s, encoding)
	if err != nil {
		return err
	}
	if rows.Plan && (format == "table" || format == "markdown") {
		return errors.Join(writePlan(to, rows, format), rows.Close())
	}
	columns := make([]console.Column, len(rows.Columns))
	for i, name := range rows.Columns {
		columns[i] = console.Column{Name: name, Type: rows.Types[i]}
		if o.timezone != "" && rows.Types[i] == warehouse.InstantType && (format == "table" || format == "markdown") {
			columns[i].Name += " (" + o.timezone + ")"
		}
	}
	_, err = console.WriteRows(to, format, widthOf(rows.Total), columns, rows.All())
	return errors.Join(err, rows.Close())
}

// writePlan writes the plans of an EXPLAIN as they are: they are drawings already.
func writePlan(to io.Writer, rows *warehouse.Rows, format string) error {
	for row, err := range rows.All() {
		if err != nil {
			return err
		}
		plan := strings.TrimRight(fmt.Sprint(row[len(row)-1]), "\n")
		if format == "markdown" {
			plan = "```\n" + plan + "\n```"
		}
		if _, err := fmt.Fprintln(to, plan); err != nil {
			return err
		}
	}
	return nil
}

// printRows writes the answer of a statement of ours.
func printRows(ctx context.Context, w *warehouse.Warehouse, sql, format string, to io.Writer, width int) error {
	return writeAnswer(ctx, w, warehouse.Statement{Text: sql}, queryOptions{format: format}, to, func(int64) int { return width })
}
