package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/schedules/network/server"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse"
)

// week is a service, a data directory, and the processes that serve it one after the other, all
// in one bubble of virtual time that begins with the year 2000.
type week struct {
	t       *testing.T
	sim     *simulator.Simulator
	service *memory.Network
	dir     string
	small   bool // the data directory is on a separate small disk
	ballast string
	log     bytes.Buffer

	published *warehouse.Warehouse // as opened by the current morning

	// The process that serves now, or did last.
	server *daemonHere
	page   *page.Handler
	end    func()
}

const weekConfig = `
api: {max_in_flight: 4}
serve: {listen: ""}
budget: {per_run: 2000, per_day: 3000}
jobs:
  nightly:
    schedule: "0 2 * * *"
    list: {by: country, countries: [Panama, Liberia, China, Greece, Germany, Norway, Japan, Malta], max_age: 20h}
    sweep: {statuses: [moored, aground], zones: [north-sea, china-coast, gulf-of-mexico]}
    lookup: {want: [particulars], max_requests: 20}
`

// newWeek starts the service. The data directory is a small disk, where the test may make one.
func newWeek(t *testing.T, disk string) *week {
	t.Helper()
	sim, err := simulator.New(simulator.Config{Vessels: 400, Seed: 7, Start: time.Now(), Key: "planted-key", Credits: 100_000,
		Rates: simulator.Rates{Renamed: .02, Reflagged: .02, Unlisted: .02, Moved: .2}})
	if err != nil {
		t.Fatal(err)
	}
	service, stop := memory.Serve(sim)
	t.Cleanup(stop)
	return &week{t: t, sim: sim, dir: filepath.Join(disk, "data"), ballast: filepath.Join(disk, "ballast"), service: service}
}

// start starts a process: what `fleetlake serve` does, but that it is called in memory.
func (w *week) start() {
	w.t.Helper()
	env := map[string]string{"FLEETLAKE_BASE_URL": "http://127.0.0.1" + simulator.BasePath, "FLEETLAKE_API_KEY": "planted-key"}
	a := &app{getenv: func(name string) string { return env[name] }, stdout: &bytes.Buffer{}, stderr: &w.log, dataDir: w.dir, configPath: filepath.Join(filepath.Dir(w.ballast), "fleetlake.yaml")}
	s := newDaemonHere(w.t, a)
	s.pipeline.Service.Dial = w.service.Dial
	if err := a.printTimetable(s.config); err != nil {
		w.t.Fatal(err)
	}
	var err error
	if w.page, err = networkOf(w.t, s).Handler(); err != nil {
		w.t.Fatal(err)
	}
	w.server = s
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	w.end = func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Errorf("serve: %v", err)
		}
		s.Close()
		if err := w.page.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

// networkOf is the network process of a scheduler, which it asks in memory.
func networkOf(t *testing.T, s *daemonHere) *server.Server {
	t.Helper()
	setup, err := setupOf(s.config)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(ctx context.Context, q network.Request, value any) error {
		answer, err := server.Answers(s.Server)(ctx, q)
		if err != nil || value == nil {
			return err
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, value)
	}
	text, err := json.Marshal(setup)
	if err != nil {
		t.Fatal(err)
	}
	var sent networkSetup
	if err := json.Unmarshal(text, &sent); err != nil {
		t.Fatal(err)
	}
	c, err := s.app.networkConfig(sent)
	if err != nil {
		t.Fatal(err)
	}
	n, err := server.New(c, ask)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// until waits for a day and time of January 2000, by the clock of the bubble.
func (w *week) until(text string) {
	w.t.Helper()
	at, err := time.Parse("2006-01-02 15:04", "2000-01-"+text)
	if err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(time.Until(at))
}

// fromThisMachine is a request as the server of a page gets it from a browser on the same machine.
func fromThisMachine(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}))
}

// ask sends a request to the page of the process, as a browser on this machine does.
func (w *week) ask(method, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(form.Encode()))
	r = fromThisMachine(r)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1:8080")
	}
	answer := httptest.NewRecorder()
	w.page.ServeHTTP(answer, r)
	return answer
}

// look returns a page, and its words.
func (w *week) look(path string) (page, text string) {
	w.t.Helper()
	a := w.ask(http.MethodGet, path, nil)
	page = a.Body.String()
	if a.Code != http.StatusOK {
		w.t.Fatalf("GET %s: %d\n%s", path, a.Code, page)
	}
	for _, never := range []string{"planted-key", w.dir} {
		if strings.Contains(page, never) {
			w.t.Errorf("GET %s contains %s", path, never)
		}
	}
	return page, wordsOf(page)
}

var (
	drawings = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
	blanks   = regexp.MustCompile(`[\s\x{a0}]+`)
	cells    = regexp.MustCompile(`(?s)<t[hd][ >].*?</t[hd]>`)
)

// wordsOf is the visible text of a page.
func wordsOf(page string) string {
	text := tags.ReplaceAllString(drawings.ReplaceAllString(page, ""), " ")
	return strings.TrimSpace(blanks.ReplaceAllString(html.UnescapeString(text), " ")) + " "
}

// tableOf returns the rows of the table that has a label, without those that are part of the row
// above.
func tableOf(page, label string) [][]string {
	_, rest, _ := strings.Cut(page, `aria-label="`+label+`"`)
	_, rest, _ = strings.Cut(rest, "<tbody>")
	rest, _, _ = strings.Cut(rest, "</tbody>")
	var rows [][]string
	for _, row := range strings.Split(rest, "<tr")[1:] {
		if strings.HasPrefix(row, ` class="under"`) {
			continue
		}
		var one []string
		for _, cell := range cells.FindAllString(row, -1) {
			one = append(one, strings.TrimSpace(wordsOf(cell)))
		}
		rows = append(rows, one)
	}
	return rows
}

func (w *week) faults(faults ...simulator.Fault) {
	w.t.Helper()
	if err := w.sim.SetFaults(faults); err != nil {
		w.t.Fatal(err)
	}
}

// smallDisk mounts a disk that is soon full, or returns an ordinary directory where the test
// may not.
func smallDisk(t *testing.T) (dir string, small bool) {
	dir = t.TempDir()
	unmount, err := mountDisk(dir)
	if err != nil {
		t.Logf("no separate disk; a file in the way simulates a full one: %v", err)
		return dir, false
	}
	t.Cleanup(unmount)
	return dir, true
}

// fillDisk leaves no room for the journal of a date, and returns the error of a run. makeRoom frees
// the room.
func (w *week) fillDisk(date string) (words string) {
	w.t.Helper()
	var err error
	words = "no space left on device"
	if !w.small {
		words = "not a directory"
		err = os.WriteFile(filepath.Join(w.dir, "journal", date), nil, 0o600)
	} else {
		var f *os.File
		if f, err = os.Create(w.ballast); err == nil {
			for err == nil {
				_, err = f.Write(make([]byte, 1<<16))
			}
			for err = nil; err == nil; {
				_, err = f.Write([]byte{0})
			}
			err = f.Close()
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return words
}

func (w *week) makeRoom(date string) {
	w.t.Helper()
	path := w.ballast
	if !w.small {
		path = filepath.Join(w.dir, "journal", date)
	}
	if err := os.Remove(path); err != nil {
		w.t.Fatal(err)
	}
}
