package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load/export"
	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/spf13/cobra"
)

// exportOptions are the flags of export and of its subcommands.
type exportOptions struct {
	dir, target string
	store       store.Options
	bandwidth   sizeFlag
	json        bool
	export      export.Options
	expire      exports.Expire // of the configuration
}

func (a *app) exportCommand() *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export [TARGET]",
		Short: "Publish facts, history and their description in a directory or an object store",
		Long: `Publish what other engines read, in TARGET: a directory, or s3://bucket/prefix. It has the Parquet
files of every published night (facts/), the derived tables with their history (history/), with
--warehouse the DuckDB file, and a README, a dictionary and statements for other engines. Only what
TARGET does not have is uploaded, each file after a check against the SHA-256 of its manifest. An
export that was interrupted is continued by the next one.

current.json lists the files and columns that are valid. It is replaced last: who reads what it lists
sees every night whole. Files of others are reported, and neither replaced nor removed.

Without TARGET, what is published is exported as after a night: to the target of the configuration,
with its settings (export:) and with what follows. It ends a failure of that export; its own failure
has exit code 10. Flags other than --bandwidth and --json override the settings for once, and leave
out what follows.

Credentials of an S3 store: FLEETLAKE_EXPORT_ACCESS_KEY, FLEETLAKE_EXPORT_SECRET_KEY, and
FLEETLAKE_EXPORT_SESSION_TOKEN for temporary ones.`,
		Example: `  fleetlake export /mnt/lake/fleet
  fleetlake export s3://lake/fleet --endpoint https://s3.example.org --dry-run
  fleetlake export expire s3://lake/fleet --keep-facts 400d --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cfg, err := a.config(); err == nil && len(args) == 0 && cfg.Export.Target != "" && !o.narrowed(cmd) {
				return a.exportNow(cmd.Context(), &o)
			}
			return a.withTarget(cmd.Context(), &o, args, func(ctx context.Context, s store.Store) error {
				r, err := export.Run(ctx, o.dir, s, o.export)
				if err != nil {
					return err
				}
				return a.reportExport(r, o)
			})
		},
	}
	o.flags(c)
	o.dryRun(c)
	o.selection(c)
	flags := c.Flags()
	flags.BoolVar(&o.export.Warehouse, "warehouse", false, "also export the published warehouse file")
	flags.BoolVar(&o.export.Replace, "replace", false, "also replace the export of another data directory, or one with runs that this one lacks")
	c.AddCommand(a.compactCommand(), a.expireCommand(), a.verifyExportCommand())
	return c
}

// narrowing are the flags with which an export is not that of the configuration.
var narrowing = []string{"dry-run", "endpoint", "path-style", "region", "replace", "since", "tables", "warehouse"}

// narrowed reports whether flags ask for another export than that of the configuration.
func (o *exportOptions) narrowed(c *cobra.Command) bool {
	return slices.ContainsFunc(narrowing, c.Flags().Changed)
}

func (o *exportOptions) dryRun(c *cobra.Command) {
	c.Flags().BoolVar(&o.export.DryRun, "dry-run", false, "only print what would be done")
}

// selection adds the flags of verbs that select nights and tables.
func (o *exportOptions) selection(c *cobra.Command) {
	c.Flags().StringVar(&o.export.Since, "since", "", "the first night, YYYY-MM-DD, whose facts are looked at (default all)")
	c.Flags().StringSliceVar(&o.export.Tables, "tables", nil, "tables to look at, as facts.positions, positions or history (default all)")
}

// flags adds the flags that all verbs of an export have.
func (o *exportOptions) flags(c *cobra.Command) {
	flags := c.Flags()
	flags.Var(&o.bandwidth, "bandwidth", "most bytes a second to the store, as 20MB (default no limit)")
	flags.StringVar(&o.store.Endpoint, "endpoint", "", "URL of an S3 store other than Amazon's")
	flags.StringVar(&o.store.Region, "region", "", "region of the bucket")
	flags.BoolVar(&o.store.PathStyle, "path-style", false, "put the bucket into the path of the URL")
	flags.BoolVar(&o.json, "json", false, "print as JSON")
}

// withTarget opens the target, and runs an operation on it with its progress on stderr.
func (a *app) withTarget(ctx context.Context, o *exportOptions, args []string, do func(context.Context, store.Store) error) (err error) {
	cfg, err := a.config()
	if err == nil {
		err = o.fill(cfg.Export, args)
	}
	if err != nil {
		return err
	}
	if since := o.export.Since; since != "" {
		if _, err := time.Parse(time.DateOnly, since); err != nil {
			return fmt.Errorf("--since %q: want YYYY-MM-DD: %w", since, errUsage)
		}
	}
	if o.dir, err = a.boundedLake(); err != nil {
		return err
	}
	if o.export.Source, err = identityOf(o.dir); err != nil {
		return err
	}
	print, stop := console.PrintTransfer(a.stderr)
	defer stop()
	p := &transfers{print: print}
	o.export.Program, o.export.Progress = version(), p.report
	o.store.Sent = p.sent
	o.store.Warn = func(text string) { a.log().Warn(text) }
	if words := othersMayWrite(o.target); words != "" {
		o.store.Warn(words)
	}
	s, err := store.Open(ctx, o.target, o.store)
	if err == nil {
		err = do(ctx, s)
	}
	stop()
	return a.exportError(o.dir, err)
}

// fill takes the target and what the flags leave open from the configuration; with a TARGET in the
// arguments, only the credentials of the environment: the others are for the configured target.
func (o *exportOptions) fill(c config.Export, args []string) error {
	if len(args) > 0 {
		c = c.Environment()
		c.Target = args[0]
	}
	if c.Target == "" {
		return fmt.Errorf("no TARGET: name a directory or s3://bucket/prefix, or set export.target in the configuration: %w", errUsage)
	}
	s, err := c.Settings()
	if err != nil {
		return err
	}
	given := o.store
	o.target, o.store = s.Target, s.Store
	o.store.Endpoint, o.store.Region = cmp.Or(given.Endpoint, s.Store.Endpoint), cmp.Or(given.Region, s.Store.Region)
	o.store.PathStyle = given.PathStyle || s.Store.PathStyle
	o.store.Bandwidth = cmp.Or(int64(o.bandwidth), s.Store.Bandwidth)
	o.export.Since, o.export.Warehouse = cmp.Or(o.export.Since, s.Options.Since), o.export.Warehouse || s.Options.Warehouse
	o.expire = s.Expire
	if len(o.export.Tables) == 0 {
		o.export.Tables = s.Options.Tables
	}
	return nil
}

// exportError adds what helps to an error of an export.
func (a *app) exportError(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, export.ErrOther), errors.Is(err, export.ErrBehind):
		return fmt.Errorf("%w; is %s the right data directory? %w", err, dir, errUsage)
	case errors.Is(err, export.ErrTarget), errors.Is(err, export.ErrEarlier), errors.Is(err, export.ErrTable):
		return fmt.Errorf("%w; %w", err, errUsage)
	}
	if words, _ := writer(dir); words != "" {
		return fmt.Errorf("%w; %s writes into the data directory: try again when it has ended", err, words)
	}
	return err
}

// notices prints what an operation noticed.
func (a *app) notices(lines []string) {
	for _, line := range lines {
		fmt.Fprintf(a.stderr, "fleetlake: %s\n", line)
	}
}

// reportExport prints what an export did.
func (a *app) reportExport(r export.Report, o exportOptions) error {
	a.notices(r.Notices)
	if o.json {
		return console.WriteJSON(a.stdout, r)
	}
	done := "uploaded"
	if r.DryRun {
		done = "to upload"
		for _, u := range r.Uploads {
			fmt.Fprintf(a.stdout, "%12s  %s\n", wording.Bytes(u.Bytes), u.Path)
		}
	}
	_, err := fmt.Fprintf(a.stdout, "%d files of %d runs in %s: %d %s (%s), %d there already (%s); %d requests in %s\n",
		r.Listed, r.Runs, o.target, r.Files, done, wording.Bytes(r.Bytes), r.Skipped, wording.Bytes(r.SkippedBytes), r.Requests, wording.Brief(time.Duration(r.Seconds*float64(time.Second))))
	return err
}

// transferInterval is the least time between two drawings that only sent bytes cause.
const transferInterval = 200 * time.Millisecond

// transfers joins the progress of files with the bytes that the store has sent of unfinished ones.
type transfers struct {
	print func(console.Transfer)

	mu    sync.Mutex
	now   console.Transfer
	bytes int64 // sent in this phase
	drawn time.Time
}

func (t *transfers) report(p export.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.Phase != t.now.Phase {
		t.bytes = 0
	}
	t.now = console.Transfer{Phase: p.Phase, Files: p.Files, AllFiles: p.AllFiles, Bytes: p.Bytes, AllBytes: p.AllBytes}
	t.draw(time.Now())
}

func (t *transfers) sent(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += bytes
	if now := time.Now(); t.now.AllBytes > 0 && now.Sub(t.drawn) >= transferInterval {
		t.draw(now)
	}
}

func (t *transfers) draw(at time.Time) {
	t.drawn = at
	next := t.now
	next.At, next.Bytes = at, max(t.now.Bytes, min(t.bytes, t.now.AllBytes))
	t.print(next)
}

// sizeFlag is a flag with a number of bytes, as 500kB, 20MB or 1GB.
type sizeFlag int64

// String implements pflag.Value. 0 stands for a flag that was not given.
func (f *sizeFlag) String() string {
	if f == nil || *f == 0 {
		return ""
	}
	return wording.Bytes(int64(*f))
}

// Set implements pflag.Value.
func (f *sizeFlag) Set(s string) error {
	n, err := config.Bytes(s)
	*f = sizeFlag(n)
	return err
}

// Type implements pflag.Value.
func (*sizeFlag) Type() string { return "size" }
