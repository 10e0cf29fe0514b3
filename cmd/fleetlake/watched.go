package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/news"
)

// newsDays is how many days before a run's night its news may be of: a run can be published late.
const newsDays = 7

// notifyOfWatched notifies the recipients of what a published run brought about the vessels of the watch
// lists. What the version before had is not sent again, so that nobody hears it twice. It is no error of
// the run if the news cannot be read.
func notifyOfWatched(ctx context.Context, n *notify.Notifier, c config.Config, r report.Report, log *slog.Logger) {
	watched := c.Watched()
	if len(watched) == 0 || r.Note != "" { // otherwise the recipients were notified when it ran
		return
	}
	items, err := freshNews(ctx, c.DataDir, r, watched)
	if err != nil {
		log.Warn("news of watched vessels not read", "run", r.Run, "error", err)
		return
	}
	var lines []string
	for _, i := range items {
		evidence := "the coverage of the night"
		if i.Run != "" {
			evidence = fmt.Sprintf("run %s, entry %d", i.Run, i.Entry)
		}
		lines = append(lines, fmt.Sprintf("%s; from %s; /vessel/%s", console.Printable(i.Words()), evidence, i.VesselID))
	}
	if e, ok := notify.OfNews(r, lines); ok {
		n.Send(e)
	}
}

// freshNews is the news of some vessels that a run's published file has, and the version before it has not.
// The first file is the beginning, and no news.
func freshNews(ctx context.Context, dir string, r report.Report, vessels []string) ([]news.Item, error) {
	versions, err := warehouse.Offered(dir)
	if err != nil {
		return nil, err
	}
	before := ""
	for _, v := range versions { // the latest first
		if v.Run < r.Run {
			before = v.Path
			break
		}
	}
	night, err := time.Parse(time.DateOnly, r.Date)
	if err != nil || before == "" {
		return nil, err
	}
	var all, known []news.Item
	between := func(items *[]news.Item) func(context.Context, *warehouse.Warehouse) error {
		return func(ctx context.Context, w *warehouse.Warehouse) (err error) {
			*items, err = news.Between(ctx, w, night.AddDate(0, 0, -newsDays).Format(time.DateOnly), r.Date, vessels)
			return err
		}
	}
	err = errors.Join(published.Read(ctx, warehouse.Path(dir), between(&all)), published.Read(ctx, before, between(&known)))
	return news.Without(all, known), err
}
