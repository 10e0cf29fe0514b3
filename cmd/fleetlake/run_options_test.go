package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/spf13/cobra"
)

// TestRunOptionsAreReadAsTheConfiguration passes budgets, deadlines and dates: values that make no
// sense are refused with our messages, and none is silently ignored.
func TestRunOptionsAreReadAsTheConfiguration(t *testing.T) {
	now := time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC)
	empty, used := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(used, "journal", "2026-11-01"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		dir  string
		want string // in the error; empty is none
	}{
		"nothing":                      {nil, empty, ""},
		"a cap":                        {[]string{"--budget", "500"}, empty, ""},
		"no cap":                       {[]string{"--budget", "0"}, empty, ""},
		"less than none":               {[]string{"--budget", "-5"}, empty, `"-5" for "--budget" flag: "-5", expected a whole number of 0 or more`},
		"more than an int":             {[]string{"--budget", "99999999999999999999"}, empty, `"99999999999999999999" for "--budget" flag: "99999999999999999999", expected a whole number`},
		"a blank":                      {[]string{"--budget", "500 "}, empty, `"500 " for "--budget" flag: "500 ", expected`},
		"days":                         {[]string{"--deadline", "30d"}, empty, ""},
		"less than no time":            {[]string{"--deadline", "-1h"}, empty, `"-1h" for "--deadline" flag: "-1h", expected a duration such as 90s, 20h or 30d`},
		"a duration without a unit":    {[]string{"--deadline", "90"}, empty, `"90" for "--deadline" flag: "90", expected a duration`},
		"today":                        {[]string{"--date", "2026-11-21"}, empty, ""},
		"tomorrow, which it is nearby": {[]string{"--date", "2026-11-22"}, empty, ""},
		"the day after":                {[]string{"--date", "2026-11-23"}, empty, "expected a date from 2026-10-21 (31 days ago, as there is no night yet) to 2026-11-22 (tomorrow in UTC)"},
		"a slip of 36 years":           {[]string{"--date", "2062-11-21"}, used, "expected a date from 2026-11-01 (the first night of the journal) to 2026-11-22"},
		"a slip that is meant":         {[]string{"--date", "2062-11-21", "--force-date"}, used, ""},
		"before the first night":       {[]string{"--date", "2026-10-31"}, used, "2026-11-01 (the first night of the journal)"},
		"the first night":              {[]string{"--date", "2026-11-01"}, used, ""},
		"31 days ago, the first ever":  {[]string{"--date", "2026-10-21"}, empty, ""},
		"the first year":               {[]string{"--date", "0001-01-01", "--force-date"}, used, "expected a year from 2000 to 2999"},
		"the last year":                {[]string{"--date", "9999-12-31", "--force-date"}, used, "expected a year from 2000 to 2999"},
		"a blank after a date":         {[]string{"--date", "2026-11-21 "}, used, `--date "2026-11-21 ", expected YYYY-MM-DD without blanks`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := optioned(c.dir, now, c.args...); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	for args, want := range map[string]plan.Job{
		"":                            {Budget: 7, Deadline: time.Hour},
		"--budget 500":                {Budget: 500, Deadline: time.Hour},
		"--budget 0 --deadline 30d":   {Budget: 0, Deadline: 720 * time.Hour},
		"--deadline 0s --budget 0012": {Budget: 12},
	} {
		got, err := optioned(empty, now, strings.Fields(args)...)
		if err != nil || got.Budget != want.Budget || got.Deadline != want.Deadline {
			t.Errorf("%q: a cap of %d and a deadline of %v, %v; want %d and %v", args, got.Budget, got.Deadline, err, want.Budget, want.Deadline)
		}
	}
}

// optioned is a job with a cap of 7 and a deadline of an hour, under flags.
func optioned(dir string, now time.Time, args ...string) (plan.Job, error) {
	job := plan.Job{Location: time.UTC, Budget: 7, Deadline: time.Hour}
	var o runOptions
	command := &cobra.Command{}
	o.flags(command)
	if err := command.ParseFlags(args); err != nil {
		return job, err
	}
	return job, o.apply(&job, dir, now)
}
