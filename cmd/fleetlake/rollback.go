package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/spf13/cobra"
)

func (a *app) rollbackCommand() *cobra.Command {
	var undo, asJSON bool
	c := &cobra.Command{
		Use:   "rollback",
		Short: "Publish the previous version",
		Long: `Publish the previous version of the warehouse. The runs that it lacks stay unpublished: no later
run publishes or resumes them, and their credits still count towards the caps. They remain in the
journal, and are listed in the file warehouse/rolled_back of the data directory. --undo publishes
them again from the journal, with 0 requests; so does ` + "`fleetlake rebuild`" + `.`,
		Example: `  fleetlake rollback
  fleetlake rollback --undo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.boundedLake()
			if err != nil {
				return err
			}
			unlock, err := datadir.LockFor(dir, "rollback")
			if err != nil {
				return err
			}
			d := derive.Deriver{Dir: dir, Log: a.log()}
			if undo {
				err = a.undoRollback(cmd.Context(), d, asJSON)
			} else {
				err = a.rollback(cmd.Context(), d, asJSON)
			}
			return errors.Join(err, unlock())
		},
	}
	c.Flags().BoolVar(&undo, "undo", false, "publish again the runs that were rolled back")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// rolledBack is the JSON output of the verb.
type rolledBack struct {
	Last string   `json:"last_run"`
	Out  []string `json:"taken_out"`
	Back []string `json:"brought_back"`
}

func (a *app) rollback(ctx context.Context, d derive.Deriver, asJSON bool) error {
	done, err := derive.Rollback(ctx, d)
	if err != nil {
		return err
	}
	for _, words := range done.Notices {
		fmt.Fprintf(a.stderr, "fleetlake: %s\n", words)
	}
	if asJSON {
		return console.WriteJSON(a.stdout, rolledBack{Last: done.LatestRun, Out: console.NotNil(done.Removed), Back: []string{}})
	}
	fmt.Fprintf(a.stdout, "published: the version whose last run is %s\n", done.LatestRun)
	for _, run := range done.Removed {
		fmt.Fprintf(a.stdout, "rolled back: %s, until `fleetlake rollback --undo` or `fleetlake rebuild`\n", run)
	}
	return nil
}

func (a *app) undoRollback(ctx context.Context, d derive.Deriver, asJSON bool) error {
	back, err := derive.UndoRollback(ctx, d)
	if err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(a.stdout, rolledBack{Out: []string{}, Back: console.NotNil(back)})
	}
	if len(back) == 0 {
		fmt.Fprintln(a.stdout, "nothing to undo: no run was rolled back")
	}
	for _, run := range back {
		fmt.Fprintf(a.stdout, "published again: %s\n", run)
	}
	return nil
}
