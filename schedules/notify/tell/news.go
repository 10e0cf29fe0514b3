package tell

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/notify"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/news"
)

// newsDays is how many days before a run's night its news may be of: a run can be published late.
const newsDays = 7

// news notifies the recipients of what a published run brought about the vessels of the watch
// lists. What the version before had is not news, and neither is what an earlier notification has told, as after a
// night that was rolled back and asked again. Its errors are those of reading the versions.
func (t Teller) news(ctx context.Context, r report.Report) error {
	if len(t.Watched) == 0 {
		t.To.Settle(notify.NewsID(r))
		return nil
	}
	items, err := freshNews(ctx, t.Dir, r, t.Watched)
	if err != nil {
		return err
	}
	var keys, lines []string
	for _, i := range items {
		keys = append(keys, i.Key())
	}
	keys = t.To.Untold(keys)
	for _, i := range items {
		if !slices.Contains(keys, i.Key()) {
			continue
		}
		evidence := "the coverage of the night"
		if i.Run != "" {
			evidence = fmt.Sprintf("run %s, entry %d", i.Run, i.Entry)
		}
		lines = append(lines, fmt.Sprintf("%s; from %s; /vessel/%s", wording.Printable(i.Words()), evidence, i.VesselID))
	}
	if e, ok := notify.OfNews(r, lines); ok {
		t.To.Send(e, keys...)
	}
	t.To.Settle(notify.NewsID(r))
	return nil
}

// freshNews is the news of some vessels that the version which a run made has, and the version before it has not.
// The first version is the beginning, and no news. A run that was published together with a later one has none of its
// own: it is in the version of that.
func freshNews(ctx context.Context, dir string, r report.Report, vessels []string) ([]news.Item, error) {
	versions, err := warehouse.Offered(dir)
	if err != nil {
		return nil, err
	}
	own := slices.IndexFunc(versions, func(v warehouse.Version) bool { return v.Run == r.Run }) // the latest first
	if own < 0 || own+1 == len(versions) {
		return nil, nil
	}
	night, err := time.Parse(time.DateOnly, r.Date)
	if err != nil {
		return nil, err
	}
	var all, known []news.Item
	between := func(items *[]news.Item) func(context.Context, *warehouse.Warehouse) error {
		return func(ctx context.Context, w *warehouse.Warehouse) (err error) {
			*items, err = news.Between(ctx, w, night.AddDate(0, 0, -newsDays).Format(time.DateOnly), r.Date, vessels)
			return err
		}
	}
	err = errors.Join(published.Read(ctx, versions[own].Path, between(&all)), published.Read(ctx, versions[own+1].Path, between(&known)))
	return news.Without(all, known), err
}
