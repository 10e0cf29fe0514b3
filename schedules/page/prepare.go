package page

import (
	"context"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// prepareEvery is how often Prepare looks for a new version; it reads the identity of the file only.
const prepareEvery = time.Second

// Prepare makes what every reader of a version gets, as soon as the version is published and before the
// first of them asks: the status page, the news and the data dictionary. It drops what was made of the
// version before, and holds no more than one version. It returns when ctx ends. Errors are those that the
// pages report.
func (h *Handler) Prepare(ctx context.Context) {
	tick := time.NewTicker(prepareEvery)
	defer tick.Stop()
	for {
		h.site.prepare(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Close closes the published file, which is open between pages. A page that is asked for later opens it for
// itself alone.
func (h *Handler) Close() error { return h.site.files.Close() }

// prepare reads what the caches lack of the published version, the quick parts first.
func (s *site) prepare(ctx context.Context) {
	version, _ := s.files.Refresh() // the error is that of the first read
	s.reports.Get(ctx, "", s.Now())
	s.news.Get(ctx, "", s.Now())
	s.dictionaries.Get(ctx, struct{}{}, s.Now())
	if version == nil || ctx.Err() != nil {
		return
	}
	if err := s.files.Prepare(ctx, lists.Keep); err != nil && ctx.Err() == nil {
		s.Log.Warn("the lists of this version are computed for each page that shows them, which takes longer", "error", err)
	}
	if published.Same(version, s.prepared) {
		return
	}
	s.load(ctx)
	s.count(ctx)
	if schedule, err := s.Config.Schedule(); err == nil {
		s.startable(ctx, schedule) // prices are made once for a version
	}
	s.prepared = version
}

// load asks for a vessel and searches, so that the first reader who does finds loaded what DuckDB needs of the
// tables; the answers are the same as without it.
func (s *site) load(ctx context.Context) {
	s.files.Read(ctx, func(ctx context.Context, w *warehouse.Warehouse) error {
		err := (&SearchView{Text: "NO VESSEL"}).search(ctx, w)
		var id string
		if err == nil {
			err = each(ctx, w, "any_vessel", func(r record) { id = r.Text(0) })
		}
		if err == nil && id != "" {
			_, err = history.Of(ctx, w, id)
		}
		return err
	})
}
