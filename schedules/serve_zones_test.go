package schedules

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestServeRunsOncePerDate serves seven jobs, at the start times of TestOneSlotPerDate, in
// virtual time through every change of every zone's clock in ten years, with a restart in the
// hour of the change: one run per job and date.
func TestServeRunsOncePerDate(t *testing.T) {
	seen := map[string]bool{}
	for i, loc := range distinctZones(t, 2026, 2036) {
		if raceDetector && i%8 > 0 {
			continue // for time's sake
		}
		for _, change := range changes(loc, 2026, 2036) {
			key := change.Add(-time.Second).Format(time.RFC3339) + change.Format(time.RFC3339)
			if seen[key] {
				continue
			}
			seen[key] = true
			synctest.Test(t, func(t *testing.T) { serveThrough(t, loc, change) })
		}
	}
	t.Logf("%d changes", len(seen))
}

// serveThrough begins and ends at noon, two days before and after.
func serveThrough(t *testing.T, loc *time.Location, change time.Time) {
	year, month, day := change.Add(-48 * time.Hour).Date()
	from := time.Date(year, month, day, 12, 0, 0, 0, loc)
	to := change.Add(60 * time.Hour)
	offset := time.Until(from)
	ran, stored := map[string]int{}, map[string][]Stored{}
	newRunner := func() *Runner {
		return &Runner{
			Now: func() time.Time { return time.Now().Add(offset) },
			Log: slog.New(slog.DiscardHandler),
			Run: func(_ context.Context, slot Slot) error {
				ran[slot.Job+" "+slot.Date]++
				<-time.After(10 * time.Second)
				stored[slot.Job] = append(stored[slot.Job], Stored{Date: slot.Date, Started: slot.At, State: "done"})
				return nil
			},
			Stored: func(job string) ([]Stored, error) { return stored[job], nil },
			Pulse:  12 * time.Hour,
		}
	}
	var table []Spec
	for i, cron := range startTimes() {
		table = append(table, Spec{Job: fmt.Sprint("job", i), Cron: cron, Location: loc})
	}
	for _, until := range []time.Time{change.Add(time.Minute), to} {
		ctx, cancel := context.WithTimeout(t.Context(), until.Sub(time.Now().Add(offset)))
		if err := newRunner().Serve(ctx, table); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	want := dates(loc, from.Add(13*time.Hour), to.Add(-12*time.Hour)) // from the morning after the first noon
	for _, spec := range table {
		for _, date := range want {
			key := spec.Job + " " + date.Format(DateLayout)
			if ran[key] != 1 {
				t.Errorf("%s, change at %v: job at %q ran %d times on %s", loc, change, spec.Cron, ran[key], date.Format(DateLayout))
			}
			delete(ran, key)
		}
	}
	for key, n := range ran {
		if n > 1 {
			t.Errorf("%s, change at %v: %s ran %d times", loc, change, key, n)
		}
	}
}
