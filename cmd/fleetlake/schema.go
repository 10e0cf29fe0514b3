package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
	"github.com/spf13/cobra"
)

// schemaOptions are the flags of schema.
type schemaOptions struct {
	format, html string
}

func (a *app) schemaCommand() *cobra.Command {
	var o schemaOptions
	c := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the data dictionary: every table, view and macro, with its meaning",
		Long: `Print what there is to query: the views to start with, the macros, the tables of the warehouse and
those of the lake. With a NAME, print its columns with their units and meanings, what identifies a
row, where the rows come from, and a statement that runs. The tables of the schema internal, which
only the program reads, are left out.

--format json has all of this, and --html writes one page for a browser, with the number of rows, the share
of nulls and the most frequent values of the published file.`,
		Example: `  fleetlake schema
  fleetlake schema vessels
  fleetlake schema --format markdown > DICTIONARY.md
  fleetlake schema --html dictionary.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			print, err := o.printer()
			if err != nil {
				return err
			}
			dir, err := a.lake()
			if err != nil {
				return err
			}
			d, err := readDictionary(cmd.Context(), dir, o.html != "", args)
			if err != nil {
				return err
			}
			if o.html != "" {
				return a.writePage(d, o.html)
			}
			if len(args) == 1 && o.format == "text" {
				print = console.DictionaryEntries
			}
			return print(a.stdout, d)
		},
	}
	c.Flags().StringVarP(&o.format, "format", "f", "text", "text, markdown or json")
	goneFlags(c, "--format json", "json")
	c.Flags().StringVar(&o.html, "html", "", "write a page for a browser to this file, or to standard output if it is -")
	return c
}

// printer returns what prints the dictionary.
func (o schemaOptions) printer() (func(io.Writer, dictionary.Dictionary) error, error) {
	print, ok := console.Dictionaries[o.format]
	switch {
	case !ok:
		return nil, fmt.Errorf("--format %q: want text, markdown or json: %w", o.format, errUsage)
	case o.html != "" && o.format != "text":
		return nil, fmt.Errorf("--html and another format: want one of them: %w", errUsage)
	}
	return print, nil
}

// readDictionary reads the dictionary of a data directory, or of the one entry that is named, with the
// counts of the published file if they are wanted.
func readDictionary(ctx context.Context, dir string, counts bool, names []string) (dictionary.Dictionary, error) {
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		return dictionary.Dictionary{}, err
	}
	d, err := dictionary.Read(ctx, w)
	if err == nil && len(names) == 1 {
		d, err = only(d, names[0])
	}
	if err == nil && counts {
		err = d.Count(ctx, w, dictionary.Limits{})
	}
	return d, errors.Join(err, w.Close())
}

// only returns the dictionary of one entry.
func only(d dictionary.Dictionary, name string) (dictionary.Dictionary, error) {
	e, ok := d.Find(name)
	if !ok {
		return d, fmt.Errorf("no table, view or macro %q; there are: %s: %w", name, strings.Join(d.Names(), ", "), errUsage)
	}
	return d.Only(e), nil
}

// writePage writes the page of a dictionary to a file, whole or not at all, or to standard output.
func (a *app) writePage(d dictionary.Dictionary, path string) error {
	var b bytes.Buffer
	if err := d.WriteHTML(&b, ""); err != nil {
		return err
	}
	if path == "-" {
		_, err := a.stdout.Write(b.Bytes())
		return err
	}
	if err := durable.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
