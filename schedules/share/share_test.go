package share

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// lake is a data directory into which nights without requests are published.
type lake struct {
	t   *testing.T
	dir string
	p   pipeline.Pipeline
}

func newLake(t *testing.T) *lake {
	t.Helper()
	const key = "planted-key"
	sim, err := simulator.New(simulator.Config{Vessels: 10, Seed: 1, Start: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Key: key, Credits: 1000})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = 1_000_000
	}
	return &lake{t, dir, pipeline.Pipeline{Dir: dir, Service: extract.Service{BaseURL: server.URL + simulator.BasePath, Key: key, Limits: limits, MaxInFlight: 1}}}
}

// publish publishes a night of November 2026 and returns its run.
func (l *lake) publish(day int) string {
	l.t.Helper()
	offset := time.Since(time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC))
	l.p.Now = func() time.Time { return time.Now().Add(-offset) }
	l.p.Service.Now = l.p.Now
	r, err := l.p.Run(l.t.Context(), plan.Job{Name: "nightly", Location: time.UTC, List: plan.List{By: "none"}}, "")
	if err != nil {
		l.t.Fatal(err)
	}
	return r.Run
}

// reader is a client of the handler.
type reader struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, s *sharer) reader {
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	return reader{t, server.URL}
}

func quiet(dir string) *sharer { return newSharer(dir, slog.New(slog.DiscardHandler)) }

// ask sends a request with headers, given as name and value in turn.
func (r reader) ask(method, name string, headers ...string) (*http.Response, []byte) {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), method, r.url+Prefix+name, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for h := range slices.Chunk(headers, 2) {
		q.Header.Set(h[0], h[1])
	}
	w, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return w, body
}

// current returns current.json.
func (r reader) current() (c current) {
	r.t.Helper()
	w, body := r.ask("GET", "current.json")
	if w.StatusCode != http.StatusOK {
		r.t.Fatalf("current.json: %d %s", w.StatusCode, body)
	}
	if err := json.Unmarshal(body, &c); err != nil {
		r.t.Fatal(err)
	}
	return c
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheNewestAndTheKeptVersionsAreOffered(t *testing.T) {
	l := newLake(t)
	dir, first, second := l.dir, l.publish(20), l.publish(21)
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
		"fleet-" + first + ".duckdb":      filepath.Join(dir, "warehouse", "versions", first+".duckdb"),
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
	dir, run := l.dir, l.publish(20)
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
	dir, before := l.dir, l.publish(20)
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

// TestADownloadContinuesWhileNightsArePublished reads the first bytes, publishes so often that the file is
// no longer kept, and reads the rest: it is the file that was published first.
func TestADownloadContinuesWhileNightsArePublished(t *testing.T) {
	dir := t.TempDir()
	big(t, dir, 32<<20)
	want := read(t, warehouse.Path(dir))
	r := serve(t, quiet(dir))
	w, err := http.Get(r.url + Prefix + "fleet.duckdb")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	for range 3 { // as publish does
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, []byte("another night"), 0o444); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, warehouse.Path(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := io.ReadAll(w.Body); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
	}
}

// big stores a file that no buffer of the system has room for.
func big(t *testing.T, dir string, bytes int64) {
	t.Helper()
	path := warehouse.Path(dir)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(0); at < bytes; at += 1 << 20 { // else each block would be the same
		if _, err := fmt.Fprintf(io.NewOffsetWriter(f, at), "block at %d", at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(bytes); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestASlowClientIsCutOff has a client that receives nothing, and one that is slow and gets the whole
// file although that takes longer than a chunk may.
func TestASlowClientIsCutOff(t *testing.T) {
	dir := t.TempDir()
	const size = 64 << 20
	big(t, dir, size)
	s := quiet(dir)
	s.stall = time.Second
	r := serve(t, s)
	stalled := r.dial("fleet.duckdb")
	began := time.Now()
	slow := r.dial("fleet.duckdb")
	got, part := 0, make([]byte, 1<<20)
	for {
		n, err := io.ReadFull(slow, part)
		got += n
		if err != nil {
			break
		}
		time.Sleep(35 * time.Millisecond) // the slowness that is tested
	}
	if took := time.Since(began); got < size || took < 2*s.stall {
		t.Errorf("the slow client got %d of %d bytes in %v", got, size, took)
	}
	rest, _ := io.Copy(io.Discard, stalled)
	if rest >= size {
		t.Errorf("the client that received nothing for %v got all %d bytes", time.Since(began), rest)
	}
	if len(s.room) != 0 {
		t.Errorf("%d transfers hold their place", len(s.room))
	}
}

// dial sends a request and reads nothing. The receive buffer is small.
func (r reader) dial(name string) net.Conn {
	r.t.Helper()
	address := strings.TrimPrefix(r.url, "http://")
	c, err := net.Dial("tcp", address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(c, "GET %s%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", Prefix, name, address)
	return c
}

// TestTransfersAreBounded fills all places with clients that receive nothing: the next one is asked to
// come again, questions without a transfer are answered, and a place that is free again is used.
func TestTransfersAreBounded(t *testing.T) {
	dir := t.TempDir()
	big(t, dir, 32<<20)
	s := quiet(dir)
	r := serve(t, s)
	var first net.Conn
	for range maxTransfers {
		first = r.dial("fleet.duckdb")
		if _, err := io.ReadFull(first, make([]byte, 1000)); err != nil { // it has its place
			t.Fatal(err)
		}
	}
	w, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=0-9")
	if w.StatusCode != http.StatusServiceUnavailable || w.Header.Get("Retry-After") == "" {
		t.Errorf("beyond the limit: %d", w.StatusCode)
	}
	if w, _ := r.ask("HEAD", "fleet.duckdb"); w.StatusCode != http.StatusOK {
		t.Errorf("HEAD: %d", w.StatusCode)
	}
	first.Close()
	for range 1000 {
		if w, _ = r.ask("GET", "fleet.duckdb", "Range", "bytes=0-9"); w.StatusCode == http.StatusPartialContent {
			return
		}
	}
	t.Errorf("after a transfer ended: %d", w.StatusCode)
}

// TestAChangedFileIsNotSent has another program write to the published file, as root can.
func TestAChangedFileIsNotSent(t *testing.T) {
	l := newLake(t)
	dir := l.dir
	l.publish(20)
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
	run := l.publish(20)
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
