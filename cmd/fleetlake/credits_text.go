package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// renderCredits writes the ledger for people.
func renderCredits(w io.Writer, width int, c creditBill, by string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s credits spent%s in %s requests", thousands(c.Settled), sinceWords(c.Since), thousands(c.Requests))
	if c.Unknown > 0 {
		fmt.Fprintf(&b, ", %s of them perhaps not billed", thousands(c.Unknown))
	}
	if settled := c.Counted - c.Settled; settled > 0 {
		fmt.Fprintf(&b, "; %s more had an unknown outcome and were not billed, as the balance shows", thousands(settled))
	}
	if c.Balance != nil {
		fmt.Fprintf(&b, "; balance %s", thousands(*c.Balance))
	}
	b.WriteByte('\n')
	for _, note := range c.Notes {
		reportLine(&b, "drift", note)
	}
	if by == "outcome" {
		ledgerOutcomes(&b, width, c)
	} else {
		ledgerDays(&b, width, c)
	}
	ledgerTables(&b, width, c)
	ledgerRuns(&b, width, c)
	_, err := io.WriteString(w, b.String())
	return err
}

func sinceWords(day string) string {
	if day == "" {
		return ""
	}
	return " since " + day
}

func ledgerDays(b *strings.Builder, width int, c creditBill) {
	s := newSheet("day", "job", "operation", "requests", "answers", "credits", "unknown", "rows", "per 1,000 rows", "balance", "drift")
	for _, d := range c.Days {
		s.add(d.Day, d.Job, d.Operation, d.Requests, d.Answers, d.Credits, d.Unknown, int(d.Rows), d.PerThousand, d.Balance, d.Drift)
	}
	s.write(b, width, "By day, job and operation")
}

func ledgerOutcomes(b *strings.Builder, width int, c creditBill) {
	s := newSheet("operation", "outcome", "charge", "requests", "credits", "unknown", "rows")
	for _, o := range c.Outcomes {
		s.add(o.Operation, o.Outcome, o.Charge, o.Requests, o.Credits, o.Unknown, int(o.Rows))
	}
	s.write(b, width, "By operation and outcome")
}

func ledgerTables(b *strings.Builder, width int, c creditBill) {
	s := newSheet("lake table", "credits", "rows", "per 1,000 rows")
	for _, t := range c.Tables {
		s.add(t.Table, &t.Credits, int(t.Rows), t.PerThousand)
	}
	s.write(b, width, "What the rows of the lake cost")
}

func ledgerRuns(b *strings.Builder, width int, c creditBill) {
	s := newSheet("run", "job", "before", "after", "billed", "counted", "unknown", "settled", "drift", "elsewhere")
	for _, r := range c.Runs {
		s.add(r.Run, r.Job, r.Before, r.After, r.Billed, r.Spent, r.Unknown, r.Settled, r.Drift, r.Elsewhere)
	}
	s.write(b, width, "Our count of each run against the balance")
}

// sheet is a table of words and numbers under a title.
type sheet struct {
	names []string
	rows  []table.Row
	right []bool // columns of numbers
}

func newSheet(names ...string) *sheet { return &sheet{names: names, right: make([]bool, len(names))} }

// add adds a row of strings and numbers. A nil pointer is a number that is not known.
func (s *sheet) add(values ...any) {
	row := make(table.Row, len(values))
	for i, v := range values {
		s.right[i] = true
		switch v := v.(type) {
		case string:
			row[i], s.right[i] = printable(v), false
		case int:
			row[i] = thousands(v)
		case *int:
			if v != nil {
				row[i] = thousands(*v)
			}
		case *float64:
			if v != nil {
				row[i] = decimals(*v)
			}
		}
	}
	s.rows = append(s.rows, row)
}

// decimals writes a number with its thousands and at most two decimals.
func decimals(f float64) string {
	sign, whole := "", strconv.FormatFloat(f, 'f', 2, 64)
	if whole[0] == '-' {
		sign, whole = "-", whole[1:]
	}
	whole, rest, _ := strings.Cut(whole, ".")
	n, err := strconv.Atoi(whole)
	if err != nil { // more than any ledger holds, or no number
		return sign + whole
	}
	return sign + strings.TrimSuffix(strings.TrimRight(thousands(n)+"."+rest, "0"), ".")
}

// write adds the table to a text, squeezed into the width of the terminal. A table without
// rows is left out.
func (s *sheet) write(b *strings.Builder, width int, title string) {
	if len(s.rows) == 0 {
		return
	}
	t := newTable(s.names...)
	widths := make([]int, len(s.names))
	for i, name := range s.names {
		widths[i] = text.StringWidthWithoutEscSequences(name)
	}
	for _, row := range s.rows {
		for i, v := range row {
			if v == nil {
				row[i] = ""
			}
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(row[i].(string)))
		}
		t.AppendRow(row)
	}
	t.SetColumnConfigs(columnConfigs(squeeze(widths, width), s.right))
	fmt.Fprintf(b, "\n%s\n%s\n", title, t.Render())
}
