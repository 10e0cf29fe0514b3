// Package wording writes what a person reads of a run: counts, durations and why it ended early. The
// console and the page write them alike because both take them from here. It keeps nothing, and a
// crash leaves nothing.
package wording

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
)

// Count writes 1234567 as 1,234,567, and -1234567 as -1,234,567.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Decimals formats a number with thousands separators and at most two decimals, or with two digits if it is so
// small that no digit would be left.
func Decimals(f float64) string {
	if f != 0 && math.Abs(f) < 0.005 {
		return strconv.FormatFloat(f, 'g', 2, 64)
	}
	sign, whole := "", strconv.FormatFloat(f, 'f', 2, 64)
	if whole[0] == '-' {
		sign, whole = "-", whole[1:]
	}
	whole, rest, _ := strings.Cut(whole, ".")
	n, err := strconv.Atoi(whole)
	if err != nil { // out of the range of int, or no number
		return sign + whole
	}
	return sign + strings.TrimSuffix(strings.TrimRight(Count(n)+"."+rest, "0"), ".")
}

// Counted writes a count with its noun: 1 night, 2,000 nights.
func Counted(n int, noun string) string { return Count(n) + " " + Plural(n, noun) }

// Plural is the noun as it stands after a count. It knows the nouns that take an s.
func Plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Brief writes a duration for the columns of a terminal, in whole seconds: 1h05m, 2m08s or 0s. A
// duration below zero is 0s.
func Brief(d time.Duration) string { return inUnits(d.Round(time.Second), "h", "m", "s", "") }

// Duration writes a duration for a sentence: 1 h 05 min, 2 min 08 s, and below ten seconds 1.7 s. A number
// and its unit stay on one line. A duration below zero is 0 s.
func Duration(d time.Duration) string {
	if 0 <= d && d < 10*time.Second {
		return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + "\u00a0s"
	}
	return inUnits(d.Round(time.Second), "\u00a0h", "\u00a0min", "\u00a0s", " ")
}

// inUnits writes whole seconds in their two largest units.
func inUnits(d time.Duration, hour, minute, second, between string) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%d%s%s%02d%s", d/time.Hour, hour, between, d%time.Hour/time.Minute, minute)
	case d >= time.Minute:
		return fmt.Sprintf("%d%s%s%02d%s", d/time.Minute, minute, between, d%time.Minute/time.Second, second)
	}
	return fmt.Sprintf("%d%s", max(d, 0)/time.Second, second)
}

// stopReasons say why a run ended early, and what to do.
var stopReasons = map[report.Stop][2]string{
	// the run's own reason names the cap, and how to resume
	report.StopBudget:   {"there were not enough credits for the whole plan", ""},
	report.StopCredits:  {"the credits are used up, or down to the floor", "buy credits and run the job again to resume"},
	report.StopKey:      {"the service refuses the key", "correct the key and run the job again"},
	report.StopDeadline: {"the deadline has passed", "run the job again to resume"},
	report.StopSignal:   {"it was stopped by request", "run the job again to resume"},
	report.StopService:  {"the service did not answer as it should, also after several tries", ""},
	report.StopTooLarge: {"an answer of the service was larger than is read of one", "tell the operator of the " +
		"service; every further try is paid for"},
	report.StopBlocked: {"the key may not use one of the operations, whatever the balance is", "ask the operator of the service to unblock it, and run the job again to resume"},
}

// StopReason returns why a run ended early and what to do about it, as clauses that begin in lower case
// and end without a full stop. What to do is empty where the report of the run says it itself;
// both are empty for a run that was not stopped, and for a stop that this program does not know.
func StopReason(stop report.Stop) (why, then string) {
	reason := stopReasons[stop]
	return reason[0], reason[1]
}
