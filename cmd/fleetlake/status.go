package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// Limits of status: next slots of a job, and slots without a good run.
const (
	maxSlots  = 3
	maxMissed = 10
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Print what runs, what ran last, what is next and what was missed",
		Long: `Print which process writes into the data directory, how the last run of each job ended, when its
next slots are, which runs are held back and how to publish them, which published files are
missing, how the last export ended, and which slots had no good run, with the reason. It reads the data directory and the
configuration only, and sends no request.`,
		Example: "  fleetlake status",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.config()
			if err != nil {
				return err
			}
			if _, err := os.Stat(cfg.DataDir); errors.Is(err, fs.ErrNotExist) {
				a.say("there is no data directory " + cfg.DataDir + " yet: is --data (FLEETLAKE_DATA, data_dir) right?")
			}
			s, err := statusOf(cmd.Context(), cfg, time.Now())
			if err != nil {
				return err
			}
			if !asJSON {
				return s.print(a.stdout)
			}
			e := json.NewEncoder(a.stdout)
			e.SetIndent("", "  ")
			e.SetEscapeHTML(false)
			return e.Encode(s)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// status is what the data directory and the configuration say of the jobs.
type status struct {
	Writer   string               `json:"writer,omitempty"` // the process that has the lock, as it describes itself
	Jobs     []jobStatus          `json:"jobs"`
	HeldBack []derive.HeldBackRun `json:"held_back"`        // runs that wait for a person's decision
	Lacks    []string             `json:"lacks"`            // published files that are missing
	Export   *exports.State       `json:"export,omitempty"` // how the last exports ended
	Caps     []pipeline.CapUse    `json:"caps"`             // how much of each cap is used, and what it leaves to the next run
	Missed   []schedules.Record   `json:"missed"`           // slots that were missed or failed, and whose night no later run has done, the newest first
}

type jobStatus struct {
	Job      string      `json:"job"`
	Schedule string      `json:"schedule"`
	Timezone string      `json:"timezone"`
	Last     *lastRun    `json:"last,omitempty"`
	Next     []time.Time `json:"next"`
}

type lastRun struct {
	Run       string    `json:"run"`
	Date      string    `json:"date"`
	Started   time.Time `json:"started"`
	State     string    `json:"state"` // "running" for one without an end while a process writes
	Reason    string    `json:"reason,omitempty"`
	Credits   int       `json:"credits"`
	Published bool      `json:"published"`
}

func statusOf(ctx context.Context, cfg config.Config, now time.Time) (status, error) {
	var s status
	var err error
	if s.Writer, err = writer(cfg.DataDir); err != nil {
		return s, err
	}
	if s.Missed, err = missedSlots(ctx, cfg.DataDir); err != nil {
		return s, err
	}
	if s.HeldBack, err = derive.ReadHeldBack(cfg.DataDir); err != nil {
		return s, err
	}
	if s.Lacks, err = derive.Lacking(ctx, cfg.DataDir); err != nil {
		return s, err
	}
	spending, err := (&pipeline.Pipeline{Dir: cfg.DataDir}).Spending(cfg.PlanJobs())
	if err != nil {
		return s, err
	}
	s.Caps = console.NotNil(spending.Caps)
	if cfg.Export.Target != "" {
		state, err := exports.ReadState(cfg.DataDir)
		if err != nil {
			return s, err
		}
		s.Export = &state
	}
	for _, j := range cfg.Jobs {
		schedule, err := schedules.Parse(j.Spec.Cron, j.Spec.Location)
		if err != nil {
			return s, fmt.Errorf("job %s: %w", j.Job.Name, err)
		}
		one := jobStatus{Job: j.Job.Name, Schedule: j.Spec.Cron, Timezone: j.Spec.Location.String(), Next: schedule.Upcoming(now, maxSlots)}
		if one.Last, err = lastOf(ctx, cfg.DataDir, j.Job.Name, s.Writer != ""); err != nil {
			return s, err
		}
		s.Jobs = append(s.Jobs, one)
	}
	return s, nil
}

// missedSlots returns the newest slots without a good run, but for those whose night a later run has done.
func missedSlots(ctx context.Context, dir string) ([]schedules.Record, error) {
	records, err := schedules.ReadSlotLog(dir, maxMissed)
	if err != nil || len(records) == 0 {
		return records, err
	}
	runs, err := health.PublishedRuns(ctx, warehouse.Path(dir))
	return slices.DeleteFunc(records, func(slot schedules.Record) bool {
		return slices.ContainsFunc(runs, func(r warehouse.Run) bool {
			return r.Job == slot.Job && r.Date == slot.Date && r.State == report.StateDone && r.Started.After(slot.Slot)
		})
	}), err
}

// writer returns the description of the process that has the lock of a data directory, or nothing.
func writer(dir string) (string, error) { return datadir.Holder(dir) }

// lastOf returns the newest run of a job in the journal, nil if there is none.
func lastOf(ctx context.Context, dir, job string, writing bool) (*lastRun, error) {
	nights, err := pipeline.PastRuns(dir, job, 1)
	if err != nil || len(nights) == 0 {
		return nil, err
	}
	n := nights[0]
	last := &lastRun{Run: n.Run, Date: n.Date, Started: n.Started, State: n.State}
	switch {
	case n.State == "" && writing:
		last.State = "running"
	case n.State == "":
		last.State = report.StateKilled
	}
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return last, nil
	}
	if err != nil {
		return nil, err
	}
	run, err := w.Run(ctx, n.Run)
	if errors.Is(err, warehouse.ErrNoRun) {
		return last, w.Close()
	}
	last.Published, last.Reason, last.Credits = err == nil, run.Reason, run.CreditsSpent
	return last, errors.Join(err, w.Close())
}

