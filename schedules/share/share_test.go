package share

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

func TestTheNewestAndTheKeptVersionsAreOffered(t *testing.T) {
	l := newLake(t)
	dir, first, second := l.dir, l.first, l.publish(21)
	r := serve(t, quiet(dir))
	c := r.current()
	if c.Run != second || c.SnapshotDate != "2026-11-21" || c.URL != "/warehouse/fleet-"+second+".duckdb" {
		t.Errorf("current.json: %+v", c)
	}
	if len(c.Versions) != 2 || c.Versions[0] != c.version || c.Versions[1].Run != first {
		t.Errorf("versions: %+v", c.Versions)
	}
	for name, path := range map[string]string{
		"fleet.duckdb":                    warehouse.Path(dir),
		"fleet-" + first + ".duckdb":      l.version(first),
		strings.TrimPrefix(c.URL, Prefix): warehouse.Path(dir),
	} {
		w, got := r.ask("GET", name)
		want := read(t, path)
		if w.StatusCode != http.StatusOK || !bytes.Equal(got, want) {
			t.Errorf("%s: %d, %d bytes, want %d", name, w.StatusCode, len(got), len(want))
		}
		h, none := r.ask("HEAD", name)
		if len(none) != 0 || h.ContentLength != int64(len(want)) || h.Header.Get("Etag") != w.Header.Get("Etag") ||
			h.Header.Get("Accept-Ranges") != "bytes" || h.Header.Get("Content-Type") != "application/octet-stream" || h.Header.Get("Last-Modified") == "" {
			t.Errorf("HEAD %s: %d bytes, %v", name, h.ContentLength, h.Header)
		}
		part, got := r.ask("GET", name, "Range", "bytes=4096-8191")
		if part.StatusCode != http.StatusPartialContent || !bytes.Equal(got, want[4096:8192]) || part.Header.Get("Etag") != w.Header.Get("Etag") {
			t.Errorf("range of %s: %d, %d bytes", name, part.StatusCode, len(got))
		}
		if zipped, _ := r.ask("GET", name, "Accept-Encoding", "gzip"); zipped.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed: ranges would be those of another file", name)
		}
		if same, _ := r.ask("GET", name, "If-None-Match", w.Header.Get("Etag")); same.StatusCode != http.StatusNotModified {
			t.Errorf("%s with its own ETag: %d", name, same.StatusCode)
		}
	}
	if w, _ := r.ask("POST", "fleet.duckdb"); w.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.StatusCode)
	}
}

func TestOtherFilesAreNotOffered(t *testing.T) {
	l := newLake(t)
	dir, run := l.dir, l.first
	for _, name := range []string{"base-x", "before-rebuild-x"} {
		if err := os.Link(warehouse.Path(dir), filepath.Join(dir, "warehouse", "versions", name+".duckdb")); err != nil {
			t.Fatal(err)
		}
	}
	r := serve(t, quiet(dir))
	for _, name := range []string{"fleet-base-x.duckdb", "fleet-before-rebuild-x.duckdb", "fingerprints", "fleet-.duckdb", "fleet-..%2Ffleet.duckdb",
		"..%2Fwarehouse%2Ffleet.duckdb", "versions/" + run + ".duckdb", ""} {
		if w, _ := r.ask("GET", name); w.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, w.StatusCode)
		}
	}
	if c := r.current(); len(c.Versions) != 1 {
		t.Errorf("listed: %+v", c.Versions)
	}
	for _, name := range []string{"fleet.duckdb", "current.json"} {
		if w, body := serve(t, quiet(t.TempDir())).ask("GET", name); w.StatusCode != http.StatusNotFound {
			t.Errorf("%s without a warehouse: %d %s", name, w.StatusCode, body)
		}
	}
}

