package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
)

// TestRunOptionsAreReadAsTheConfiguration types budgets, deadlines and dates: what cannot be
// meant is refused in words of our own, and nothing is quietly ignored.
func TestRunOptionsAreReadAsTheConfiguration(t *testing.T) {
	now := time.Date(2026, 11, 21, 23, 30, 0, 0, time.UTC)
	empty, used := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(used, "journal", "2026-11-01"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    runOptions
		dir  string
		want string // in the error; empty is none
	}{
		"nothing":                      {runOptions{}, empty, ""},
		"a cap":                        {runOptions{budget: "500"}, empty, ""},
		"no cap":                       {runOptions{budget: "0"}, empty, ""},
		"less than none":               {runOptions{budget: "-5"}, empty, `--budget "-5", expected a whole number of 0 or more credits`},
		"more than a number holds":     {runOptions{budget: "99999999999999999999"}, empty, `--budget "99999999999999999999", expected a whole number`},
		"a blank":                      {runOptions{budget: "500 "}, empty, `--budget "500 ", expected`},
		"days":                         {runOptions{deadline: "30d"}, empty, ""},
		"less than no time":            {runOptions{deadline: "-1h"}, empty, `--deadline "-1h", expected a duration such as 90s, 20h or 30d`},
		"a duration without a unit":    {runOptions{deadline: "90"}, empty, `--deadline "90", expected a duration`},
		"today":                        {runOptions{date: "2026-11-21"}, empty, ""},
		"tomorrow, which it is nearby": {runOptions{date: "2026-11-22"}, empty, ""},
		"the day after":                {runOptions{date: "2026-11-23"}, empty, "expected a date from 2026-10-21 (31 days ago, as there is no night yet) to 2026-11-22 (tomorrow in UTC)"},
		"a slip of 36 years":           {runOptions{date: "2062-11-21"}, used, "expected a date from 2026-11-01 (the first night of the journal) to 2026-11-22"},
		"a slip that is meant":         {runOptions{date: "2062-11-21", anyDate: true}, used, ""},
		"before the first night":       {runOptions{date: "2026-10-31"}, used, "2026-11-01 (the first night of the journal)"},
		"the first night":              {runOptions{date: "2026-11-01"}, used, ""},
		"31 days ago, the first ever":  {runOptions{date: "2026-10-21"}, empty, ""},
		"the first year":               {runOptions{date: "0001-01-01", anyDate: true}, used, "expected a year from 2000 to 2999"},
		"the last year":                {runOptions{date: "9999-12-31", anyDate: true}, used, "expected a year from 2000 to 2999"},
		"a blank after a date":         {runOptions{date: "2026-11-21 "}, used, `--date "2026-11-21 ", expected YYYY-MM-DD without blanks`},
	} {
		t.Run(name, func(t *testing.T) {
			job := pipeline.Job{Location: time.UTC, Budget: 7, Deadline: time.Hour}
			err := c.o.apply(&job, c.dir, now)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.Is(err, errUsage) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			case c.o.deadline == "30d" && job.Deadline != 720*time.Hour:
				t.Errorf("30d is %v", job.Deadline)
			}
		})
	}
}
