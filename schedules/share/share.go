package share

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Prefix is where the caller serves the handler.
const Prefix = "/warehouse/"

// Names of the objects below Prefix.
const (
	currentName = "current.json"
	newestName  = "fleet.duckdb"
)

// maxTransfers is how many files are sent at the same time; one client has its share. Readers beyond it are asked to come
// again, which DuckDB does, so that transfers never take all connections of the page.
const maxTransfers = 32

// maxStall is how long a client may take to receive a chunk.
const maxStall = 30 * time.Second

// sharer is the state of the handler.
type sharer struct {
	dir   string
	log   *slog.Logger
	stall time.Duration
	room  *turns.Turns // a place per transfer

	reading sync.Mutex // of current.json

	mu   sync.Mutex
	seen []file // the latest last
}

// New returns the handler for what is below Prefix. dir is the data directory; log gets what is
// wrong with its files.
func New(dir string, log *slog.Logger) http.Handler {
	return newSharer(dir, log).handler()
}

func newSharer(dir string, log *slog.Logger) *sharer {
	return &sharer{dir: dir, log: log, stall: maxStall, room: turns.New(maxTransfers, 0)}
}

func (s *sharer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+currentName, s.sendCurrent)
	mux.HandleFunc("GET "+Prefix+"{name}", s.sendFile)
	return mux
}

// sendFile sends a file, or the ranges of it that are requested.
func (s *sharer) sendFile(w http.ResponseWriter, r *http.Request) {
	path, err := s.pathOf(r.PathValue("name"))
	if err != nil {
		s.refuse(w, err)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer f.Close()
	known, err := s.look(f)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if r.Method == http.MethodGet {
		leave, err := s.room.Take(r.Context(), 0)
		if err != nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many transfers at the same time; try again in a second", http.StatusServiceUnavailable)
			return
		}
		defer leave()
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("ETag", known.etag)
	h.Set("Cache-Control", "private, no-cache, no-transform")
	distrustDates(r)
	http.ServeContent(newPaced(w, s.stall), r, "", known.info.ModTime(), f)
}

// errUnknown is a name that stands for no published file.
var errUnknown = errors.New("no such file; current.json lists those that are kept")

// errChanged is a file that another program has changed.
var errChanged = errors.New("the file is not as it was published: another program has changed it; the next run restores it")

// pathOf finds the file of a name.
func (s *sharer) pathOf(name string) (string, error) {
	if name == newestName {
		return warehouse.Path(s.dir), nil
	}
	all, err := warehouse.Offered(s.dir)
	if err != nil {
		return "", err
	}
	for _, v := range all {
		if name == versionName(v.Run) {
			return v.Path, nil
		}
	}
	return "", errUnknown
}

func versionName(run string) string {
	return strings.TrimSuffix(newestName, ".duckdb") + "-" + run + ".duckdb"
}

// refuse answers without a file. Only the log has the words of the system, which name paths.
func (s *sharer) refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case errors.Is(err, errUnknown):
		http.Error(w, errUnknown.Error(), http.StatusNotFound)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, warehouse.ErrNone):
		http.Error(w, "no such file: nothing is published under this name yet, or no longer", http.StatusNotFound)
	case errors.Is(err, errChanged):
		s.log.Warn("warehouse not sent", "error", err)
		http.Error(w, errChanged.Error(), http.StatusServiceUnavailable)
	default:
		s.log.Error("warehouse not sent", "error", err)
		http.Error(w, "the warehouse cannot be read now; the log says why", http.StatusInternalServerError)
	}
}

// distrustDates removes conditions that rest on a date alone, so that the answer is the whole file: a
// rollback publishes a file that is older than the one before, and two files can have the same second.
func distrustDates(r *http.Request) {
	r.Header.Del("If-Modified-Since")
	if given := r.Header.Get("If-Range"); given != "" && !strings.HasPrefix(given, `"`) {
		r.Header.Del("Range")
	}
}
