package console

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/pipeline"
)

// step is a report of one lane, some seconds after the start.
func step(seconds float64, phase string, done, left int) pipeline.Progress {
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
	p := pipeline.Progress{Run: "r", At: at, Phase: phase, Credits: done * 10, Cap: 5000}
	if done+left > 0 {
		p.Lanes = []pipeline.LaneProgress{{Operation: "by-type", Done: done, Left: left, PerMinute: 48.25, Credits: done * 10, Remaining: time.Duration(left) * time.Second}}
	}
	return p
}

// TestProgressInALog checks that log lines are rare, and their numbers are numbers.
func TestProgressInALog(t *testing.T) {
	for name, c := range map[string]struct {
		steps []pipeline.Progress
		want  string
	}{
		"a lane speaks once a minute and when it ends": {
			[]pipeline.Progress{step(0, "harvest", 0, 100), step(1, "harvest", 1, 99), step(59.9, "harvest", 9, 91), step(60, "harvest", 10, 90), step(119, "harvest", 19, 81), step(120.1, "harvest", 20, 80), step(121, "harvest", 100, 0), step(240, "harvest", 100, 0)},
			phaseBegins("harvest", 0) + laneAt(10, 90, 90) + laneAt(20, 80, 80) + laneAt(100, 0, 0),
		},
		"the phases": {
			[]pipeline.Progress{step(0, "harvest", 0, 0), step(0.2, "derive", 0, 0), step(0.4, "derive", 0, 0), step(0.6, "publish", 0, 0)},
			phaseBegins("harvest", 0) + phaseBegins("derive", 0) + phaseBegins("publish", 0),
		},
		"a run that ends early says where": {
			[]pipeline.Progress{step(0, "harvest", 0, 100), step(3, "harvest", 7, 93)},
			phaseBegins("harvest", 0) + laneAt(7, 93, 93),
		},
		"a lane that ends and gets new work does not chatter": {
			[]pipeline.Progress{step(0, "harvest", 1, 0), step(0.2, "harvest", 1, 5), step(0.4, "harvest", 6, 0), step(0.6, "harvest", 6, 4), step(0.8, "harvest", 10, 0)},
			laneAt(1, 0, 0) + phaseBegins("harvest", 10) + laneAt(10, 0, 0),
		},
		"nothing": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
					return slog.Attr{}
				}
				return InSeconds(groups, a)
			}}))
			report, stop := LoggedProgress(log)
			for _, s := range c.steps {
				report(s)
			}
			stop()
			stop()
			report(step(99, "late", 1, 1))
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func phaseBegins(phase string, credits int) string {
	return fmt.Sprintf(`{"msg":"phase begins","run":"r","phase":%q,"credits":%d,"most_credits":5000}`+"\n", phase, credits)
}

func laneAt(done, left, remaining int) string {
	return fmt.Sprintf(`{"msg":"progress","run":"r","endpoint":"by-type","done":%d,"left":%d,"per_minute":48.3,"credits":%d,"remaining":%d}`+"\n", done, left, done*10, remaining)
}

func TestProgressOnATerminal(t *testing.T) {
	var out strings.Builder
	report, stop := DrawnProgress(&out)
	report(step(0, "harvest", 25, 75))
	report(step(1, "publish", 0, 0))
	stop()
	want := "\rby-type     ███░░░░░░░░░         25 of 100  48.2/min     250 cr  1m15s left\x1b[K\n" +
		"\rharvest: 250 of at most 5,000 credits spent, ends about 02:01\x1b[K\n\x1b[J" +
		"\x1b[2A\rpublish\x1b[K\n\x1b[J"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgressFitsTheTerminal(t *testing.T) {
	long := pipeline.LaneProgress{Operation: "particulars", Done: 99_999, Left: 1, PerMinute: 50, Credits: 99_999, Remaining: 111 * time.Hour}
	for _, line := range progressLines(pipeline.Progress{Phase: "harvest", Lanes: []pipeline.LaneProgress{long}, Credits: 9_999_999, Cap: 9_999_999}) {
		if n := utf8.RuneCountInString(line); n > 79 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if got := truncate("░░░░", 3); got != "░░░" {
		t.Errorf("cut to %q", got)
	}
}

func TestProgressMayBeReportedFromAnywhere(t *testing.T) {
	var out strings.Builder
	report, stop := DrawnProgress(&out)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() { report(step(float64(i), "harvest", i, 20-i)) })
	}
	group.Wait()
	stop()
	if n := strings.Count(out.String(), "\x1b[J"); n != 20 {
		t.Errorf("%d drawings, want 20", n)
	}
}

func TestBar(t *testing.T) {
	for name, c := range map[string]struct{ done, total, full int }{
		"nothing known":      {0, 0, 0},
		"nothing done":       {0, 10, 0},
		"half":               {5, 10, 6},
		"almost all":         {999, 1000, 11},
		"all":                {10, 10, 12},
		"more than there is": {11, 10, 12},
		"less than nothing":  {-1, 10, 0},
	} {
		if got := strings.Count(bar(c.done, c.total), "█"); got != c.full {
			t.Errorf("%s: %d full, want %d", name, got, c.full)
		}
	}
}
