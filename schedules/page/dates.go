package page

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// nightPage leads to the page of a night by its date: to that of the last run of the date.
func (s *site) nightPage(w http.ResponseWriter, r *http.Request) {
	date := r.PathValue("date")
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		s.notFound(w, r)
		return
	}
	run := ""
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error {
		return each(ctx, file, "run_of_night", func(r record) { run = r.text(0) }, date)
	})
	switch {
	case err != nil && !errors.Is(err, warehouse.ErrNone):
		s.cannotRead(w, err)
	case run == "":
		s.say(w, http.StatusNotFound, "No run stands for "+longDay(date), "The nights that there are stand on the status page, and in the list of runs.")
	default:
		http.Redirect(w, r, "/runs/"+run, http.StatusSeeOther)
	}
}
