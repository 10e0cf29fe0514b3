package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) queryCommand() *cobra.Command {
	var format, out string
	c := &cobra.Command{
		Use:   "query SQL",
		Short: "Ask the published warehouse, read-only",
		Long: `Run one statement that reads against the published warehouse, and print the answer. The file can
be read at any minute, also while a run publishes: the answer is from the night before or from
the whole new night. SQL of "-" is read from standard input.`,
		Example: `  fleetlake query "SELECT flag, count(*) FROM vessels WHERE listed GROUP BY flag ORDER BY 2 DESC LIMIT 5"
  fleetlake query --format csv "FROM runs ORDER BY run_id" > runs.csv
  fleetlake query --format parquet --out fleet.parquet "FROM vessels"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.data()
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
			return a.query(cmd.Context(), dir, args[0], format, out)
		},
	}
	c.Flags().StringVarP(&format, "format", "f", "table", "table, csv, json or parquet")
	c.Flags().StringVarP(&out, "out", "o", "", "file to write to; needed for parquet (default: standard output)")
	return c
}

// query prints, or writes, the answer of a statement.
func (a *app) query(ctx context.Context, dir, sql, format, out string) error {
	if !slices.Contains(append(outputFormats, "parquet"), format) {
		return fmt.Errorf("--format %q: want %s or parquet: %w", format, strings.Join(outputFormats, ", "), errUsage)
	}
	if format == "parquet" && out == "" {
		return fmt.Errorf("--format parquet needs --out FILE: %w", errUsage)
	}
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	if format == "parquet" {
		n, err := w.ToParquet(ctx, sql, out)
		if err == nil {
			fmt.Fprintf(a.stdout, "%d rows in %s\n", n, out)
		}
		return err
	}
	if out == "" {
		return printRows(ctx, w, sql, format, a.stdout, terminalWidth(a.stdout))
	}
	return writeWhole(out, func(f io.Writer) error { return printRows(ctx, w, sql, format, f, 0) })
}

func printRows(ctx context.Context, w *warehouse.Warehouse, sql, format string, to io.Writer, width int) error {
	rows, err := w.Query(ctx, sql)
	if err != nil {
		return err
	}
	var columns []resultColumn
	for i, name := range rows.Columns {
		columns = append(columns, resultColumn{Name: name, Type: rows.Types[i]})
	}
	_, err = renderRows(to, format, width, columns, rows.All())
	return errors.Join(err, rows.Close())
}

// writeWhole writes a file under a temporary name and renames it when it is whole.
func writeWhole(path string, write func(io.Writer) error) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = write(f)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
