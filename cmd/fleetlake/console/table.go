package console

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// narrowest is the least width of a column that is squeezed to fit the terminal.
const narrowest = 8

func columnNames(columns []Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// renderTable writes a table for people and the number of rows.
func renderTable(w io.Writer, width int, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	t := NewTable(columnNames(columns)...)
	widths, right, whole := make([]int, len(columns)), make([]bool, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		widths[i] = text.StringWidthWithoutEscSequences(wording.Printable(c.Name))
		right[i] = warehouse.IsNumber(c.Type)
		whole[i] = c.Name == "run_id" // people copy it into the next command
	}
	n := 0
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		cells := make(table.Row, len(columns))
		for i, v := range row {
			s := wording.Printable(readable(v, columns[i].Type))
			cells[i] = s
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(s))
			right[i] = right[i] || isNumber(v)
		}
		t.AppendRow(cells)
		n++
	}
	t.SetColumnConfigs(columnConfigs(squeeze(widths, whole, width), right))
	if width > 0 {
		t.Style().Size.WidthMax = width
	}
	rowWord := "rows"
	if n == 1 {
		rowWord = "row"
	}
	_, err := fmt.Fprintf(w, "%s\n%s %s\n", t.Render(), wording.Count(n), rowWord)
	return n, err
}

// readable is a value as a person reads it: a whole number without the .0 that marks a DOUBLE.
func readable(v any, databaseType string) string {
	s := cellText(v, databaseType)
	if databaseType == "DOUBLE" || databaseType == "FLOAT" {
		return strings.TrimSuffix(s, ".0")
	}
	return s
}

// NewTable returns an empty table in the style of all tables.
func NewTable(names ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault // names as SQL writes them
	header := make(table.Row, len(names))
	for i, name := range names {
		header[i] = wording.Printable(name)
	}
	t.AppendHeader(header)
	return t
}

// squeeze takes width from the widest columns until the table fits, but for those that are shown whole.
func squeeze(widths []int, whole []bool, width int) []int {
	room := width - 3*len(widths) - 1 // borders and padding
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for width > 0 && sum > room {
		widest := -1
		for i, w := range widths {
			if !whole[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 || widths[widest] <= narrowest {
			break
		}
		widths[widest]--
		sum--
	}
	return widths
}

func columnConfigs(widths []int, right []bool) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, len(widths))
	for i, w := range widths {
		configs[i] = table.ColumnConfig{Number: i + 1, WidthMax: w, WidthMaxEnforcer: shorten}
		if right[i] {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	return configs
}

// shorten cuts a cell that is too wide and marks the cut.
func shorten(s string, width int) string { return text.Snip(s, width, "…") }

// NotNil returns an empty slice for nil, so that JSON has [] and not null.
func NotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// WriteJSON writes a value as indented JSON, with &, < and > as they are. Its errors are those of the
// encoder and the writer.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
