package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// probeJob is the job of the runs that probe makes.
const probeJob = "probe"

func (a *app) probeCommand() *cobra.Command {
	var params []string
	var yes bool
	c := &cobra.Command{
		Use:   "probe OPERATION",
		Short: "Send one request of an operation under `operations`, and show what would be kept",
		Long: `Send one request of an operation that is under "operations" in the configuration: to see what the service
answers before a job asks night after night. It prints the most that the request can cost, and sends it only with
--yes. The answer is kept in the journal like any other, published in raw_answers, and counts towards the caps; the
columns that it suggests can be put under the operation in the configuration. Without OPERATION it lists those that
the interface names, and what it says of each.`,
		Example: `  fleetlake probe
  fleetlake probe port-calls --param imo_or_mmsi=9218301
  fleetlake probe port-calls --param imo_or_mmsi=9218301 --yes`,
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().StringArrayVarP(&params, "param", "p", nil, "a parameter of the request, as NAME=VALUE; can be given several times")
	c.Flags().BoolVar(&yes, "yes", false, "send the request, and pay for it")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return printOffers(a.stdout, cfg)
		}
		o, err := probed(cfg, args[0], params)
		if err != nil {
			return err
		}
		return a.probe(cmd.Context(), cfg, o, yes)
	}
	return c
}

// printOffers lists the operations whose answers are kept whole: what the interface says of each, and which of them the
// configuration has.
func printOffers(w io.Writer, cfg config.Config) error {
	t := console.NewTable("operation", "configured", "path", "credits", "what the interface says")
	configured := map[string]api.RawOperation{}
	for _, o := range cfg.Operations {
		configured[o.Name] = o
	}
	row := func(name, path string, credits int, facts string) {
		state, price := "no", "not said"
		if o, ok := configured[name]; ok {
			state, path, credits = "yes", o.Path, o.Credits
			delete(configured, name)
		}
		if credits > 0 {
			price = fmt.Sprint(credits)
		}
		if path == "" {
			path = "not said"
		}
		t.AppendRow([]any{name, state, path, price, facts})
	}
	for _, o := range api.Offers {
		row(o.Name, o.Path, o.Credits, o.Facts)
	}
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		row(name, "", 0, "nothing")
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

// probed returns the operation with the parameters of the command line in place of its templates.
func probed(cfg config.Config, name string, params []string) (api.RawOperation, error) {
	i := slices.IndexFunc(cfg.Operations, func(o api.RawOperation) bool { return o.Name == name })
	if i < 0 {
		if _, own := api.OperationNamed(name); own {
			return api.RawOperation{}, fmt.Errorf("%s is an operation that jobs use by themselves: `fleetlake explain` shows what it said of a vessel: %w", name, errUsage)
		}
		known := make([]string, len(cfg.Operations))
		for i, o := range cfg.Operations {
			known[i] = o.Name
		}
		return api.RawOperation{}, fmt.Errorf("operation %q is not under operations in the configuration%s; `fleetlake probe` lists what the interface names: %w", name, config.DidYouMean(name, known), errUsage)
	}
	o := cfg.Operations[i]
	literal := map[string]string{}
	maps.Copy(literal, o.Parameters) // those of the configuration stay templates
	for _, p := range params {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" || value == "" {
			return o, fmt.Errorf("--param %q, expected NAME=VALUE: %w", p, errUsage)
		}
		literal[key] = value
	}
	o.Parameters = literal
	if open := o.Placeholders(); len(open) > 0 {
		return o, fmt.Errorf("no value for {%s} in the parameters of %s, expected --param NAME=VALUE for each: %w", strings.Join(open, "}, {"), o.Name, errUsage)
	}
	return o, nil
}

// probe sends the request of an operation whose parameters are complete, as a run of one question.
func (a *app) probe(ctx context.Context, cfg config.Config, o api.RawOperation, yes bool) error {
	r, err := o.Request(nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "request   %s %s %s\nprice     at most %d credits\n", o.Method, o.Path, wording.Printable(r.Parameters.Encode()), o.Credits)
	if !yes {
		fmt.Fprintln(a.stdout, "not sent: the same command with --yes sends it, and pays for it")
		return nil
	}
	job := plan.Job{Name: probeJob, Location: time.UTC, Deadline: 10 * time.Minute, List: plan.List{By: "none"},
		Budget: cfg.Budget.PerRun, PerDay: cfg.Budget.PerDay, PerMonth: cfg.Budget.PerMonth, Floor: cfg.Budget.Floor,
		Asks: []plan.Ask{{Operation: o, MaxAge: 1}}}
	p, err := a.pipeline(cfg, 0)
	if err != nil {
		return err
	}
	p.Again = true // a second probe of a day asks again
	unlock, err := datadir.LockFor(cfg.DataDir, "probe")
	if err != nil {
		return err
	}
	report, err := p.Run(ctx, job, "")
	if err := errors.Join(err, unlock()); err != nil {
		return err
	}
	a.code = codeOf(report, 0)
	return printProbe(a.stdout, cfg.DataDir, report.Date, report.Run, o)
}

// printProbe prints the answer of a run of one question, what is kept of it, and which columns it could have.
func printProbe(w io.Writer, dir, date, run string, o api.RawOperation) error {
	for x, err := range journal.Exchanges(journal.Path(filepath.Join(dir, "journal"), date, run)) {
		if err != nil {
			return err
		}
		if x.Kind != journal.KindAnswer || x.Operation != o.Name {
			continue
		}
		body, err := x.RawBody()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "answer    %s, HTTP status %d, %d credits (%s)\n%s\n", x.Outcome, x.Status, x.Credits, x.Charge, wording.PrintableLines(indented(body)))
		if !x.OK() {
			return nil
		}
		fmt.Fprintf(w, "kept      in raw_answers and the view %s, run %s, entry %d\n", warehouse.RawView(o.Name), run, x.N)
		if rows, columns := suggestColumns(body); len(columns) > 0 {
			fmt.Fprintf(w, "columns   such as, under operations.%s:\n", o.Name)
			if rows != "" {
				fmt.Fprintf(w, "            rows: %s\n", rows)
			}
			fmt.Fprintf(w, "            columns: {%s}\n", wording.PrintableLines(strings.Join(columns, ", ")))
		}
		return nil
	}
	return fmt.Errorf("run %s has no answer of %s: `fleetlake runs %s` says why", run, o.Name, run)
}
