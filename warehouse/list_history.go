package warehouse

import (
	"context"
	"database/sql"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
	"time"
)

// ListHistory is what the list has shown between two nights: since it was first complete, and the latest.
type ListHistory struct {
	Since, Latest time.Time // dates in UTC; zero if the list was never complete
	Arrived       int       // vessels that were listed for the first time
	Left          int       // vessels that left it in the first half of this time and are not back
	Changed       int       // changes of a registration that it reported
}

// ListHistory returns what the list has shown in the last ninety nights. Its errors are those of reading,
// as Warehouse describes.
func (w *Warehouse) ListHistory(ctx context.Context) (h ListHistory, err error) {
	all, err := collect(ctx, w.db, "read/list_history", func(rows *sql.Rows) (h ListHistory, err error) {
		return h, rows.Scan(&h.Since, &h.Latest, &h.Arrived, &h.Left, &h.Changed)
	})
	if len(all) > 0 {
		h = all[0]
	}
	return h, err
}

// PartlyListed lists the partitions of the list that were answered and never covered completely. Its errors
// are those of reading, as Warehouse describes.
func (w *Warehouse) PartlyListed(ctx context.Context) ([]inputs.PartlyListed, error) {
	return collect(ctx, w.db, "read/partly_listed", func(rows *sql.Rows) (p inputs.PartlyListed, err error) {
		return p, rows.Scan(&p.Kind, &p.Value, &p.Expected, &p.Received)
	})
}
