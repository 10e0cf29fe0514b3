package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// ledgerKinds are what the ledger can be laid out by.
var ledgerKinds = []string{"day", "outcome"}

func (a *app) creditsCommand() *cobra.Command {
	var since, by string
	var asJSON bool
	c := &cobra.Command{
		Use:   "credits",
		Short: "Print the credit ledger, and hold it against the service's balance",
		Long: `Print what was paid, from the published warehouse: by day, job and operation, or by outcome; what
the rows of each lake table cost; and for each run our count against the service's balance.

A request of which nobody knows whether it was billed counts as spent. Where the balance before
and after the run lies between what is sure and what is counted, it settles that. What the
balance lost beyond our count is drift: someone else uses the key, or a charge is not what the
interface text says.`,
		Example: `  fleetlake credits --since 30d
  fleetlake credits --by outcome --since 2026-11-01
  fleetlake credits --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			first, err := sinceDay(since, time.Now())
			if err == nil && !slices.Contains(ledgerKinds, by) {
				err = fmt.Errorf("--by %q: want %s: %w", by, strings.Join(ledgerKinds, " or "), errUsage)
			}
			if err != nil {
				return err
			}
			return a.credits(cmd.Context(), first, by, asJSON)
		},
	}
	c.Flags().StringVar(&since, "since", "", "first day, YYYY-MM-DD, or how far to look back, such as 30d (default: everything)")
	c.Flags().StringVar(&by, "by", "day", "day or outcome")
	c.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return c
}

// sinceDay reads a day, or a duration before now; nothing is the beginning of time.
func sinceDay(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day, nil
	}
	if back, err := config.ParseDuration(s); err == nil && back >= 0 {
		return now.UTC().Add(-back).Truncate(24 * time.Hour), nil
	}
	return time.Time{}, fmt.Errorf("--since %q: want YYYY-MM-DD, or a duration such as 30d: %w", s, errUsage)
}

// credits prints the ledger.
func (a *app) credits(ctx context.Context, since time.Time, by string, asJSON bool) error {
	dir, err := a.lake()
	if err != nil {
		return err
	}
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		return err
	}
	l, err := w.Ledger(ctx, since)
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	bill := newCreditBill(since, l)
	if asJSON {
		return printJSON(a.stdout, bill)
	}
	return renderCredits(a.stdout, terminalWidth(a.stdout), bill, by)
}

// creditBill is the ledger with its sums and what is to be said about it.
type creditBill struct {
	Since     string `json:"since,omitempty"`
	Requests  int    `json:"requests"`
	Counted   int    `json:"counted"`   // unknown outcomes counted as spent
	Settled   int    `json:"settled"`   // after the balance settled those that it could
	Unknown   int    `json:"unknown"`   // what no balance settled, counted as spent
	Drift     int    `json:"drift"`     // what the balances lost beyond that during runs
	Elsewhere int    `json:"elsewhere"` // and between them
	Balance   *int   `json:"balance"`   // the last that is known

	Notes []string `json:"notes"`
	warehouse.Ledger
}

func newCreditBill(since time.Time, l warehouse.Ledger) creditBill {
	l.Days, l.Outcomes, l.Tables, l.Runs = notNil(l.Days), notNil(l.Outcomes), notNil(l.Tables), notNil(l.Runs)
	b := creditBill{Ledger: l, Notes: []string{}}
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

// add sums up a run, and names what its balance says against our count.
func (b *creditBill) add(r warehouse.LedgerRun) {
	b.Counted += r.Spent
	b.Settled += r.Settled
	if r.After != nil {
		b.Balance = r.After
	} else if r.Before != nil {
		b.Balance = r.Before
	}
	if r.Drift == nil || *r.Drift != 0 {
		b.Unknown += r.Unknown
	}
	if n := r.Elsewhere; n != nil && *n != 0 {
		b.Elsewhere += *n
		b.note(*n, "before run "+r.Run, "someone else uses the key", "credits were bought")
	}
	if n := r.Drift; n != nil && *n != 0 {
		b.Drift += *n
		b.note(*n, "during run "+r.Run, "someone else uses the key, or a charge is not what the interface text says",
			"credits were bought, or a charge is less than the interface text says")
	}
}

// note says of a drift how much it is, when it came about, and why that may be.
func (b *creditBill) note(n int, when, more, less string) {
	words, why := "%s credits more than we count left the balance %s: %s", more
	if n < 0 {
		n, words, why = -n, "%s credits fewer than we count left the balance %s: %s", less
	}
	b.Notes = append(b.Notes, fmt.Sprintf(words, thousands(n), when, why))
}

// notNil makes JSON write no rows as [] and not as null.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
