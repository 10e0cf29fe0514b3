package page

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

// countsLimits are what the counts of the data dictionary may read: they are made again after each publish,
// beside a harvest, and must take no longer after years than after a week.
var countsLimits = dictionary.Limits{Rows: 50_000, Each: 500 * time.Millisecond, All: 5 * time.Second}

// dictionariesOf caches the data dictionary of the published file, as a page without counts.
func dictionariesOf(files *published.Files) *published.Cache[struct{}, []byte] {
	return &published.Cache[struct{}, []byte]{Dir: files.Dir, Files: files, Read: func(ctx context.Context, w *warehouse.Warehouse, _ struct{}, _ time.Time) ([]byte, error) {
		return dictionaryBody(ctx, w, files.Dir, nil)
	}}
}

// dictionaryBody makes the page of the data dictionary, with counts if there are limits for them.
// It has no path of this machine: its examples name the data directory as the configuration does by default.
func dictionaryBody(ctx context.Context, w *warehouse.Warehouse, dir string, limits *dictionary.Limits) ([]byte, error) {
	d, err := dictionary.Read(ctx, w)
	if err == nil && limits != nil {
		err = d.Count(ctx, w, *limits)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = d.WriteHTML(&b, "/")
	here := []byte(template.HTMLEscapeString(strings.ReplaceAll(filepath.Join(dir, "lake"), "'", "''")))
	return bytes.ReplaceAll(b.Bytes(), here, []byte("fleetlake-data/lake")), err
}

// count makes the dictionary with counts of the published version. One that cannot be counted has none.
func (s *site) count(ctx context.Context) {
	var body []byte
	err := s.files.Read(ctx, func(ctx context.Context, w *warehouse.Warehouse) (err error) {
		body, err = dictionaryBody(ctx, w, s.Dir, &countsLimits)
		return err
	})
	if err != nil {
		body = nil
	}
	s.counted.Store(&body)
}

// dictionaryPage serves the data dictionary: the latest that was counted, which says of which night it is.
// Counting takes seconds, and nobody waits for it: until the first counts are made, it has none. The page
// has its style in itself, which its policy allows.
func (s *site) dictionaryPage(w http.ResponseWriter, r *http.Request) {
	var body []byte
	_, err := os.Stat(warehouse.Path(s.Dir))
	if counted := s.counted.Load(); counted != nil && *counted != nil && err == nil {
		body = *counted
	} else {
		body, err = s.dictionaries.Get(r.Context(), struct{}{}, s.Now())
	}
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
