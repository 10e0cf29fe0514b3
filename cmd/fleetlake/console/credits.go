package console

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteCredits writes the ledger for people, in tables of at most width characters; by is "outcome",
// or the days. Its errors are those of the writer.
func WriteCredits(w io.Writer, width int, c Credits, by string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s credits spent%s in %s requests", wording.Count(c.Settled), sinceWords(c.Since), wording.Count(c.Requests))
	if c.Unknown > 0 {
		fmt.Fprintf(&b, ", %s of them perhaps not billed", wording.Count(c.Unknown))
	}
	if settled := c.Counted - c.Settled; settled > 0 {
		fmt.Fprintf(&b, "; %s more had an unknown outcome and, by the balance, were not billed", wording.Count(settled))
	}
	if c.Balance != nil {
		fmt.Fprintf(&b, "; balance %s", wording.Count(*c.Balance))
	}
	b.WriteByte('\n')
	for _, cap := range c.Caps {
		ReportLine(&b, "cap", CapWords(cap))
	}
	for _, why := range c.Unproved {
		ReportLine(&b, "unproved", why)
	}
	for _, note := range c.Notes {
		ReportLine(&b, "drift", note)
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

// CapWords says how much of a cap is used, and what it leaves to the next run.
func CapWords(c pipeline.CapUse) string {
	of := "the night of " + c.Of + " of " + c.Job
	switch {
	case c.Job == "" && len(c.Of) == len("2006-01"):
		of = "the month " + c.Of
	case c.Job == "":
		of = "the day " + c.Of
	}
	return fmt.Sprintf("%s of %s credits of %s are spent: %s left", wording.Count(c.Spent), wording.Count(c.Cap), of, wording.Count(c.Left))
}

func sinceWords(day string) string {
	if day == "" {
		return ""
	}
	return " since " + day
}

func ledgerDays(b *strings.Builder, width int, c Credits) {
	s := newSheet("day", "job", "operation", "requests", "answers", "credits", "unknown", "rows", "per 1,000 rows", "balance", "drift")
	for _, d := range c.Days {
		s.add(d.Day, d.Job, d.Operation, d.Requests, d.Answers, d.Credits, d.Unknown, int(d.Rows), d.PerThousand, d.Balance, d.Drift)
	}
	s.write(b, width, "By day, job and operation")
}

func ledgerOutcomes(b *strings.Builder, width int, c Credits) {
	s := newSheet("operation", "outcome", "charge", "requests", "credits", "unknown", "rows")
	for _, o := range c.Outcomes {
		s.add(o.Operation, o.Outcome, o.Charge, o.Requests, o.Credits, o.Unknown, int(o.Rows))
	}
	s.write(b, width, "By operation and outcome")
}

func ledgerTables(b *strings.Builder, width int, c Credits) {
	s := newSheet("lake table", "credits", "rows", "per 1,000 rows")
	for _, t := range c.Tables {
		s.add(t.Table, &t.Credits, int(t.Rows), t.PerThousand)
	}
	s.write(b, width, "Cost of the rows of the lake")
}

func ledgerRuns(b *strings.Builder, width int, c Credits) {
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

// add adds a row of strings and numbers. A nil pointer is an unknown number.
func (s *sheet) add(values ...any) {
	row := make(table.Row, len(values))
	for i, v := range values {
		s.right[i] = true
		switch v := v.(type) {
		case string:
			row[i], s.right[i] = wording.Printable(v), false
		case int:
			row[i] = wording.Count(v)
		case *int:
			if v != nil {
				row[i] = wording.Count(*v)
			}
		case *float64:
			if v != nil {
				row[i] = wording.Decimals(*v)
			}
		}
	}
	s.rows = append(s.rows, row)
}

// write adds the table to a text, squeezed into the width of the terminal. A table without
// rows is left out.
func (s *sheet) write(b *strings.Builder, width int, title string) {
	if len(s.rows) == 0 {
		return
	}
	t := NewTable(s.names...)
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
	t.SetColumnConfigs(columnConfigs(squeeze(widths, make([]bool, len(widths)), width), s.right))
	fmt.Fprintf(b, "\n%s\n%s\n", title, t.Render())
}

// Credits is the ledger with its sums, in credits, and notes on drift.
type Credits struct {
	Since     string `json:"since,omitempty"`
	Requests  int    `json:"requests"`
	Counted   int    `json:"counted"`   // requests of unknown outcome counted as spent
	Settled   int    `json:"settled"`   // less what the balance proved not billed
	Unknown   int    `json:"unknown"`   // of unknown outcome and not settled; part of Settled
	Drift     int    `json:"drift"`     // what the balance lost during runs beyond our count
	Elsewhere int    `json:"elsewhere"` // what the balance lost between runs
	Balance   *int   `json:"balance"`   // the last that is known

	Caps []pipeline.CapUse `json:"caps"` // how much of each cap is used now, and what it leaves to the next run

	Notes    []string `json:"notes"`
	Unproved []string `json:"unproved"` // why requests of unknown outcome still count
	warehouse.Ledger
}

// NewCredits sums up a ledger and notes its drift. A zero since is the whole ledger. caps are what is used of them now.
func NewCredits(since time.Time, l warehouse.Ledger, caps []pipeline.CapUse) Credits {
	l.Days, l.Outcomes, l.Tables, l.Runs = NotNil(l.Days), NotNil(l.Outcomes), NotNil(l.Tables), NotNil(l.Runs)
	b := Credits{Ledger: l, Caps: NotNil(caps), Notes: []string{}, Unproved: []string{}}
	if !since.IsZero() {
		b.Since = since.Format(time.DateOnly)
	}
	for _, d := range l.Days {
		b.Requests += d.Requests
	}
	for _, r := range l.Runs {
		b.add(r)
	}
	return b
}

// add adds a run to the sums, and notes where its balance differs from our count.
func (b *Credits) add(r warehouse.LedgerRun) {
	b.Counted += r.Spent
	b.Settled += r.Settled
	if r.After != nil {
		b.Balance = r.After
	} else if r.Before != nil {
		b.Balance = r.Before
	}
	if b.Unknown += r.Unproved; r.Unproved > 0 {
		b.Unproved = append(b.Unproved, fmt.Sprintf("%s credits of run %s, of which nobody knows whether they were billed, count as spent: %s", wording.Count(r.Unproved), r.Run, r.Why))
	}
	if n := r.Elsewhere; n != nil && *n != 0 {
		b.Elsewhere += *n
		b.note(*n, "before run "+r.Run, "someone else uses the key", "credits were bought")
	}
	if n := r.Drift; n != nil && *n != 0 {
		b.Drift += *n
		b.note(*n, "during run "+r.Run, "someone else uses the key, or a charge differs from the API documentation",
			"credits were bought, or a charge is less than in the API documentation")
	}
}

// note adds a note on n credits of drift, with its time and its possible causes.
func (b *Credits) note(n int, when, more, less string) {
	words, why := "%s credits more than we count left the balance %s: %s", more
	if n < 0 {
		n, words, why = -n, "%s credits fewer than we count left the balance %s: %s", less
	}
	b.Notes = append(b.Notes, fmt.Sprintf(words, wording.Count(n), when, why))
}

// NotNil makes JSON write an empty list as [] and not as null.
