package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/spf13/cobra"
)

func (a *app) planCommand() *cobra.Command {
	var asJSON bool
	options := runOptions{}
	c := &cobra.Command{
		Use:   "plan [JOB]",
		Short: "Print what a run would request, cost and leave out; spends nothing",
		Long: `Plan a run as "run" would, from the last totals in the published warehouse, and print the plan:
requests, credits (least, expected, most) and minutes by operation, and what is left out for lack of
credits or time. Only the free balance call is made. For a night that was cut off, the plan is what
remains. A night that is done costs nothing more, unless --again pays for it again.

While nothing is known yet, a line says what the cap brings, simulated from assumed sizes as by
"forecast": how much the first night covers, when every vessel is listed, and what a complete first
night costs.`,
		Example: `  fleetlake plan nightly
  fleetlake plan nightly --budget 2000 --deadline 90m --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, job, err := a.jobFor(args, &options)
			if err != nil {
				return err
			}
			p, err := a.pipeline(cfg, 0)
			if err != nil {
				return err
			}
			p.Again, p.NewRound = options.again || options.newRound, options.newRound
			v, err := p.Preview(cmd.Context(), job, options.date)
			if err != nil {
				return err
			}
			planned := plannedRun{Preview: v}
			if v.NothingKnown {
				if planned.Outlook, err = outlook(cmd.Context(), cfg, job, time.Now()); err != nil {
					return err
				}
			}
			if asJSON {
				e := json.NewEncoder(a.stdout)
				e.SetIndent("", "  ")
				return e.Encode(planned)
			}
			return renderPlan(a.stdout, job, planned)
		},
	}
	options.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// plannedRun is a plan, and what the caps bring if nothing is known yet.
type plannedRun struct {
	pipeline.Preview
	Outlook *forecast.Outlook `json:"outlook,omitempty"`
}

// renderPlan prints a plan for people.
func renderPlan(w io.Writer, job plan.Job, v plannedRun) error {
	fmt.Fprintf(w, "%s for %s: about %s requests in %s, done by %s\n", v.Job, v.Date, wording.Count(v.Requests),
		wording.Brief(time.Duration(v.Minutes*float64(time.Minute))), v.Finish.Format(time.RFC3339))
	t := console.NewTable("operation", "requests", "a minute", "minutes", "least", "expected", "most")
	for _, l := range v.Lanes {
		t.AppendRow([]any{l.Operation, wording.Count(l.Requests), wording.Count(l.PerMinute), l.Minutes, wording.Count(l.Credits.Least), wording.Count(l.Credits.Expected), most(l.Credits.Most)})
	}
	t.AppendFooter([]any{"in all", wording.Count(v.Requests), "", v.Minutes, wording.Count(v.Credits.Least), wording.Count(v.Credits.Expected), most(v.Credits.Most)})
	fmt.Fprintln(w, t.Render())
	if v.Balance != nil {
		fmt.Fprintf(w, "balance   %s credits\n", wording.Count(*v.Balance))
	}
	if v.Outlook != nil {
		fmt.Fprintf(w, "cap       %s\n", console.OutlookWords(job, *v.Outlook))
	}
	for _, l := range v.LeftOut {
		fmt.Fprintf(w, "left out  %s\n", l)
	}
	for _, n := range v.Notes {
		fmt.Fprintf(w, "note      %s\n", n)
	}
	return nil
}

// most prints an upper bound; there may be none.
func most(credits int) string {
	if credits == 0 {
		return "-"
	}
	return wording.Count(credits)
}
