package derive

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fleetlake/fleetlake/pipeline/report"
)

// published compares the runs of the journal with those of the warehouse.
func (v *verifier) published(context.Context) error {
	if v.broken || v.w == nil {
		return nil
	}
	listed, err := ReadHeldBack(v.dir)
	if err != nil {
		return err
	}
	reasons := map[string]string{}
	for _, h := range listed {
		reasons[h.Run] = h.Reason
	}
	var lost, waiting, heldBack []string
	for _, run := range slices.Sorted(maps.Keys(v.runs)) {
		s, ok := v.segments[run]
		switch {
		case !ok:
			lost = append(lost, run+" is published, and has no segment")
		case !s.ended && len(s.wrong) == 0:
			lost = append(lost, run+" is published, and its segment has lost its end")
		}
		for _, before := range s.continues {
			if _, ok := v.segments[before]; !ok {
				lost = append(lost, run+" resumes "+before+", which has no segment")
			}
		}
	}
	v.add("journal of what is published", doRestore, fmt.Sprintf("%d runs", len(v.runs)), lost)
	back := 0
	for _, run := range slices.Sorted(maps.Keys(v.segments)) {
		switch {
		case v.out[run]:
			back++
		case reasons[run] != "" && !v.runs[run]:
			heldBack = append(heldBack, run+": "+reasons[run])
		case v.segments[run].ended && !v.runs[run]:
			waiting = append(waiting, run+" has ended, and is not published")
		}
	}
	summary := "every run that has ended"
	if back > 0 {
		summary += fmt.Sprintf(", but %d that were rolled back", back)
	}
	v.add("published", doRun, summary, waiting)
	if len(heldBack) > 0 {
		v.add("held back", doAccept, "", heldBack)
	}
	return nil
}

// credits compares the table requests with the journal.
func (v *verifier) credits(ctx context.Context) error {
	if v.broken || v.w == nil {
		return nil
	}
	rows, err := v.w.Spending(ctx)
	if err != nil {
		return err
	}
	type place struct{ run, operation string }
	lanes := map[place]report.Lane{}
	credits := 0
	for run := range v.runs {
		for _, lane := range v.segments[run].lanes {
			lanes[place{run, lane.Operation}] = lane
			credits += lane.Credits
		}
	}
	var wrong []string
	do := doRebuild
	for _, r := range rows {
		at := place{r.Run, r.Operation}
		lane := lanes[at]
		delete(lanes, at)
		s, ok := v.segments[r.Run]
		if ok && s.ended && len(s.wrong) == 0 && (int(r.Requests) != lane.Requests || int(r.Credits) != lane.Credits) {
			wrong = append(wrong, fmt.Sprintf("run %s, %s: %d requests and %d credits, the journal has %d and %d",
				r.Run, r.Operation, r.Requests, r.Credits, lane.Requests, lane.Credits))
			if s.lost > 0 || lane.Requests < int(r.Requests) {
				do = doLose // a rebuild would lose requests
			}
		}
	}
	for at, lane := range lanes {
		if lane.Requests > 0 {
			wrong = append(wrong, fmt.Sprintf("run %s, %s: no request, the journal has %d", at.run, at.operation, lane.Requests))
		}
	}
	slices.Sort(wrong)
	v.add("credits", do, fmt.Sprintf("%d credits, in `requests` as in the journal", credits), wrong)
	return nil
}
