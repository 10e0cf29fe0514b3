package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/schedules/page/vessel"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// maxNumber is the length of the longest number that a vessel is asked by, blanks included.
const maxNumber = 40

// look reads the published file for one page. At most looksAtOnce requests do so, and the others wait for their turn:
// the harvest must not starve.
func (s *site) look(ctx context.Context, ask func(context.Context, *warehouse.Warehouse) error) error {
	leave, err := s.looks.Take(ctx, s.Times.Request)
	if err != nil {
		return err
	}
	defer leave()
	return s.files.Read(ctx, ask)
}

// looksAtOnce is how many pages read the published file at the same time, and looksWaiting how many wait for their turn:
// more than requestsAtOnce.
const looksAtOnce, looksWaiting = 2, 1 << 10

// vesselPage serves what is known of one vessel, as a page or, with ?format=json, as explain writes it.
func (s *site) vesselPage(w http.ResponseWriter, r *http.Request) {
	number := r.PathValue("number")
	if len(number) > maxNumber {
		s.noVessel(w, r, number)
		return
	}
	var e wording.Explanation
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) (err error) {
		e.Vessel, err = history.Of(ctx, file, number)
		return err
	})
	asked := r.FormValue("tonight") != ""
	if err == nil && asked && s.Scores != nil {
		e.Scores, err = s.Scores(r.Context(), e.VesselID)
	}
	switch {
	case errors.Is(err, history.ErrNoVessel):
		s.noVessel(w, r, number)
	case err != nil:
		s.cannotRead(w, err)
	case r.FormValue("format") == "json":
		sendJSON(w, e)
	default:
		v := view{Kind: "vessel", Title: vesselTitle(e), Version: s.Version, Now: s.Now(), Vessel: vessel.Of(e, s.Now(), s.Dir), CanScore: s.Scores != nil}
		v.Vessel.Asked = asked
		send(w, http.StatusOK, s.page(v))
	}
}

// vesselTitle names a vessel in the title of its page.
func vesselTitle(e wording.Explanation) string {
	if e.Name == "" {
		return e.VesselID
	}
	return shown.Printable(e.Name) + ", " + e.VesselID
}

// noVessel answers for a number that nothing is known of: perhaps it is a name.
func (s *site) noVessel(w http.ResponseWriter, r *http.Request, number string) {
	s.say(w, http.StatusNotFound, "No such vessel is known", "Nothing that was seen has the number "+shown.Shortened(number)+". A vessel is asked by its IMO number of 7 digits, its MMSI of 9, or its id, such as IMO9218301; the search finds names, too.")
}

// cannotRead answers while the published file cannot be read.
func (s *site) cannotRead(w http.ResponseWriter, err error) {
	if errors.Is(err, turns.ErrLate) || errors.Is(err, turns.ErrFull) || errors.Is(err, worker.ErrBusy) {
		s.say(w, http.StatusServiceUnavailable, "Many read at the same time", "Your request had no turn in time. Load the page again in a few seconds.")
		return
	}
	if errors.Is(err, warehouse.ErrNone) {
		s.say(w, http.StatusNotFound, "No night yet", "The first run fills this page.")
		return
	}
	t := s.trouble(err)
	s.say(w, http.StatusServiceUnavailable, t.Title, t.Lines...)
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a client that disconnected needs no answer
}
