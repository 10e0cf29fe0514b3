package wording

import (
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
)

func TestWording(t *testing.T) {
	for name, c := range map[string]struct{ got, want string }{
		"no separator below a thousand":             {Count(999), "999"},
		"a separator at a thousand":                 {Count(1000), "1,000"},
		"two separators":                            {Count(1234567), "1,234,567"},
		"a number below zero":                       {Count(-1234567), "-1,234,567"},
		"zero":                                      {Count(0), "0"},
		"one of a noun":                             {Counted(1, "night"), "1 night"},
		"many of a noun":                            {Counted(2000, "night"), "2,000 nights"},
		"none of a noun":                            {Counted(0, "night"), "0 nights"},
		"hours on a terminal":                       {Brief(65 * time.Minute), "1h05m"},
		"minutes on a terminal":                     {Brief(128 * time.Second), "2m08s"},
		"half a second rounds up on a terminal":     {Brief(59*time.Second + 500*time.Millisecond), "1m00s"},
		"less than nothing on a terminal":           {Brief(-time.Hour), "0s"},
		"hours in a sentence":                       {Duration(65 * time.Minute), "1\u00a0h 05\u00a0min"},
		"minutes in a sentence":                     {Duration(128 * time.Second), "2\u00a0min 08\u00a0s"},
		"tenths below ten seconds":                  {Duration(1700 * time.Millisecond), "1.7\u00a0s"},
		"whole seconds from ten on":                 {Duration(10400 * time.Millisecond), "10\u00a0s"},
		"less than nothing in a sentence":           {Duration(-time.Second), "0\u00a0s"},
		"an hour that is near begins in a sentence": {Duration(time.Hour - time.Millisecond), "1\u00a0h 00\u00a0min"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

// TestEveryStopHasItsReason as clauses that fit into a sentence.
func TestEveryStopHasItsReason(t *testing.T) {
	stops := []report.Stop{report.StopBudget, report.StopCredits, report.StopKey, report.StopDeadline, report.StopSignal, report.StopService, report.StopTooLarge,
		report.StopBlocked}
	if len(stops) != len(stopReasons) {
		t.Errorf("%d stops and %d reasons", len(stops), len(stopReasons))
	}
	for _, stop := range stops {
		why, then := StopReason(stop)
		if why == "" || strings.HasSuffix(why+then, ".") || strings.ToLower(why[:1]) != why[:1] {
			t.Errorf("%s: %q, %q", stop, why, then)
		}
	}
	if why, then := StopReason(report.StopNone); why+then != "" {
		t.Errorf("no stop: %q, %q", why, then)
	}
}
