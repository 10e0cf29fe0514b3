package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) runsCommand() *cobra.Command {
	var asJSON bool
	var most int
	c := &cobra.Command{
		Use:   "runs [RUN_ID]",
		Short: "List the published runs, or print the report of one",
		Example: `  fleetlake runs
  fleetlake runs 20261120T020000.000Z-7f3a`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.lake()
			if err != nil {
				return err
			}
			w, err := warehouse.Open(cmd.Context(), warehouse.Path(dir), warehouse.Options{})
			if err != nil {
				return err
			}
			if len(args) == 1 {
				err = a.oneRun(cmd.Context(), w, args[0], asJSON)
			} else {
				err = a.allRuns(cmd.Context(), w, most, asJSON)
			}
			return errors.Join(err, w.Close())
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	goneFlags(c, "the page of the run in `fleetlake serve` (/runs/RUN_ID)", "html")
	c.Flags().IntVarP(&most, "limit", "n", 20, "runs to list, the newest")
	return c
}

// oneRun prints the report that was stored with a run.
func (a *app) oneRun(ctx context.Context, w *warehouse.Warehouse, id string, asJSON bool) error {
	run, err := w.Run(ctx, id)
	if err != nil {
		return err
	}
	var r report.Report
	if err := json.Unmarshal([]byte(run.Report), &r); err != nil {
		return fmt.Errorf("read the report of %s: %w", id, err)
	}
	return printReport(a.stdout, r, asJSON)
}

func (a *app) allRuns(ctx context.Context, w *warehouse.Warehouse, most int, asJSON bool) error {
	format := "table"
	if asJSON {
		format = "json"
	}
	sql := fmt.Sprintf(`SELECT run_id, job, snapshot_date, state, stop, requests, credits_spent AS credits, credits_planned AS planned,
round(epoch(finished_at - started_at))::BIGINT AS seconds FROM runs ORDER BY run_id DESC LIMIT %d`, max(most, 0))
	return printRows(ctx, w, sql, format, a.stdout, console.TerminalWidth(a.stdout))
}
