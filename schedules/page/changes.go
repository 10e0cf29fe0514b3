package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/news"
)

// maxChanges is how many bytes of the change feed the page holds: months of the news of 100,000 vessels.
const maxChanges = 8 << 20

// errManyChanges says that a feed is longer.
var errManyChanges = errors.New("the changes since then are more than the page serves at a time: ask since a later night, or use `fleetlake changes`")

// changesLines serves the change feed for programs, NDJSON since a night or after the end of an earlier feed. It is held
// until it is complete, so that no client takes a part of it for all of it, and none keeps the file open.
func (s *site) changesLines(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error {
		return news.Feed(ctx, file, r.FormValue("since"), func(l news.Line) error {
			if body.Len() > maxChanges {
				return errManyChanges
			}
			return lines.Encode(l)
		})
	})
	switch {
	case errors.Is(err, news.ErrSince):
		http.Error(w, fmt.Sprintf("since=%v", err), http.StatusBadRequest)
	case errors.Is(err, errManyChanges):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case err != nil:
		s.cannotRead(w, err)
	default:
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = w.Write(body.Bytes()) // to a client that may have gone
	}
}
