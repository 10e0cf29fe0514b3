package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/spf13/cobra"
)

func (a *app) rollbackCommand() *cobra.Command {
	var undo, asJSON bool
	c := &cobra.Command{
		Use:   "rollback",
		Short: "Publish the version before",
		Long: `Publish the version of the warehouse before the published one. The runs that it lacks stay out:
no later run publishes them or goes on from them, and their credits still count towards the
caps. They are in the journal, and in the file warehouse/rolled_back of the data directory.
--undo publishes them again from the journal, with 0 requests; so does ` + "`fleetlake rebuild`" + `.`,
		Example: `  fleetlake rollback
  fleetlake rollback --undo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.lake()
			if err != nil {
				return err
			}
			unlock, err := lock(dir, "rollback")
			if err != nil {
				return err
			}
			p := &pipeline.Pipeline{Dir: dir, Log: a.log(), Version: version()}
			if undo {
				err = a.undoRollback(cmd.Context(), p, asJSON)
			} else {
				err = a.rollback(cmd.Context(), p, asJSON)
			}
			return errors.Join(err, unlock())
		},
	}
	c.Flags().BoolVar(&undo, "undo", false, "publish again what rollbacks took out")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// rolledBack is what the verb tells a script.
type rolledBack struct {
	Last string   `json:"last_run"`
	Out  []string `json:"taken_out"`
	Back []string `json:"brought_back"`
}

func (a *app) rollback(ctx context.Context, p *pipeline.Pipeline, asJSON bool) error {
	done, err := p.Rollback(ctx)
	if err != nil {
		return err
	}
	for _, words := range done.Notices {
		fmt.Fprintf(a.stderr, "fleetlake: %s\n", words)
	}
	if asJSON {
		return console.WriteJSON(a.stdout, rolledBack{Last: done.LatestRun, Out: console.NotNil(done.Removed), Back: []string{}})
	}
	fmt.Fprintf(a.stdout, "published again: the version whose last run is %s\n", done.LatestRun)
	for _, run := range done.Removed {
		fmt.Fprintf(a.stdout, "taken out: %s, until `fleetlake rollback --undo` or `fleetlake rebuild`\n", run)
	}
	return nil
}

func (a *app) undoRollback(ctx context.Context, p *pipeline.Pipeline, asJSON bool) error {
	back, err := p.UndoRollback(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return console.WriteJSON(a.stdout, rolledBack{Out: []string{}, Back: console.NotNil(back)})
	}
	if len(back) == 0 {
		fmt.Fprintln(a.stdout, "no run was rolled back: nothing to undo")
	}
	for _, run := range back {
		fmt.Fprintf(a.stdout, "published again: %s\n", run)
	}
	return nil
}
