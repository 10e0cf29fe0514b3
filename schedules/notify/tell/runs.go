package tell

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Teller tells the recipients of a data directory what happened to it.
type Teller struct {
	To      *notify.Notifier
	Dir     string
	Watched []string // the vessels of the watch lists, by IMO number or MMSI
	Log     *slog.Logger
}

// publishedRuns is how many of the newest published runs are told of: a night with many tries, and the night before.
const publishedRuns = 40

// Published notifies the recipients of the published runs that they were not notified of: of how each ended,
// and of what it brought about vessels of the watch lists. What is published says what there is to tell, and the
// outbox what was told, so that a process which is killed after a publish leaves it to the next one. It is called
// when a process begins, too; what was published before a data directory had recipients is not told.
//
// It is no error of a run if the published file cannot be read: the next call tells.
func (t Teller) Published(ctx context.Context) {
	if !t.To.Receives() {
		return
	}
	reports, err := publishedReports(ctx, t.Dir)
	if err != nil {
		t.Log.Warn("published runs not read: nobody is notified of them yet", "error", err)
		return
	}
	var ids []string
	for _, r := range reports {
		ids = append(ids, r.Run, notify.NewsID(r))
	}
	if t.To.Begin(ids) {
		return
	}
	known := t.To.Known(ids)
	for _, r := range reports {
		if time.Since(r.Finished) > notify.KeepFor {
			continue
		}
		if e, ok := notify.OfReport(r); ok {
			t.To.Send(e)
		}
		t.To.Settle(r.Run)
		if known[notify.NewsID(r)] {
			continue
		}
		if err := t.news(ctx, r); err != nil {
			t.Log.Warn("news of watched vessels not read: the next run or start tells it", "run", r.Run, "error", err)
		}
	}
}

// publishedReports returns the reports of the newest published runs, the oldest first.
func publishedReports(ctx context.Context, dir string) (reports []report.Report, err error) {
	var runs []warehouse.Run
	err = published.Read(ctx, warehouse.Path(dir), func(ctx context.Context, w *warehouse.Warehouse) (err error) {
		runs, err = w.Runs(ctx, publishedRuns)
		return err
	})
	if errors.Is(err, warehouse.ErrNone) {
		return nil, nil
	}
	for _, run := range slices.Backward(runs) { // the newest first
		var r report.Report
		if err := json.Unmarshal([]byte(run.Report), &r); err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, err
}
