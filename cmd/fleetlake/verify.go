package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// maxWrong is how many faults a line names; --json has all.
const maxWrong = 3

func (a *app) verifyCommand() *cobra.Command {
	var asJSON, salvage bool
	var backup string
	c := &cobra.Command{
		Use:   "verify",
		Short: "Check journal, lake and warehouse against each other",
		Long: `Read every byte of journal, lake and warehouse, and check them against each other: checksums and
order of entries; the segments against the list of all that there were; files, sizes, SHA-256 and rows against the manifests; the invariants and the rows
of the tables; whether every run that ended is published; the credits of the table requests. It
prints one line per check, with the remedy for what is wrong, and then ends with exit code 1. It
changes nothing, and works while a run is under way.

With --salvage it first makes damaged segments of the journal readable again: entries that are whole
stay, the possible cost of the lost ones counts as spent, and the damaged file is kept beside the
new one. A good copy from a backup is better: restore it first if there is one.

With --backup it checks a copy of the journal in another directory instead: its entries, its list of
segments, and whether it has every run of the data directory up to its newest one.`,
		Example: `  fleetlake verify
  fleetlake verify --salvage
  fleetlake verify --backup /backup/fleetlake
  fleetlake verify --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if backup != "" {
				return a.verifyBackup(cmd.Context(), backup, asJSON)
			}
			dir, err := a.boundedLake()
			if err != nil {
				return err
			}
			var salvaged []journal.Salvaged
			if salvage {
				if salvaged, err = a.salvageJournal(cmd.Context(), dir); err != nil {
					return err
				}
			}
			checks, err := derive.Verify(cmd.Context(), dir)
			if errors.Is(err, warehouse.ErrRoom) {
				return fmt.Errorf("%w: this is no damage; a larger `memory` in the configuration (FLEETLAKE_MEMORY) gives DuckDB more", err)
			}
			if err != nil {
				return err
			}
			if checks, err = addDamagedLines(checks, dir); err != nil {
				return err
			}
			if !asJSON {
				if err := renderSalvaged(a.stdout, salvage, salvaged); err != nil {
					return err
				}
			}
			return a.reportChecks(checks, salvaged, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().StringVar(&backup, "backup", "", "check the copy of the journal in this directory")
	c.Flags().BoolVar(&salvage, "salvage", false, "first recover what is readable of damaged segments of the journal")
	c.MarkFlagsMutuallyExclusive("backup", "salvage")
	return c
}

// verifyBackup checks a copy of the journal. The data directory need not be there: it may be what was lost.
func (a *app) verifyBackup(ctx context.Context, backup string, asJSON bool) error {
	dir, err := a.data()
	if err != nil {
		return err
	}
	checks, err := derive.VerifyBackup(ctx, backup, dir)
	if errors.Is(err, derive.ErrNoBackup) {
		return fmt.Errorf("%w: %w", err, errUsage)
	}
	if err != nil {
		return err
	}
	return a.reportChecks(checks, nil, asJSON)
}

// reportChecks prints checks. One that failed is the exit code.
func (a *app) reportChecks(checks []derive.Check, salvaged []journal.Salvaged, asJSON bool) error {
	if slices.ContainsFunc(checks, func(c derive.Check) bool { return !c.OK }) {
		a.code = exitUnexpected
	}
	if !asJSON {
		return renderChecks(a.stdout, checks)
	}
	return console.WriteJSON(a.stdout, struct {
		OK       bool               `json:"ok"`
		Checks   []derive.Check     `json:"checks"`
		Salvaged []journal.Salvaged `json:"salvaged,omitempty"`
	}{a.code == exitDone, checks, salvaged})
}

// addDamagedLines adds a check that failed for each of the files of lines, which have nothing that was paid for, of which
// lines are damaged.
func addDamagedLines(checks []derive.Check, dir string) ([]derive.Check, error) {
	slots, err := schedules.CountDamaged(dir)
	if err != nil {
		return checks, err
	}
	_, forecasts, err := pipeline.ReadForecasts(dir)
	if err != nil {
		return checks, err
	}
	for _, c := range []struct {
		name, file string
		damaged    int
	}{{"slot log", schedules.SlotLogName, slots}, {"forecasts", pipeline.ForecastsName, forecasts}} {
		if c.damaged > 0 {
			checks = append(checks, derive.Check{Name: c.name, Wrong: []string{fmt.Sprintf("%s: lines that are not as they were written: %d", c.file, c.damaged)},
				Do: "they are left out; nothing that was paid for is in them, and the file can be restored from a backup"})
		}
	}
	return checks, nil
}

func (a *app) salvageJournal(ctx context.Context, dir string) ([]journal.Salvaged, error) {
	unlock, err := datadir.LockFor(dir, "verify --salvage")
	if err != nil {
		return nil, err
	}
	all, err := derive.Salvage(ctx, derive.Deriver{Dir: dir, Log: a.log()}, version())
	return all, errors.Join(err, unlock())
}

// renderSalvaged prints for each segment what was kept and what was lost.
func renderSalvaged(w io.Writer, asked bool, all []journal.Salvaged) error {
	if asked && len(all) == 0 {
		_, err := fmt.Fprintln(w, "nothing to salvage: every segment of the journal can be read")
		return err
	}
	for _, s := range all {
		fmt.Fprintf(w, "salvaged: %s, %d entries are whole, %d credits more count as spent; the damaged file is kept: %s\n", s.Path, s.Entries, s.Credits, s.Aside)
		for _, h := range s.Holes {
			if _, err := fmt.Fprintf(w, "  lost: %d entries, in %d bytes from byte %d of the damaged file\n", h.Entries, h.Bytes, h.Offset); err != nil {
				return err
			}
		}
	}
	return nil
}

func renderChecks(w io.Writer, checks []derive.Check) error {
	for _, c := range checks {
		if c.OK {
			fmt.Fprintf(w, "ok     %s: %s\n", c.Name, c.Summary)
			continue
		}
		fmt.Fprintf(w, "WRONG  %s: ", c.Name)
		for i, wrong := range c.Wrong {
			if i == maxWrong {
				fmt.Fprintf(w, "; and %d more (--json has all)", len(c.Wrong)-i)
				break
			}
			if i > 0 {
				fmt.Fprint(w, "; ")
			}
			fmt.Fprint(w, wrong)
		}
		if _, err := fmt.Fprintf(w, ". %s\n", c.Do); err != nil {
			return err
		}
	}
	return nil
}
