package share

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

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
	if taken, _ := s.room.Counts(); taken != 0 {
		t.Errorf("%d transfers hold their place", taken)
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

// TestTransfersAreBounded fills the share of a client, which receives nothing: its next transfer is asked to come again,
// another client has one at once, questions without a transfer are answered, and a place that is free again is used.
func TestTransfersAreBounded(t *testing.T) {
	dir := t.TempDir()
	big(t, dir, 32<<20)
	s := quiet(dir)
	r := serve(t, s)
	var first net.Conn
	for range maxTransfers / 2 {
		first = r.dial("fleet.duckdb")
		if _, err := io.ReadFull(first, make([]byte, 1000)); err != nil { // it has its place
			t.Fatal(err)
		}
	}
	w, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=0-9")
	if w.StatusCode != http.StatusServiceUnavailable || w.Header.Get("Retry-After") == "" {
		t.Errorf("beyond the limit: %d", w.StatusCode)
	}
	if w, _ := r.ask("GET", "fleet.duckdb", "Range", "bytes=0-9", "X-Client", "another"); w.StatusCode != http.StatusPartialContent {
		t.Errorf("another client: %d", w.StatusCode)
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
