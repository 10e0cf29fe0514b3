package lists

import (
	"context"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// mostKept is the largest fleet whose view of vessels is held in memory: of 100,000 it takes about 25 MiB.
const mostKept = 300_000

// Keep computes the views of which any page takes long, and the newest nights of those that are computed by
// nights, so that the pages of the reader read the rows from memory.
func Keep(ctx context.Context, w *warehouse.Warehouse) error {
	vessels := 0
	if err := shown.Each(ctx, w, statements, "fleet_size", func(r shown.Record) { vessels = r.Number(0) }); err != nil {
		return err
	}
	all, err := publishedNights(ctx, w)
	if err != nil || all.To.IsZero() {
		return err
	}
	for _, l := range All {
		switch {
		case l.Between != "":
			l.span = all.some(listBounds.nights, false)
			err = w.Keep(ctx, l.newestNights(), "FROM "+l.from())
		case l.Kept && (l.Name != "vessels" || vessels <= mostKept):
			err = w.Keep(ctx, l.Name, "FROM main."+identifier(l.Name)+" ORDER BY "+l.Order)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
