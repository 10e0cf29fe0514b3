package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/google/go-cmp/cmp"
)

func balance(before, after int) report.Credits {
	return report.Credits{Planned: 500, Spent: 100, Unknown: 10, Before: &before, After: &after}
}

func TestOfReport(t *testing.T) {
	for name, c := range map[string]struct {
		report report.Report
		want   []Kind
		says   string
	}{
		"a whole night is no event":          {report.Report{State: "done", Credits: balance(1000, 900)}, nil, ""},
		"nor a stop by a person":             {report.Report{State: "interrupted", Stop: report.StopSignal}, nil, ""},
		"nor a balance that nobody read":     {report.Report{State: "done", Credits: report.Credits{Spent: 9}}, nil, ""},
		"nor what may not have been billed":  {report.Report{State: "done", Credits: balance(1000, 910)}, nil, ""},
		"a partial night":                    {report.Report{State: "partial", LeftOut: []string{"3 of 9 partitions"}}, []Kind{Partial}, "left out: 3 of 9 partitions"},
		"a night without credits":            {report.Report{State: "partial", Stop: report.StopCredits, Reason: "Not enough\n credits"}, []Kind{Credits, Partial}, "stopped: the credits are used up, or down to the floor\nreason: Not enough credits"},
		"a key that is refused":              {report.Report{State: "partial", Stop: report.StopKey}, []Kind{Failed, Partial}, "refuses the key"},
		"an operation that is blocked":       {report.Report{State: "partial", Stop: report.StopBlocked}, []Kind{Failed, Partial}, "is blocked for the key, whatever the balance is"},
		"a balance that fell too far":        {report.Report{State: "done", Credits: balance(1000, 893)}, []Kind{Drifting}, "by 7 credits more than we counted"},
		"a balance that did not fall enough": {report.Report{State: "done", Credits: balance(1000, 915)}, []Kind{Drifting}, "by 5 credits less than we counted"},
		"many things left out":               {report.Report{State: "partial", LeftOut: strings.Split("abcdefgh", "")}, []Kind{Partial}, "left out: 3 more"},
		"words without an end":               {report.Report{State: "partial", Reason: strings.Repeat("ä", 9999)}, []Kind{Partial}, "ä…"},
	} {
		t.Run(name, func(t *testing.T) {
			c.report.Job, c.report.Date, c.report.Run = "nightly", "2026-11-20", "20261120T020000.000Z-7f3a"
			e, ok := OfReport(c.report)
			if ok != (c.want != nil) {
				t.Fatalf("event: %v", ok)
			}
			if diff := cmp.Diff(c.want, e.Kinds); diff != "" {
				t.Errorf("kinds (-want +got):\n%s", diff)
			}
			if text := e.Text(); ok && (!strings.HasPrefix(text, "fleetlake: nightly for 2026-11-20 ") || !strings.Contains(text, c.says) || len(text) > 1200) {
				t.Errorf("%d bytes, want %q in them:\n%s", len(text), c.says, text)
			}
		})
	}
}

func TestOfSilence(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		latest time.Time
		want   string
	}{
		"for a day":      {now.Add(-30 * time.Hour), "nothing was published for 30h0m0s\nthe newest run ended at 2026-11-19T06:00:00Z; expected one within 26h0m0s"},
		"from the start": {time.Time{}, "nothing was ever published"},
	} {
		if got := OfSilence(now, c.latest, 26*time.Hour).Text(); got != "fleetlake: "+c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestOfExport(t *testing.T) {
	first := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	r := ExportResult{At: first, First: first, Times: 1, Reason: "no room\nin the store " + strings.Repeat("x", 2*maxWords)}
	e := OfExportFailure(r)
	if e.Title != "the export failed" || e.Kinds[0] != ExportFailed || len(e.Lines) != 2 || len(e.Lines[0]) > maxWords+20 || strings.Contains(e.Lines[0], "\n") {
		t.Errorf("the first: %+v", e)
	}
	r.At, r.Times = first.Add(48*time.Hour), 3
	if again := OfExportFailure(r); again.Title != "the export has failed 3 times since 2026-11-20T03:00:00Z" || again.ID == e.ID {
		t.Errorf("the third: %+v", again)
	}
	r.Run = "20261122T020000.000Z-0000"
	if e := OfExportRecovery(r); e.Kinds[0] != ExportRecovered || e.Run != r.Run || !strings.Contains(e.Text(), "works again") || !strings.Contains(e.Text(), "2026-11-20T03:00:00Z") {
		t.Errorf("the end: %+v", e)
	}
}
