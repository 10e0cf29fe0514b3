package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/spf13/cobra"
)

// runOptions are the flags of a run.
type runOptions struct {
	budget   int           // notGiven is the job's
	deadline time.Duration // likewise
	date     string        // empty is today
	anyDate  bool
	again    bool
	newRound bool
}

// notGiven stands for a flag without which the job decides.
const notGiven = -1

func (o *runOptions) flags(c *cobra.Command) {
	o.budget, o.deadline = notGiven, notGiven
	c.Flags().Var(&numberFlag{&o.budget, 0, math.MaxInt}, "budget", "credit cap of the night, over all its runs; 0 is no cap (default: budget.per_run)")
	c.Flags().Var(&durationFlag{&o.deadline, 0}, "deadline", "send no request later than this after the start, such as 90s, 20h or 30d; 0s is none (default: the job's)")
	c.Flags().StringVar(&o.date, "date", "", "snapshot date of the run, YYYY-MM-DD (default: today in the job's time zone)")
	c.Flags().BoolVar(&o.anyDate, "force-date", false, "allow a --date before the first of the journal, or after tomorrow")
	c.Flags().BoolVar(&o.newRound, "new-round", false, "like --again, and ask also if the run before is published only now, or is held back")
	c.Flags().BoolVar(&o.again, "again", false, "pay again for a night that is done; resume one at its cap with a new cap")
}

// apply overrides the settings of the job by the flags, and checks the date.
func (o *runOptions) apply(job *plan.Job, dir string, now time.Time) error {
	if o.budget != notGiven {
		job.Budget = o.budget
	}
	if o.deadline != notGiven {
		job.Deadline = o.deadline
	}
	if o.date == "" {
		return nil
	}
	return o.checkDate(*job, dir, now)
}

// oldestFirst is how many days ago the first night of a new journal may be.
const oldestFirst = 31

// checkDate refuses a date that is probably a mistake: a night is billed, and stays in the history
// for good. A date must be between the first of the journal and tomorrow, in the job's time zone; for
// a journal without a night, within the last oldestFirst days.
func (o *runOptions) checkDate(job plan.Job, dir string, now time.Time) error {
	date, err := time.Parse(time.DateOnly, o.date)
	if err != nil {
		return fmt.Errorf("--date %q, expected YYYY-MM-DD without blanks; %w", o.date, errUsage)
	}
	today := now.In(job.Location)
	last := today.AddDate(0, 0, 1).Format(time.DateOnly)
	first, what, err := firstNight(dir)
	if err != nil {
		return err
	}
	if first == "" {
		first, what = today.AddDate(0, 0, -oldestFirst).Format(time.DateOnly), fmt.Sprintf("%d days ago, as there is no night yet", oldestFirst)
	}
	if o.anyDate || first <= o.date && o.date <= last {
		if date.Year() < 2000 || date.Year() > 2999 {
			return fmt.Errorf("--date %s, expected a year from 2000 to 2999; %w", o.date, errUsage)
		}
		return nil
	}
	return fmt.Errorf("--date %s, expected a date from %s (%s) to %s (tomorrow in %s); --force-date allows it nevertheless; %w",
		o.date, first, what, last, job.Location, errUsage)
}

// nightPattern matches the name of a night's directory in the journal.
var nightPattern = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// firstNight returns the first snapshot date of the journal, or none.
func firstNight(dir string) (date, what string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "journal"))
	if err != nil && !os.IsNotExist(err) {
		return "", "", fmt.Errorf("look for the first night: %w", err)
	}
	for _, e := range entries { // in the order of their names
		if e.IsDir() && nightPattern.MatchString(e.Name()) {
			return e.Name(), "the first night of the journal", nil
		}
	}
	return "", "", nil
}