// TestVersionsNeverMix publishes between two requests of a reader, and rolls back, which publishes an
// older file again.
func TestVersionsNeverMix(t *testing.T) {
	l := newLake(t)
	dir, before := l.dir, l.first
	r := serve(t, quiet(dir))
	first, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=0-99")
	tag, date := first.Header.Get("Etag"), first.Header.Get("Last-Modified")
	unchanged, got := r.ask("GET", "fleet.duckdb", "Range", "bytes=100-199", "If-Range", tag, "If-Match", tag)
	if unchanged.StatusCode != http.StatusPartialContent || len(got) != 100 {
		t.Fatalf("unchanged: %d, %d bytes", unchanged.StatusCode, len(got))
	}
	removed := l.publish(21)
	after := r.differs(dir, tag, date)
	if _, err := warehouse.Rollback(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	second, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=0-99")
	if second.Header.Get("Etag") != tag {
		t.Error("a rollback publishes the same file under another ETag")
	}
	r.differs(dir, after.Header.Get("Etag"), after.Header.Get("Last-Modified"))
	if c := r.current(); c.Run != before || len(c.Versions) != 1 {
		t.Errorf("after the rollback: %+v", c)
	}
	if w, _ := r.ask("GET", "fleet-"+removed+".duckdb"); w.StatusCode != http.StatusNotFound {
		t.Errorf("the run that was rolled back: %d", w.StatusCode)
	}
}

// differs checks that no condition on the file before gets a range of the file that is published now.
func (r reader) differs(dir, tag, date string) *http.Response {
	r.t.Helper()
	want := read(r.t, warehouse.Path(dir))
	plain, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=100-199")
	if got := plain.Header.Get("Etag"); got == tag || got == "" {
		r.t.Errorf("the ETag of another file is %q as before", got)
	}
	if w, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=100-199", "If-Match", tag); w.StatusCode != http.StatusPreconditionFailed {
		r.t.Errorf("If-Match: %d", w.StatusCode)
	}
	for name, headers := range map[string][]string{
		"If-Range with the ETag before":       {"Range", "bytes=100-199", "If-Range", tag},
		"If-Range with its date":              {"Range", "bytes=100-199", "If-Range", date},
		"If-Range with the date of now":       {"Range", "bytes=100-199", "If-Range", plain.Header.Get("Last-Modified")},
		"If-None-Match with the ETag before":  {"If-None-Match", tag},
		"If-Modified-Since with a later date": {"If-Modified-Since", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)},
	} {
		if w, got := r.ask("GET", "fleet.duckdb", headers...); w.StatusCode != http.StatusOK || !bytes.Equal(got, want) {
			r.t.Errorf("%s: %d, %d bytes, want all %d", name, w.StatusCode, len(got), len(want))
		}
	}
	return plain
}

// TestAChangedFileIsNotSent has another program write to the published file, as root can.
func TestAChangedFileIsNotSent(t *testing.T) {
	l := newLake(t)
	dir := l.dir
	var log bytes.Buffer
	r := serve(t, newSharer(dir, slog.New(slog.NewTextHandler(&log, nil))))
	r.current()
	path := warehouse.Path(dir)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	b := read(t, path)
	b[5000] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fleet.duckdb", "current.json"} {
		w, body := r.ask("GET", name)
		if w.StatusCode != http.StatusServiceUnavailable || strings.Contains(string(body), dir) {
			t.Errorf("%s: %d %s", name, w.StatusCode, body)
		}
	}
	if !strings.Contains(log.String(), path) {
		t.Errorf("the log does not name the file: %s", log.String())
	}
}

// TestAFileIsReadOnce asks for a file under all its names: its blocks and its latest run are read once,
// and what is remembered of files that are gone is bounded.
func TestAFileIsReadOnce(t *testing.T) {
	l := newLake(t)
	run := l.first
	s := quiet(l.dir)
	r := serve(t, s)
	for range 3 {
		r.current()
		r.ask("HEAD", "fleet.duckdb")
		r.ask("HEAD", "fleet-"+run+".duckdb")
	}
	if len(s.seen) != 1 || s.seen[0].run != run {
		t.Errorf("remembered: %+v, want one file and its run", s.seen)
	}
	s.dir = t.TempDir() // in which each file counts as published
	path := filepath.Join(s.dir, "file")
	for n := range 2 * maxSeen {
		if err := os.WriteFile(path, make([]byte, n), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.lookAt(path); err != nil {
			t.Fatal(err)
		}
		if want := min(n+2, maxSeen); len(s.seen) != want {
			t.Fatalf("%d files are remembered, want %d", len(s.seen), want)
		}
	}
}
