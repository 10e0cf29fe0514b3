package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// wantClock is the greatest difference between our clock and the service's.
const wantClock = 30 * time.Second

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, data directory, lake, clock, key, balance and export",
		Long: `Check what a run needs, and the state that earlier runs left, one line each, with the remedy for
what is wrong. It sends one free request for the balance, and spends nothing. From the target of the
export it only reads. The exit code is that of the first check that failed.`,
		Example: "  fleetlake doctor\n  fleetlake doctor --json | jq '.[] | select(.state != \"ok\")'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := a.doctor(cmd.Context())
			if asJSON {
				return console.WriteJSON(a.stdout, found)
			}
			for _, f := range found {
				fmt.Fprintf(a.stdout, "%-5s %-16s %s\n", f.State, f.Check, f.Words)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON: check, state (ok, WARN or FAIL) and words of each line")
	return c
}

// finding is one line of the doctor's report.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, WARN or FAIL
	Words string `json:"words"`
}

// check is what the doctor looks at.
type check struct {
	name string
	run  func() (string, error)
	code int // of a failure; 0 is that of the error
}

// doctor makes all checks that the configuration allows. The exit code is that of the first one that failed.
func (a *app) doctor(ctx context.Context) []finding {
	cfg, configErr := a.configAsIs()
	checks := []check{{name: "configuration", run: func() (string, error) {
		return "jobs: " + strings.Join(cfg.JobNames(), ", "), configErr
	}}}
	if configErr == nil {
		checks = append(checks,
			check{name: "data directory", run: func() (string, error) { return writable(cfg.DataDir) }},
			check{name: "disk", run: func() (string, error) { return health.Free(cfg.DataDir) }},
			check{name: "memory", run: func() (string, error) { return a.memoryFits(cfg) }},
			check{name: "lock", run: func() (string, error) { return unlocked(cfg.DataDir) }},
			check{name: "lake", run: func() (string, error) { return lakeThere(ctx, cfg.DataDir) }},
			check{name: "held back", run: func() (string, error) { return nothingHeldBack(cfg.DataDir) }},
			check{name: "credits", run: func() (string, error) { return spentInOrder(cfg) }},
			check{name: "key and address", run: func() (string, error) { return cfg.BaseURL, cfg.RequireService() }})
	}
	if configErr == nil && cfg.RequireService() == nil {
		checks = append(checks, check{name: "service", run: func() (string, error) { return ping(ctx, cfg.Service()) }})
	}
	if configErr == nil && cfg.Export.Target != "" {
		checks = append(checks, check{name: "export", run: func() (string, error) { return targetThere(ctx, cfg) }, code: exitExport})
	}
	if configErr == nil && unixsocket.Is(cfg.Serve.Listen) {
		checks = append(checks, check{name: "page", run: func() (string, error) { return pageReady(cfg) }, code: exitUsage})
	}
	if configErr == nil && cfg.Flight.Listen != "" {
		checks = append(checks, check{name: "flight", run: func() (string, error) { return flightReady(cfg) }, code: exitUsage})
	}
	var found []finding
	code := exitDone
	for _, c := range checks {
		words, err := c.run()
		if err != nil {
			if code == exitDone {
				code = cmp.Or(c.code, exitCode(err))
			}
			found = append(found, finding{c.name, "FAIL", err.Error()})
			continue
		}
		found = append(found, finding{c.name, "ok", words})
	}
	for _, words := range openToOthers(cfg) {
		found = append(found, finding{"permissions", "WARN", words})
	}
	if configErr == nil && isOlder(ctx, cfg.DataDir) {
		found = append(found, finding{"warehouse", "WARN", warehouse.ErrOlder.Error()})
	}
	a.code = code
	return found
}

// writable checks that a run can write into the data directory, or make it: it creates a file that is removed again.
func writable(dir string) (string, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		parent := datadir.Nearest(dir)
		if err := unix.Faccessat(unix.AT_FDCWD, parent, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
			return "", fmt.Errorf("make %s in %s: %w; choose another with --data", dir, parent, err)
		}
		return dir + " does not exist: the first run makes it", nil
	}
	if err := datadir.CheckWritable(dir); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return "", fmt.Errorf("write into %s: %w; choose another with --data", dir, err)
	}
	return dir, errors.Join(f.Close(), os.Remove(f.Name()))
}

func unlocked(dir string) (string, error) {
	if err := datadir.CheckLock(dir); err != nil {
		return "", err
	}
	return "free", nil
}

// spentInOrder says what the caps leave, and checks that no run is dated later than now.
func spentInOrder(cfg config.Config) (string, error) {
	spending, err := (&pipeline.Pipeline{Dir: cfg.DataDir}).Spending(cfg.PlanJobs())
	switch {
	case err != nil:
		return "", err
	case len(spending.Ahead) > 0:
		return "", fmt.Errorf("%d runs are dated later than now, first %s: the clock was ahead then, or is behind now; what they spent counts towards today's caps, too; set the clock right", len(spending.Ahead), spending.Ahead[0])
	case len(spending.Caps) == 0:
		return "no cap is set (budget)", nil
	}
	words := make([]string, len(spending.Caps))
	for i, c := range spending.Caps {
		words[i] = console.CapWords(c)
	}
	return strings.Join(words, "; "), nil
}

// lakeThere checks that no published file is missing.
func lakeThere(ctx context.Context, dir string) (string, error) {
	lacking, err := derive.Lacking(ctx, dir)
	if err != nil {
		return "", err
	}
	if len(lacking) > 0 {
		return "", errors.New(health.LackingWords(lacking))
	}
	if _, err := os.Stat(warehouse.Path(dir)); err != nil {
		return "nothing published yet", nil
	}
	return "no file of the published runs is missing", nil
}

// nothingHeldBack checks that no run waits for a person's decision.
func nothingHeldBack(dir string) (string, error) {
	heldBack, err := derive.ReadHeldBack(dir)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, h := range heldBack {
		lines = append(lines, h.String())
	}
	if len(lines) > 0 {
		return "", errors.New(strings.Join(lines, "\n                       "))
	}
	return "no run", nil
}

// ping requests the balance and compares the clocks.
func ping(ctx context.Context, s extract.Service) (string, error) {
	credits, clock, err := extract.Ping(ctx, s)
	if err != nil {
		return "", err
	}
	words := fmt.Sprintf("%d credits left", credits)
	if off := time.Since(clock).Abs(); !clock.IsZero() && off > wantClock {
		return "", fmt.Errorf("%s, but this clock differs from the service's by %v: limits and dates would be wrong; set it", words, off.Round(time.Second))
	}
	return words, nil
}
