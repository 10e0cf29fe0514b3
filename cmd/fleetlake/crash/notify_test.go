package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest/syscalls"
)

// hearer is a receiver of notifications that drops what it has heard: it knows events by their ids.
type hearer struct {
	t    testing.TB
	kill func() // is called once an event has come, and before it is answered; may be nil

	mu     sync.Mutex
	heard  map[string]string // the bodies, by id
	copies int               // events that came again
}

func newHearer(t testing.TB) (h *hearer, url string) {
	h = &hearer{t: t, heard: map[string]string{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return h, server.URL
}

func (h *hearer) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process was killed
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var e struct{ ID string }
	id := r.Header.Get("X-Fleetlake-Event")
	if err := json.Unmarshal(body, &e); err != nil || id == "" || e.ID != id {
		h.t.Errorf("event %q: %v in %s", id, err, body)
	}
	if earlier, ok := h.heard[id]; ok {
		h.copies++
		if earlier != string(body) {
			h.t.Errorf("event %s was\n%s and is\n%s", id, earlier, body)
		}
	}
	h.heard[id] = string(body)
	if h.kill != nil {
		h.kill()
		h.kill = nil
	}
}

// toldWorld is a world with a published night, whose next night is partial and has news of watched vessels.
func toldWorld(t *testing.T, night string) (*world, *hearer) {
	rates := simulator.Rates{Reflagged: .05, Scrapped: -1, Unlisted: -1, Renamed: -1, Identified: -1, Corrected: -1}
	w := newWorld(t, simulator.Config{Vessels: 400, Seed: 3, Dirt: -1, Rates: rates})
	before := map[int]simulator.Vessel{}
	for _, v := range w.sim.Truth(0) {
		before[v.Hull] = v
	}
	var watched []string
	for _, v := range w.sim.Truth(1) {
		if old, known := before[v.Hull]; known && v.StoresIMO && v.IsShip && v.Listed && old.Flag != v.Flag {
			watched = append(watched, fmt.Sprintf("'%d'", v.IMO))
		}
	}
	h, url := newHearer(t)
	w.configure(1_000_000, fmt.Sprintf(`    schedule: '0 0 1 1 *'
    list: {by: country, max_age: 0s}
    sweep: {statuses: [aground]}
    lookup: {want: [], watch: [%s]}
serve: {listen: '127.0.0.1:0'}
notify: {webhook: {url: %s}}
`, strings.Join(watched, ", "), url))
	if night == "" {
		w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	} else if err := pipelinetest.CopyTree(w.data(), night); err != nil {
		t.Fatal(err)
	}
	w.sim.SetDay(1)
	if err := w.sim.SetFaults([]simulator.Fault{{Kind: simulator.Blocked, Operation: "by-status"}}); err != nil {
		t.Fatal(err)
	}
	return w, h
}

// secondNight is the command of that night.
var secondNight = []string{"run", "nightly", "--date", "2026-11-21", "--force-date"}

// TestNobodyMissesWhatWasPublished kills a run after it has published its night, at points that are spread over what
// it does then, and starts the next one: the end of the night and its news are told, each with its id. With
// FLEETLAKE_LONG each point is tried.
func TestNobodyMissesWhatWasPublished(t *testing.T) {
	t.Parallel()
	most := 2
	if os.Getenv("FLEETLAKE_LONG") != "" {
		most = 1000
	}
	w, h := toldWorld(t, "")
	night := filepath.Join(t.TempDir(), "night")
	if err := pipelinetest.CopyTree(night, w.data()); err != nil {
		t.Fatal(err)
	}
	var after []string
	o, err := w.watched(secondNight, sincePublish(func(n int, c syscalls.Call) syscalls.Action {
		after = append(after, c.String())
		return syscalls.Action{}
	}))
	skipUnwatched(t, err)
	if err != nil || len(after) < 10 || len(h.heard) != 2 || h.copies != 0 {
		t.Fatalf("%v, exit code %d, %d calls, heard %v, %d copies\n%s", err, o.code, len(after), h.heard, h.copies, o.stderr)
	}
	for i, name := range after {
		after[i] = fmt.Sprintf("%d %s", i+1, strings.ReplaceAll(name, w.dir+"/", ""))
	}
	for _, name := range append([]string{after[0]}, spread(after[1:], most)...) {
		t.Run("killed after call "+name, func(t *testing.T) {
			t.Parallel()
			w, h := toldWorld(t, night)
			o, err := w.watched(secondNight, sincePublish(func(n int, _ syscalls.Call) syscalls.Action {
				return syscalls.Action{Kill: strings.HasPrefix(name, fmt.Sprint(n, " "))}
			}))
			if err != nil || o.code != exitKilled {
				t.Fatalf("%v, exit code %d\n%s", err, o.code, o.stderr)
			}
			if strings.HasPrefix(name, "1 ") { // a daemon finds its slot done, and tells all the same
				w.letTriesPass()
				if o, err := w.serveUntil(`-watched","to":"webhook"`, nil); err != nil || o.code != exitDone || len(h.heard) != 2 {
					t.Errorf("%v, exit code %d, heard %v\n%s", err, o.code, h.heard, o.stderr)
				}
			}
			w.isToldAfterwards(h, 1)
		})
	}
	t.Run("killed by the receiver before it answers", func(t *testing.T) {
		t.Parallel()
		w, h := toldWorld(t, night)
		p := w.prepare(secondNight...)
		h.kill = func() { p.cmd.Process.Kill() }
		if err := w.service.starting(p.cmd.Start); err != nil {
			t.Fatal(err)
		}
		if o, err := p.wait(); err != nil || o.code != exitKilled {
			t.Fatalf("%v, exit code %d\n%s", err, o.code, o.stderr)
		}
		w.isToldAfterwards(h, 2)
		if h.copies == 0 {
			t.Error("the event that was not answered came once")
		}
	})
}

// sincePublish has decide see the calls from the one that publishes, which is the first.
func sincePublish(decide func(n int, c syscalls.Call) syscalls.Action) func(syscalls.Call) syscalls.Action {
	n := 0
	return func(c syscalls.Call) syscalls.Action {
		if n > 0 || c.Name == "rename" && strings.HasSuffix(c.To, "/warehouse/fleet.duckdb") {
			n++
			return decide(n, c)
		}
		return syscalls.Action{}
	}
}

// isToldAfterwards runs the night again, when the tries that the killed process has begun are over, and twice: the
// receiver has heard of the night's end and of its news, and at most so many events again.
func (w *world) isToldAfterwards(h *hearer, copies int) {
	w.t.Helper()
	w.letTriesPass()
	if err := w.sim.SetFaults(nil); err != nil {
		w.t.Fatal(err)
	}
	for range 2 {
		w.must(exitDone, secondNight...)
	}
	night := w.query(w.open(), "SELECT min(run_id) FROM runs WHERE snapshot_date = '2026-11-21'")
	night = strings.TrimSpace(night)
	if got, want := slices.Sorted(maps.Keys(h.heard)), []string{night, night + "-watched"}; !slices.Equal(got, want) || h.copies > copies {
		w.t.Errorf("heard %v, want %v; %d came again", got, want, h.copies)
	}
}

// letTriesPass makes the next tries of the outbox due, as the next night does.
func (w *world) letTriesPass() {
	w.t.Helper()
	path := filepath.Join(w.data(), "notifications.json")
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var outbox map[string]any
	if err := json.Unmarshal(text, &outbox); err != nil {
		w.t.Fatal(err)
	}
	waiting, _ := outbox["waiting"].([]any)
	for _, event := range waiting {
		for _, tries := range event.(map[string]any)["to"].(map[string]any) {
			tries.(map[string]any)["next"] = "2026-01-01T00:00:00Z"
		}
	}
	if text, err = json.Marshal(outbox); err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestASilenceIsToldOnce starts a daemon three times in a silence, and once more in the next.
func TestASilenceIsToldOnce(t *testing.T) {
	t.Parallel()
	w, h := toldWorld(t, "")
	path := filepath.Join(w.dir, "fleetlake.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.write("fleetlake.yaml", strings.Replace(string(text), "notify: {", "notify: {max_age: 1ms, ", 1))
	silent := func() {
		t.Helper()
		if o, err := w.serveUntil(`"msg":"nothing published"`, nil); err != nil || o.code != exitDone {
			t.Fatalf("%v, exit code %d\n%s", err, o.code, o.stderr)
		}
	}
	for range 3 {
		silent()
	}
	if len(h.heard) != 1 || h.copies != 0 {
		t.Errorf("heard %v, %d again", h.heard, h.copies)
	}
	if err := w.sim.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	w.must(exitDone, secondNight...)
	silent()
	stale := 0
	for id := range h.heard {
		if strings.HasPrefix(id, "stale-") {
			stale++
		}
	}
	if stale != 2 || h.copies != 0 {
		t.Errorf("heard %v, %d again", h.heard, h.copies)
	}
}
