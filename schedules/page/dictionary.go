package page

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

// countsLimit is how long the counts of the data dictionary may take; the rest of the page is read in
// what the cache allows besides.
const countsLimit = 20 * time.Second

// dictionariesOf caches the data dictionary of the published file, as a page.
func dictionariesOf(dir string) *published.Cache[struct{}, []byte] {
	return &published.Cache[struct{}, []byte]{Dir: dir, Read: func(ctx context.Context, w *warehouse.Warehouse, _ struct{}, _ time.Time) ([]byte, error) {
		d, err := dictionary.Read(ctx, w)
		if err == nil {
			err = d.Count(ctx, w, countsLimit)
		}
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = d.WriteHTML(&b, "/")
		return b.Bytes(), err
	}}
}

// dictionaryPage serves the data dictionary. It has its style in itself, which its policy allows.
func (s *site) dictionaryPage(w http.ResponseWriter, r *http.Request) {
	body, err := s.dictionaries.Get(r.Context(), struct{}{}, s.Now())
	switch {
	case errors.Is(err, warehouse.ErrNone):
		s.say(w, http.StatusNotFound, "No night yet", "The data dictionary is that of the published warehouse: it is here after the first run.")
	case err != nil:
		t := s.trouble(err)
		s.say(w, http.StatusServiceUnavailable, t.Title, t.Lines...)
	default:
		w.Header().Set("Content-Security-Policy", dictionary.Policy+"; frame-ancestors 'none'")
		send(w, http.StatusOK, body)
	}
}
