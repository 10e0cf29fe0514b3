package console

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Formats are the formats that WriteRows writes.
var Formats = []string{"table", "csv", "json"}

// narrowest is the least width of a column that is squeezed to fit the terminal.
const narrowest = 8

// Column is a column of a result: its name, and its DuckDB type, which distinguishes a date from a
// moment and a UUID from bytes. The type may be empty.
type Column struct{ Name, Type string }

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// TerminalWidth returns the characters in a line of the terminal, 0 if w is none.
func TerminalWidth(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	width, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// WriteRows writes a result as a table for people, as CSV, or as a JSON array with one object per
// line, and returns the number of rows. Only a table is kept in memory. A table is squeezed into width
// characters; 0 is no limit. Its errors are those of the rows, of the writer, and an unknown format.
func WriteRows(w io.Writer, format string, width int, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	out := bufio.NewWriter(w)
	var n int
	var err error
	switch format {
	case "table":
		n, err = renderTable(out, width, columns, rows)
	case "csv":
		n, err = renderCSV(out, columns, rows)
	case "json":
		n, err = renderJSON(out, columns, rows)
	default:
		return 0, fmt.Errorf("unknown format %q, expected one of: %s", format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return n, err
	}
	return n, out.Flush()
}

// renderCSV writes a header and the rows, with an empty field for NULL.
func renderCSV(w *bufio.Writer, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	out := csv.NewWriter(w)
	if err := out.Write(columnNames(columns)); err != nil {
		return 0, err
	}
	n := 0
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		record := make([]string, len(columns))
		for i, v := range row {
			record[i] = cellText(v, columns[i].Type)
		}
		if len(record) == 1 && record[0] == "" { // encoding/csv makes an empty line of it, which readers skip
			out.Flush()
			if _, err := w.WriteString("\"\"\n"); err != nil {
				return n, err
			}
		} else if err := out.Write(record); err != nil {
			return n, err
		}
		n++
	}
	out.Flush()
	return n, out.Error()
}

// renderJSON writes an array with one object per line, its keys in the order of the columns.
func renderJSON(w *bufio.Writer, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	keys := objectKeys(columns)
	n := 0
	before := "[\n"
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		line := []byte(before)
		for i, v := range row {
			line = append(line, keys[i]...)
			line = appendJSON(line, v, columns[i].Type)
		}
		if _, err := w.Write(append(line, '}')); err != nil {
			return n, err
		}
		before = ",\n"
		n++
	}
	end := "\n]\n"
	if n == 0 {
		end = "[]\n"
	}
	_, err := w.WriteString(end)
	return n, err
}

// objectKeys returns the text before each value of an object. A column with the name of an earlier
// one gets a number, because most readers keep only one value of a key.
func objectKeys(columns []Column) []string {
	var keys []string
	taken := map[string]bool{}
	for i, c := range columns {
		name := c.Name
		for n := 1; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", c.Name, n)
		}
		taken[name] = true
		separator := ","
		if i == 0 {
			separator = "{"
		}
		keys = append(keys, separator+string(appendJSON(nil, name, ""))+":")
	}
	return keys
}

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
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = text.StringWidthWithoutEscSequences(Printable(c.Name))
	}
	right := make([]bool, len(columns))
	n := 0
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		cells := make(table.Row, len(columns))
		for i, v := range row {
			s := Printable(cellText(v, columns[i].Type))
			cells[i] = s
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(s))
			right[i] = right[i] || isNumber(v)
		}
		t.AppendRow(cells)
		n++
	}
	t.SetColumnConfigs(columnConfigs(squeeze(widths, width), right))
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

// NewTable returns an empty table in the style of all tables.
func NewTable(names ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault // names as SQL writes them
	header := make(table.Row, len(names))
	for i, name := range names {
		header[i] = Printable(name)
	}
	t.AppendHeader(header)
	return t
}

// squeeze takes width from the widest columns until the table fits.
func squeeze(widths []int, width int) []int {
	room := width - 3*len(widths) - 1 // borders and padding
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for width > 0 && sum > room {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if len(widths) == 0 || widths[widest] <= narrowest {
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
