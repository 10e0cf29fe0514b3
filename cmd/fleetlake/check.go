package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	most, least := config.DefaultMaxAge, health.JobMinCoverage
	var job string
	var asJSON bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Check for an outer monitor that the nights succeed",
		Long: `End with exit code 0 if a run was published within --max-age, the newest run of each job was done,
everything paid for is published, no run is held back, no file of the lake is missing, the disk has
room, and the export of the configuration did not fail. Otherwise print the reason in one line, and
end with 1, with the exit code of the newest run, with 7 for the disk, or with 10 for the export.

For the age, a run counts if it was done, or if the service answered at least one request. If the
newest run covered less than the min_coverage of its job, the exit code is 9. With --min-coverage, a
partial run passes if it covered that much. The check reads the data directory only: it sends no
request, works while a run is under way, and needs neither the address nor the key of the service.`,
		Example: `  fleetlake check --max-age 26h
  fleetlake check --max-age 8d --job weekly --json
  fleetlake check --min-coverage 80`,
		Args: cobra.NoArgs,
	}
	c.Flags().Var(&durationFlag{&most, 1}, "max-age", "greatest age of the newest run, such as 26h or 8d")
	c.Flags().Var(&numberFlag{&least, 0, 100}, "min-coverage", "percentage of the planned partitions with which a partial run passes (default: no partial run passes)")
	c.Flags().StringVar(&job, "job", "", "only runs of this job")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		v, err := verdictOn(cmd.Context(), cfg.DataDir, job, time.Now(), most)
		if err == nil {
			v, err = v.withTroubles(cmd.Context(), cfg, job, least)
		}
		if err != nil {
			return err
		}
		a.code = v.code
		return v.print(a.stdout, asJSON)
	}
	return c
}

// verdict is the result of the dead-man check.
type verdict struct {
	OK         bool       `json:"ok"`
	Reason     string     `json:"reason"`
	Run        string     `json:"run,omitempty"`
	Job        string     `json:"job,omitempty"`
	State      string     `json:"state,omitempty"`
	Finished   *time.Time `json:"finished,omitempty"`
	AgeSeconds float64    `json:"age_seconds,omitempty"`
	MaxSeconds float64    `json:"max_age_seconds"`
	code       int
	words      string // before the reason
}

// withTroubles turns an OK verdict into one that names the first trouble, if there is one. A verdict
// that is not OK gets the first trouble of the data directory as a possible cause.
func (v verdict) withTroubles(ctx context.Context, cfg config.Config, job string, minCoverage int) (verdict, error) {
	if !v.OK {
		troubles, err := health.DataProblems(ctx, cfg.DataDir, job)
		if err == nil && len(troubles) > 0 {
			v.Reason += "; " + troubles[0].Words
		}
		return v, err
	}
	troubles, err := healthOf(cfg).Problems(ctx, job, minCoverage)
	if err != nil {
		return v, err
	}
	export, err := healthOf(cfg).ExportProblems()
	if troubles = append(troubles, export...); err != nil || len(troubles) == 0 {
		return v, err
	}
	v.OK, v.words, v.Reason, v.code = false, "WRONG: ", troubles[0].Words, exitCodes[troubles[0].Kind]
	return v, nil
}

func verdictOn(ctx context.Context, dir, job string, now time.Time, most time.Duration) (verdict, error) {
	v := verdict{MaxSeconds: most.Seconds(), code: exitUnexpected, words: "STALE: "}
	run, err := health.NewestRun(ctx, warehouse.Path(dir), job)
	switch {
	case errors.Is(err, warehouse.ErrNone), errors.Is(err, warehouse.ErrNoRun):
		v.Reason = "no run has been published"
		return v, nil
	case err != nil:
		return v, err
	}
	age := now.Sub(run.Finished)
	v.Run, v.Job, v.State, v.Finished, v.AgeSeconds = run.ID, run.Job, run.State, &run.Finished, age.Seconds()
	if v.OK = age <= most; v.OK {
		v.code, v.words = exitDone, "ok: "
	}
	v.Reason = fmt.Sprintf("the newest run, %s of %s, ended %v ago; the limit is %v", run.ID, run.Job, age.Round(time.Second), most)
	return v, nil
}

func (v verdict) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	_, err := fmt.Fprintln(w, v.words+v.Reason)
	return err
}
