package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// ledgerKinds are the groupings of the ledger.
var ledgerKinds = []string{"day", "outcome"}

func (a *app) creditsCommand() *cobra.Command {
	var since, by string
	var asJSON bool
	c := &cobra.Command{
		Use:   "credits",
		Short: "Print the credit ledger, and compare it with the service's balance",
		Long: `Print the credits spent, from the published warehouse: by day, job and operation, or by outcome; what
the rows of each lake table cost; for each run our count against the service's balance; and, from the
journal, how much of each cap is used and what it leaves to the next run.

A request whose outcome is unknown counts as spent until two quiet balances prove that it was not
billed: a balance is quiet if the last request ended some minutes before (api.settle_after). They prove
nothing if the balance rose meanwhile, or fell by more than we count. What the balance lost beyond our
count is drift: someone else uses the key, or a charge differs from the API documentation.`,
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
	c.Flags().StringVar(&by, "by", "day", "group by day or outcome")
	c.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return c
}

// sinceDay parses a day, or a duration before now; an empty text is the zero time.
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
	cfg, err := a.config()
	if err != nil {
		return err
	}
	spending, err := (&pipeline.Pipeline{Dir: dir}).Spending(cfg.PlanJobs())
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
	ledger := console.NewCredits(since, l, spending.Caps)
	if asJSON {
		return console.WriteJSON(a.stdout, ledger)
	}
	return console.WriteCredits(a.stdout, console.TerminalWidth(a.stdout), ledger, by)
}
