package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
	"github.com/spf13/cobra"
)

func (a *app) queryCommand() *cobra.Command {
	o := queryOptions{memoryMiB: queryMemoryMiB, spillMiB: querySpillMiB}
	c := &cobra.Command{
		Use:   "query SQL",
		Short: "Run SQL on the published warehouse, read-only",
		Long: `Run one statement that reads the published warehouse, and print the result. This works at any
time, also while a run publishes: the result is of the previous night or of the complete new one.
If SQL is "-", the statement is read from standard input. It can use the warehouse only: no file,
no network, no extension, no setting. A statement that needs more memory or time than --memory and
--timeout allow is stopped.`,
		Example: `  fleetlake query "SELECT flag, count(*) FROM vessels WHERE listed GROUP BY flag ORDER BY 2 DESC LIMIT 5"
  fleetlake query --format csv "FROM runs ORDER BY run_id" > runs.csv
  fleetlake query --format parquet --out fleet.parquet "FROM vessels"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.lake()
			if err != nil {
				return err
			}
			if args[0] == "-" {
				text, err := io.ReadAll(cmd.InOrStdin())
				if err != nil {
					return fmt.Errorf("read SQL: %w", err)
				}
				args[0] = string(text)
			}
			return a.query(cmd.Context(), dir, args[0], o)
		},
	}
	c.Flags().StringVarP(&o.format, "format", "f", "table", "table, csv, json or parquet")
	c.Flags().StringVarP(&o.out, "out", "o", "", "file to write to; required for parquet (default: standard output)")
	c.Flags().Var(&numberFlag{&o.memoryMiB, 32, maxMiB}, "memory", "memory of the query, in MiB; what does not fit is spilled to disk")
	c.Flags().Var(&numberFlag{&o.spillMiB, 0, maxMiB}, "spill", "disk space of the query, in MiB, in a directory of temporary files")
	c.Flags().Var(&durationFlag{&o.timeout, 1}, "timeout", "stop the query after this time, such as 90s or 2h (default: never)")
	c.Flags().BoolVar(&o.unsafeFiles, "unsafe-files", false, "let the statement use files and the network with your rights")
	return c
}

// Default limits of a query, in MiB.
const queryMemoryMiB, querySpillMiB = 1024, 10240

// maxMiB is more than any machine has.
const maxMiB = 1 << 30

// queryOptions are the flags of query.
type queryOptions struct {
	format, out         string
	memoryMiB, spillMiB int
	timeout             time.Duration
	unsafeFiles         bool
}

func (o queryOptions) validate() error {
	switch {
	case !slices.Contains(append(console.Formats, "parquet"), o.format):
		return fmt.Errorf("--format %q: want %s or parquet: %w", o.format, strings.Join(console.Formats, ", "), errUsage)
	case o.format == "parquet" && o.out == "":
		return fmt.Errorf("--format parquet needs --out FILE: %w", errUsage)
	}
	return nil
}

// query prints the result of a statement, or writes it to a file.
func (a *app) query(ctx context.Context, dir, sql string, o queryOptions) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	spill, remove, err := load.Scratch(os.TempDir(), "fleetlake-query-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if o.out == "" {
		err = o.bounded(ctx, func(ctx context.Context) error { return a.queryToScreen(ctx, dir, sql, spill, o) })
	} else {
		err = a.queryToFile(ctx, dir, sql, spill, o)
	}
	switch {
	case errors.Is(err, warehouse.ErrRoom):
		return fmt.Errorf("%w\nThe limits are %d MiB of memory and %d MiB on disk: raise them with --memory and --spill", err, o.memoryMiB, o.spillMiB)
	case errors.Is(err, warehouse.ErrFiles):
		return fmt.Errorf("%w\nA query can use the warehouse only; --unsafe-files lets it use files and the network; %w", err, errUsage)
	case errors.Is(err, warehouse.ErrStatement):
		return fmt.Errorf("%w; %w", err, errUsage)
	}
	return err
}

// queryToScreen writes the result to the standard output.
func (a *app) queryToScreen(ctx context.Context, dir, sql, spill string, o queryOptions) error {
	w, err := o.open(ctx, dir, spill, []string{})
	if err != nil {
		return err
	}
	defer w.Close()
	return printRows(ctx, w, sql, o.format, a.stdout, console.TerminalWidth(a.stdout))
}

// queryToFile writes the result into a temporary directory beside the target, which is the only
// directory that DuckDB may use, and renames the file when it is complete.
func (a *app) queryToFile(ctx context.Context, dir, sql, spill string, o queryOptions) (err error) {
	out, err := filepath.Abs(o.out)
	if err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	}
	beside, remove, err := load.Scratch(filepath.Dir(out), ".fleetlake-query-")
	if err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	answer := filepath.Join(beside, "answer")
	rows := int64(0)
	err = o.bounded(ctx, func(ctx context.Context) error {
		w, err := o.open(ctx, dir, spill, []string{beside})
		if err != nil {
			return err
		}
		defer w.Close()
		if o.format == "parquet" {
			rows, err = w.ToParquet(ctx, sql, answer)
			return err
		}
		f, err := os.Create(answer)
		if err != nil {
			return fmt.Errorf("write %s: %w", o.out, err)
		}
		return errors.Join(printRows(ctx, w, sql, o.format, f, 0), f.Close())
	})
	if err != nil {
		return err
	}
	if err := durable.Replace(answer, out); err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	}
	if o.format == "parquet" {
		fmt.Fprintf(a.stdout, "%d rows in %s\n", rows, o.out)
	}
	return nil
}

// open opens the warehouse within the bounds of the flags.
func (o queryOptions) open(ctx context.Context, dir, spill string, confine []string) (*warehouse.Warehouse, error) {
	if o.unsafeFiles {
		confine = nil
	}
	return warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: o.memoryMiB, Spill: spill, SpillMiB: o.spillMiB, Confine: confine})
}

func printRows(ctx context.Context, w *warehouse.Warehouse, sql, format string, to io.Writer, width int) error {
	rows, err := w.Spooled(ctx, sql)
	if err != nil {
		return err
	}
	var columns []console.Column
	for i, name := range rows.Columns {
		columns = append(columns, console.Column{Name: name, Type: rows.Types[i]})
	}
	_, err = console.WriteRows(to, format, width, columns, rows.All())
	return errors.Join(err, rows.Close())
}