func (s status) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "running   %s\n", wording.Printable(cmp.Or(s.Writer, "nothing")))
	for _, j := range s.Jobs {
		fmt.Fprintf(&b, "\n%s (%s, %s)\n", j.Job, j.Schedule, j.Timezone)
		console.ReportLine(&b, "last", j.Last.words())
		for i, at := range j.Next {
			console.ReportLine(&b, []string{"next", ""}[min(i, 1)], at.Format("Mon 2006-01-02 15:04 MST"))
		}
	}
	for i, c := range s.Caps {
		if i == 0 {
			b.WriteString("\ncredits\n")
		}
		console.ReportLine(&b, []string{"caps", ""}[min(i, 1)], console.CapWords(c))
	}
	for i, h := range s.HeldBack {
		if i == 0 {
			b.WriteString("\nruns held back\n")
		}
		fmt.Fprintf(&b, "  %s\n", wording.Printable(h.String()))
	}
	if len(s.Lacks) > 0 {
		fmt.Fprintf(&b, "\nmissing files\n  %s\n", wording.Printable(health.LackingWords(s.Lacks)))
	}
	if s.Export != nil {
		b.WriteString("\nexport\n")
		console.ReportLine(&b, "last", exportStatus(*s.Export))
		if s.Export.Failing() {
			f := s.Export.Failure
			console.ReportLine(&b, "failed", fmt.Sprintf("%d times since %s: %s", f.Times, f.First.Format("2006-01-02 15:04 MST"), f.Reason))
		}
	}
	for i, r := range s.Missed {
		if i == 0 {
			b.WriteString("\nslots without a good run\n")
		}
		console.ReportLine(&b, r.State, fmt.Sprintf("%s %s: %s", r.Job, r.Slot.Format("2006-01-02 15:04 MST"), r.Reason))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// exportStatus says what is exported.
func exportStatus(s exports.State) string {
	if s.Success == nil {
		return "never"
	}
	return fmt.Sprintf("%s, %s", s.Success.At.Format("2006-01-02 15:04 MST"), health.ExportedWords(*s.Success))
}

func (l *lastRun) words() string {
	if l == nil {
		return "never"
	}
	words := fmt.Sprintf("%s for %s, started %s", l.State, l.Date, l.Started.Format("2006-01-02 15:04 MST"))
	if l.Published {
		words += fmt.Sprintf(", %s credits", wording.Count(l.Credits))
	} else {
		words += ", not published yet"
	}
	return wording.WithReason(words, l.Reason)
}
