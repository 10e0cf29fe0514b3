package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/warehouse"
)

// defaultMaxAge is a day and two hours: a night may take longer than the one before.
const defaultMaxAge = 26 * time.Hour

// checkedRuns is how many of the newest runs are looked through for one that counts.
const checkedRuns = 200

func (a *app) checkCommand() *cobra.Command {
	var most time.Duration
	var job string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Tell an outer monitor whether a run was published lately",
		Long: `End with 0 if a run was published within --max-age, and with 1 and a line that says why
otherwise. A run counts if it was done, or if the service answered anything at all: nights
with a refused key or a service that is down do not. It reads the published warehouse alone,
and works while a run is under way and without the address and the key of the service.`,
		Example: `  fleetlake check --max-age 26h
  fleetlake check --max-age 8d --job weekly --json`,
		Args: cobra.NoArgs,
	}
	c.Flags().DurationVar(&most, "max-age", defaultMaxAge, "the greatest age of the newest run")
	c.Flags().StringVar(&job, "job", "", "only runs of this job")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if most <= 0 {
			return fmt.Errorf("--max-age %v: want more than 0; %w", most, errUsage)
		}
		dir, err := a.data()
		if err != nil {
			return err
		}
		v, err := verdictOn(cmd.Context(), dir, job, time.Now(), most)
		if err != nil {
			return err
		}
		if !v.OK {
			a.code = exitUnexpected
		}
		return v.print(a.stdout, asJSON)
	}
	return c
}

// verdict is what the dead-man check found.
type verdict struct {
	OK         bool       `json:"ok"`
	Reason     string     `json:"reason"`
	Run        string     `json:"run,omitempty"`
	Job        string     `json:"job,omitempty"`
	State      string     `json:"state,omitempty"`
	Finished   *time.Time `json:"finished,omitempty"`
	AgeSeconds float64    `json:"age_seconds,omitempty"`
	MaxSeconds float64    `json:"max_age_seconds"`
}

func verdictOn(ctx context.Context, dir, job string, now time.Time, most time.Duration) (verdict, error) {
	v := verdict{MaxSeconds: most.Seconds()}
	run, err := newestRun(ctx, warehouse.Path(dir), job)
	switch {
	case errors.Is(err, warehouse.ErrNone), errors.Is(err, warehouse.ErrNoRun):
		v.Reason = "no run was ever published"
		return v, nil
	case err != nil:
		return v, err
	}
	age := now.Sub(run.Finished)
	v.Run, v.Job, v.State, v.Finished, v.AgeSeconds = run.ID, run.Job, run.State, &run.Finished, age.Seconds()
	v.OK = age <= most
	v.Reason = fmt.Sprintf("the newest run, %s of %s, ended %v ago; at most %v is wanted", run.ID, run.Job, age.Round(time.Second), most)
	return v, nil
}

func (v verdict) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	words := "ok: "
	if !v.OK {
		words = "STALE: "
	}
	_, err := fmt.Fprintln(w, words+v.Reason)
	return err
}

// newestRun returns the newest run in a published file that counts; an empty job is any.
func newestRun(ctx context.Context, path, job string) (warehouse.Run, error) {
	w, err := warehouse.Open(ctx, path, warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if err != nil {
		return warehouse.Run{}, err
	}
	runs, err := w.Runs(ctx, checkedRuns)
	if err := errors.Join(err, w.Close()); err != nil {
		return warehouse.Run{}, err
	}
	for _, r := range runs {
		if (job == "" || r.Job == job) && counts(r) {
			return r, nil
		}
	}
	return warehouse.Run{}, warehouse.ErrNoRun
}

// counts reports whether a run learnt anything, or had nothing to learn.
func counts(run warehouse.Run) bool {
	if run.State == pipeline.StateDone {
		return true
	}
	var r pipeline.Report
	if json.Unmarshal([]byte(run.Report), &r) != nil {
		return false
	}
	for _, l := range r.Lanes {
		if l.Operation != extract.Credits.Name && l.Answers > 0 {
			return true
		}
	}
	return false
}
