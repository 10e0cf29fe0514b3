package pipeline

import (
	"runtime"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// TestAPoisonAnswerIsDerived: an answer with an absurd total, or with endless nesting, stays in the
// journal for ever, and every later start reads it again.
func TestAPoisonAnswerIsDerived(t *testing.T) {
	p := &Pipeline{Dir: t.TempDir()}
	run := "20261210T020000.000Z-0000"
	s, err := journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: weekStart, Plan: &journal.Plan{Run: run, Job: "nightly", Date: "2026-12-10",
		Partitions: []journal.Partition{{Operation: "by-type", Kind: "country", Value: "Panama", Expected: -1}}}})
	must(t, err)
	for i, body := range []string{
		`{"total":2000000000,"page":1,"size":100,"items":[{"imo":"9218301","mmsi":"371234000","vessel_name":"A"}]}`,
		`{"total":9223372036854775807,"size":9223372036854775807,"items":[]}`,
		`{"total":1,"items":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `}`,
		`{"total":1,"items":[` + strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000) + `]}`,
		`{"total":1,"items":[{` + strings.Repeat(`"k":"v",`, 200_000) + `"z":1}]}`,
	} {
		for _, parameters := range []string{"country=Panama&page=1", "navigational_status=moored&world_zone=north-sea", "imo=9218301"} {
			operation := map[byte]string{'c': "by-type", 'n': "by-status", 'i': "particulars"}[parameters[0]]
			intent, err := s.Append(journal.Entry{Kind: journal.KindIntent, At: weekStart, Operation: operation, Parameters: parameters, Credits: 10})
			must(t, err)
			e := journal.Entry{Kind: journal.KindAnswer, At: weekStart, Intent: intent.N, Operation: operation, Parameters: parameters, Credits: 10 + i,
				Charge: journal.ChargePriced, Outcome: "ok", Sent: weekStart, Received: weekStart, Status: 200}
			e.SetBody([]byte(body))
			_, err = s.Append(e)
			must(t, err)
		}
	}
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: weekStart, End: &journal.End{State: report.StatePartial}})
	must(t, err)
	must(t, s.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = derive.Deriver{Dir: p.Dir}.Write(s.Path())
	must(t, err)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 512<<20 {
		t.Errorf("%d MiB were allocated", got>>20)
	}
	if _, err := p.Recover(t.Context()); err != nil {
		t.Error(err)
	}
	n, err := readNight(p.segments(), "nightly", "2026-12-10", nil)
	if err != nil || len(n.answered) == 0 {
		t.Errorf("a run that resumes: %d answers, %v", len(n.answered), err)
	}
}
