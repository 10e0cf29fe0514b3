package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// rotating is a service in front of the simulated one, whose key changes when a priced request is the nth.
type rotating struct {
	mu       sync.Mutex
	key      string
	after    int
	rotate   func()
	refused  int
	upstream http.Handler
}

func (s *rotating) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if !strings.Contains(r.URL.Path, "credits") {
		if s.after--; s.after == 0 {
			s.rotate()
		}
	}
	right := r.Header.Get("x-api-key") == s.key
	if !right {
		s.refused++
	}
	s.mu.Unlock()
	if !right {
		http.Error(w, `{"error":"Unauthorized","message":"Invalid or missing API key"}`, http.StatusUnauthorized)
		return
	}
	r.Header.Set("x-api-key", "planted-key")
	s.upstream.ServeHTTP(w, r)
}

// TestAKeyIsRotatedWithinANight replaces the key file while a run asks, and again between two nights of a daemon: no
// run stops, and the service bills nothing twice.
func TestAKeyIsRotatedWithinANight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	behind, err := url.Parse(w.base)
	if err != nil {
		t.Fatal(err)
	}
	behind.Path = ""
	s := &rotating{key: "first-key-first", after: 4, upstream: httputil.NewSingleHostReverseProxy(behind)}
	s.rotate = func() {
		s.key = "second-key-second"
		w.write("key", s.key)
	}
	front := httptest.NewServer(s)
	t.Cleanup(front.Close)
	w.write("key", s.key)
	w.env = append(w.env, "FLEETLAKE_BASE_URL="+front.URL+simulator.BasePath, "FLEETLAKE_API_KEY=")
	w.due(1_000_000, smallJob, "")
	w.edit("api: {", "api: {key_file: key, ")
	d := w.serve()
	address := d.page()
	d.hears("there is a new one")
	d.hears("slot done")
	if s.refused == 0 || s.refused > 8 {
		t.Errorf("%d requests with the old key, of at most 8 in the air", s.refused)
	}
	if got, want := w.bill().Counted, w.sim.Bill().Spent; got != want {
		t.Errorf("%d credits are counted, %d were billed", got, want)
	}
	s.mu.Lock()
	s.key, s.refused = "third-key-third", 0
	s.mu.Unlock()
	w.write("key", "third-key-third")
	w.runNow(d, address) // reads the file before its first request
	if s.refused > 0 {
		t.Errorf("%d requests with the key of the run before", s.refused)
	}
	if strings.Contains(d.said(), "-key-") {
		t.Errorf("a key is in the log: %s", d.said())
	}
}

// edit replaces words of the configuration.
func (w *world) edit(words, by string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "fleetlake.yaml"))
	if err != nil || !strings.Contains(string(text), words) {
		w.t.Fatalf("no %q in the configuration, %v: %s", words, err, text)
	}
	w.write("fleetlake.yaml", strings.Replace(string(text), words, by, 1))
}

// TestAConfigurationIsReloaded changes it under a daemon: what can be taken over is, one line names what needs a
// restart, and of a configuration with an error nothing is taken.
func TestAConfigurationIsReloaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, "    schedule: '0 0 1 1 *'\n"+smallJob+"\nserve: {listen: '127.0.0.1:0'}\n")
	d := w.serve()
	address := d.page()
	d.hears(`"scheduled"`)
	hangUp := func() { d.cmd.Process.Signal(syscall.SIGHUP) }

	w.edit("per_run: 0", "per_run: many")
	hangUp()
	if line := d.hears("not reloaded"); !strings.Contains(line, "per_run") {
		t.Errorf("%s", line)
	}
	w.edit("per_run: many", "per_run: 30")
	w.edit("nightly:", "added: {schedule: '0 0 2 1 *'}\n  nightly:")
	w.edit("listen: '127.0.0.1:0'", "listen: '127.0.0.1:9'")
	w.edit("api:", "data_dir: elsewhere\nmemory: 300MiB\napi:")
	hangUp()
	if line := d.hears("configuration reloaded"); !strings.Contains(line, `"jobs":"added, nightly"`) ||
		!strings.Contains(line, `"restart_needed_for":"data_dir, memory, serve.listen"`) {
		t.Errorf("%s", line)
	}
	d.hears("new settings are in use")
	if line := d.hears(`"scheduled"`); !strings.Contains(line, `"added"`) {
		t.Errorf("%s", line)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // another process has no event
		if _, text := get(t, address); strings.Contains(text, "added") {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the page has not the new job: %s", text)
		}
	}
	w.runNow(d, address)
	if got := w.bill("--data", "fleetlake-data").Counted; got == 0 || got > 30 {
		t.Errorf("%d credits, of at most 30", got)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}
