package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) schemaCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "schema [TABLE]",
		Short: "Print the data dictionary: every table and column, with its meaning",
		Example: `  fleetlake schema vessels
  fleetlake schema --format markdown > DICTIONARY.md`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			print, ok := dictionaries[format]
			if !ok {
				return fmt.Errorf("--format %q: want text, markdown or json: %w", format, errUsage)
			}
			dir, err := a.lake()
			if err != nil {
				return err
			}
			w, err := warehouse.Open(cmd.Context(), warehouse.Path(dir), warehouse.Options{})
			if err != nil {
				return err
			}
			tables, err := w.Dictionary(cmd.Context())
			if err := errors.Join(err, w.Close()); err != nil {
				return err
			}
			if len(args) == 1 {
				if tables, err = only(tables, args[0]); err != nil {
					return err
				}
			}
			return print(a.stdout, tables)
		},
	}
	c.Flags().StringVarP(&format, "format", "f", "text", "text, markdown or json")
	return c
}

// dictionaries are the printers of the data dictionary by format.
var dictionaries = map[string]func(io.Writer, []warehouse.Table) error{
	"text": textDictionary, "markdown": markdownDictionary, "json": jsonDictionary,
}

// only returns the table of that name.
func only(tables []warehouse.Table, name string) ([]warehouse.Table, error) {
	var names []string
	for _, t := range tables {
		if strings.EqualFold(t.Name, name) {
			return []warehouse.Table{t}, nil
		}
		names = append(names, t.Name)
	}
	return nil, fmt.Errorf("no table %q; the tables are: %s: %w", name, strings.Join(names, ", "), errUsage)
}

func textDictionary(w io.Writer, tables []warehouse.Table) error {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", t.Name, t.Comment)
		for _, c := range t.Columns {
			if _, err := fmt.Fprintf(w, "  %-26s %-10s %s\n", c.Name, c.Type, c.Comment); err != nil {
				return err
			}
		}
	}
	return nil
}

func markdownDictionary(w io.Writer, tables []warehouse.Table) error {
	for _, t := range tables {
		fmt.Fprintf(w, "## %s\n\n%s\n\n| column | type | meaning |\n|---|---|---|\n", t.Name, t.Comment)
		for _, c := range t.Columns {
			fmt.Fprintf(w, "| `%s` | %s | %s |\n", c.Name, c.Type, strings.ReplaceAll(c.Comment, "|", `\|`))
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

func jsonDictionary(w io.Writer, tables []warehouse.Table) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(tables)
}
