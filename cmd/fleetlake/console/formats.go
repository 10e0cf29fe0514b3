package console

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Formats are the formats that WriteRows writes.
var Formats = []string{"table", "csv", "json", "ndjson", "markdown"}

// Column is a column of a result: its name, and its DuckDB type, which distinguishes a date from a
// moment and a UUID from bytes. The type may be empty.
type Column struct{ Name, Type string }

// Spreadsheet is a format of WriteRows besides Formats: CSV for people, who open it in a spreadsheet. A text
// that the program would take for a formula has an apostrophe before it, which spreadsheets take for the mark
// of a text; a file for programs has no such mark.
const Spreadsheet = "spreadsheet"

// WriteRows writes a result as a table for people, as CSV, as a JSON array with one object per line, as
// such lines alone, or as a Markdown table, and returns the number of rows. Only a table for people is
// kept in memory. It is squeezed into width characters; 0 is no limit. The errors are those of the rows,
// of the writer, and an unknown format.
func WriteRows(w io.Writer, format string, width int, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	out := bufio.NewWriter(w)
	var n int
	var err error
	switch format {
	case "table":
		n, err = renderTable(out, width, columns, rows)
	case "csv":
		n, err = renderCSV(out, columns, rows, func(text, _ string) string { return text })
	case Spreadsheet:
		n, err = renderCSV(out, columns, rows, noFormula)
	case "json":
		n, err = renderJSON(out, columns, rows)
	case "ndjson":
		n, err = renderObjects(out, columns, rows, "", "\n", "\n")
	case "markdown":
		n, err = renderMarkdown(out, columns, rows)
	default:
		return 0, fmt.Errorf("unknown format %q, expected one of: %s", format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return n, err
	}
	return n, out.Flush()
}

// renderCSV writes a header and the rows. As in PostgreSQL and DuckDB, a field without anything is NULL,
// and "" is an empty text. mark changes the text of a cell of a type.
func renderCSV(w *bufio.Writer, columns []Column, rows iter.Seq2[[]any, error], mark func(text, databaseType string) string) (int, error) {
	fields := make([]string, len(columns))
	for i, c := range columns {
		fields[i] = csvField(mark(c.Name, ""))
	}
	if _, err := w.WriteString(strings.Join(fields, ",") + "\n"); err != nil {
		return 0, err
	}
	n := 0
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		for i, v := range row {
			if fields[i] = ""; v != nil {
				fields[i] = csvField(mark(cellText(v, columns[i].Type), columns[i].Type))
			}
		}
		if _, err := w.WriteString(strings.Join(fields, ",") + "\n"); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// noFormula marks a text that a spreadsheet would take for a formula, also behind a tab or a carriage return, which some
// skip. A number may begin with a sign.
func noFormula(text, databaseType string) string {
	if text != "" && strings.Contains("=+-@\t\r", text[:1]) && !warehouse.IsNumber(databaseType) {
		return "'" + text
	}
	return text
}

// csvField quotes a text that is empty, or that a reader would cut, trim or split.
func csvField(s string) string {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s && s != `\.` {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// renderJSON writes an array with one object per line, its keys in the order of the columns.
func renderJSON(w *bufio.Writer, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	n, err := renderObjects(w, columns, rows, "[\n", ",\n", "\n]\n")
	if err == nil && n == 0 {
		_, err = w.WriteString("[]\n")
	}
	return n, err
}

// renderObjects writes an object for each row, and nothing without rows.
func renderObjects(w *bufio.Writer, columns []Column, rows iter.Seq2[[]any, error], before, between, after string) (int, error) {
	keys := objectKeys(columns)
	n := 0
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
		before = between
		n++
	}
	if n == 0 {
		return 0, nil
	}
	_, err := w.WriteString(after)
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

// renderMarkdown writes a table of GitHub's Markdown, its numbers aligned to the right.
func renderMarkdown(w *bufio.Writer, columns []Column, rows iter.Seq2[[]any, error]) (int, error) {
	cells, rule := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		cells[i], rule[i] = markdownCell(c.Name), "---"
		if warehouse.IsNumber(c.Type) {
			rule[i] = "--:"
		}
	}
	if _, err := fmt.Fprintf(w, "| %s |\n|%s|\n", strings.Join(cells, " | "), strings.Join(rule, "|")); err != nil {
		return 0, err
	}
	n := 0
	for row, err := range rows {
		if err != nil {
			return n, err
		}
		for i, v := range row {
			cells[i] = markdownCell(readable(v, columns[i].Type))
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// markdownCell escapes what would end a cell, begin a tag or make a link.
func markdownCell(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "](", `]\(`).Replace(wording.Printable(s))
}
