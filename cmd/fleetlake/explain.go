package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
	"github.com/spf13/cobra"
)

// vesselScores is scoreByJob; tests replace it.
var vesselScores = scoreByJob

// scoreByJob scores a vessel as each job's plan would tonight. It sends no request.
func scoreByJob(ctx context.Context, c config.Config, vesselID string) ([]wording.VesselScore, error) {
	p := &pipeline.Pipeline{Dir: c.DataDir, Service: extract.Service{Limits: c.Limits}}
	var scores []wording.VesselScore
	for _, name := range c.JobNames() {
		job, _, err := c.Job(name)
		if err != nil {
			return nil, err
		}
		sc, when, err := p.Explain(ctx, job, vesselID)
		if err != nil {
			return nil, err
		}
		v := wording.VesselScore{Job: name, Total: sc.Total, When: when}
		for _, t := range sc.Terms {
			v.Lines = append(v.Lines, wording.ScoreLine{Term: t.Name, Value: t.Value, Weight: t.Weight, Why: t.Why})
		}
		scores = append(scores, v)
	}
	return scores, nil
}

func (a *app) explainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain VESSEL",
		Short: "Print the history of a vessel, and the answers that it comes from",
		Long: `Print what is known of a vessel, by its IMO number, its MMSI or its vessel_id: each version of each
dataset with the answer that it comes from, its stays on the list, its positions, its lookups and
their outcomes, and its issues.`,
		Example: `  fleetlake explain 9218301
  fleetlake explain 306256000 --json
  fleetlake explain MMSI306256000`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			return a.explain(cmd.Context(), cfg, args[0], asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return c
}

func (a *app) explain(ctx context.Context, c config.Config, number string, asJSON bool) error {
	if err := requireLake(c.DataDir); err != nil {
		return err
	}
	// A few rows of each table: a second thread costs more than it saves.
	w, err := warehouse.Open(ctx, warehouse.Path(c.DataDir), warehouse.Options{Threads: 1})
	if err != nil {
		return err
	}
	v, err := history.Of(ctx, w, number)
	if err := errors.Join(err, w.Close()); errors.Is(err, history.ErrNoVessel) {
		return fmt.Errorf("%w; %w", err, errUsage)
	} else if err != nil {
		return err
	}
	e := wording.Explanation{Vessel: v}
	if vesselScores != nil {
		if e.Scores, err = vesselScores(ctx, c, v.VesselID); err != nil {
			return err
		}
	}
	if asJSON {
		e.Stays, e.Episodes, e.Lookups, e.Issues = console.NotNil(e.Stays), console.NotNil(e.Episodes), console.NotNil(e.Lookups), console.NotNil(e.Issues)
		for i := range e.Datasets {
			e.Datasets[i].Versions = console.NotNil(e.Datasets[i].Versions)
		}
		return console.WriteJSON(a.stdout, e)
	}
	return console.WriteExplanation(a.stdout, e)
}
