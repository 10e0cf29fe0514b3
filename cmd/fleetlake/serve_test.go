package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// served is a `fleetlake serve` in a separate process.
type served struct {
	*process
	t     testing.TB
	lines chan string // of its log
	mu    sync.Mutex
	log   strings.Builder
}

// serve starts the scheduler, with flags. It is killed at the end of the test, if it still lives.
func (w *world) serve(flags ...string) *served {
	w.t.Helper()
	return w.daemonOf(w.prepare(append([]string{"serve"}, flags...)...))
}

// daemonOf starts a daemon.
func (w *world) daemonOf(p *process) *served {
	w.t.Helper()
	d := &served{process: p, t: w.t, lines: make(chan string, 10_000)}
	p.cmd.Stderr = nil
	out, err := p.cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(d.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			d.mu.Lock()
			d.log.WriteString(s.Text() + "\n")
			d.mu.Unlock()
			d.lines <- s.Text()
		}
	}()
	w.t.Cleanup(func() { p.cmd.Process.Kill() })
	return d
}

// hears waits for a line of the log.
func (d *served) hears(words string) string {
	d.t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case line, ok := <-d.lines:
			if !ok {
				d.t.Fatalf("ended without %q:\n%s", words, d.said())
			}
			if strings.Contains(line, words) {
				return line
			}
		case <-deadline:
			d.t.Fatalf("no %q within a minute:\n%s", words, d.said())
		}
	}
}

func (d *served) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

// ends waits for the process and returns how long that took.
func (d *served) ends() (code int, took time.Duration) {
	d.t.Helper()
	start := time.Now()
	for range d.lines { // Wait closes the pipe: the log must be read before
	}
	o, err := d.wait()
	if err != nil {
		d.t.Fatal(err)
	}
	if strings.Contains(d.said()+d.stdout.String(), "planted-key") {
		d.t.Errorf("the key is in the log:\n%s", d.said())
	}
	return o.code, time.Since(start)
}

// due configures a job whose slot of today has passed and was missed.
func (w *world) due(limits int, job, more string) {
	w.t.Helper()
	yesterday := time.Now().UTC().Add(-24 * time.Hour).Format(time.DateOnly)
	w.has("    list: {by: none}\n    sweep: {statuses: []}\n    lookup: {want: []}\n", yesterday)
	w.configure(limits, "    schedule: '0 0 * * *'\n"+job+"\nserve: {listen: '127.0.0.1:0'}\n"+more)
}

// page is the address of the status page in the log.
func (d *served) page() string {
	_, rest, _ := strings.Cut(d.hears(`"status page"`), `"address":"`)
	address, _, _ := strings.Cut(rest, `"`)
	return address
}

func get(t testing.TB, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	return contentOf(t, answer)
}

// contentOf reads an answer to its end.
func contentOf(t testing.TB, answer *http.Response) (int, string) {
	t.Helper()
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestServe makes up for a missed slot, serves the page, notifies systemd, and ends.
func TestServe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.due(1_000_000, smallJob, "")
	socket := filepath.Join(t.TempDir(), "notify")
	states := listenAsSystemd(t, socket)
	w.env = append(w.env, "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=300000")
	d := w.serve()
	url := d.page()
	d.hears("slot done")
	for path, want := range map[string]string{"/": "nightly", "/metrics": "fleetlake_build_info", "/healthz": "", "/readyz": "", "/warehouse/current.json": `"snapshot_date": "2`} {
		if code, text := get(t, url+path); code != http.StatusOK || !strings.Contains(text, want) || strings.Contains(text, "planted-key") || strings.Contains(text, w.dir) {
			t.Errorf("%s: status %d, want %q and no secret:\n%s", path, code, want, text)
		}
	}
	published, err := os.ReadFile(warehouse.Path(filepath.Join(w.dir, "fleetlake-data")))
	if err != nil {
		t.Fatal(err)
	}
	if code, file := get(t, url+"/warehouse/fleet.duckdb"); code != http.StatusOK || file != string(published) {
		t.Errorf("the warehouse: status %d, %d bytes, want %d", code, len(file), len(published))
	}
	w.runNow(d, url)
	notified := map[string]int{}
	said := func(words string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(notified)), func(s string) bool { return strings.HasPrefix(s, "STATUS="+words) })
	}
	for end := time.After(time.Minute); notified["WATCHDOG=1"] < 5 || !said("waits for nightly at ") || !said("nightly of "); {
		select {
		case state := <-states:
			notified[state]++
		case <-end:
			t.Fatalf("systemd got %v", notified)
		}
	}
	if notified["READY=1"] != 1 {
		t.Errorf("systemd got %v", notified)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, took := d.ends(); code != exitDone || took > 5*time.Second {
		t.Errorf("exit code %d after %v", code, took)
	}
	for notified["STOPPING=1"] == 0 {
		select {
		case state := <-states:
			notified[state]++
		case <-time.After(time.Minute):
			t.Fatalf("systemd got %v", notified)
		}
	}
}

// listenAsSystemd receives the states of a service until the test ends.
func listenAsSystemd(t *testing.T, socket string) <-chan string {
	t.Helper()
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { manager.Close() })
	states := make(chan string, 10_000)
	go func() {
		for buffer := make([]byte, 100); ; {
			n, err := manager.Read(buffer)
			if err != nil {
				return
			}
			states <- string(buffer[:n])
		}
	}()
	return states
}

// runNow presses the button of the page, confirms that the night is paid for again if it asks,
// and waits for the run.
func (w *world) runNow(d *served, url string) {
	w.t.Helper()
	_, text := get(w.t, url+"/")
	_, rest, _ := strings.Cut(text, `name="form" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	press := func(form string) int {
		request, err := http.NewRequest(http.MethodPost, url+"/run", strings.NewReader(form))
		if err != nil {
			w.t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", url)
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			w.t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	form := "job=nightly&form=" + token
	status := press(form)
	if status == http.StatusOK {
		status = press(form + "&again=yes")
	}
	if status != http.StatusSeeOther {
		w.t.Errorf("run now: status %d", status)
	}
	d.hears("run triggered")
	d.hears("run published")
}

func TestServeWaitsForTheLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.due(1_000_000, smallJob, "")
	unlock, err := datadir.LockFor(filepath.Join(w.dir, "fleetlake-data"), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	d := w.serve()
	if line := d.hears("slot waits"); !strings.Contains(line, "`fleetlake test`") || strings.Contains(line, w.dir) {
		t.Errorf("the holder is not named, or the directory is: %s", line)
	}
	if o := w.must(exitDone, "status"); !strings.Contains(o.stdout, "running   `fleetlake test`") {
		t.Errorf("status does not name the holder:\n%s", o.stdout)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// TestServeNotifiesOfAFailure has a data directory in which the journal of the night is damaged.
func TestServeNotifiesOfAFailure(t *testing.T) {
	t.Parallel()
	notified := make(chan string, 10)
	receiver := newReceiver(t, notified)
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("secret", "planted-secret")
	w.due(1_000_000, smallJob, fmt.Sprintf("notify: {webhook: {url: %s/planted-path, secret_file: secret}}\n", receiver))
	today := filepath.Join(w.dir, "fleetlake-data", "journal", time.Now().UTC().Format(time.DateOnly))
	if err := os.WriteFile(today, nil, 0o600); err != nil { // a file where the directory must be
		t.Fatal(err)
	}
	d := w.serve()
	d.hears("run failed")
	if text := <-notified; !strings.Contains(text, `"failed"`) || !strings.Contains(text, "nightly") || strings.Contains(text, w.dir) {
		t.Errorf("notification: %s", text)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.ends()
	if strings.Contains(d.said(), "planted") {
		t.Errorf("a secret is in the log:\n%s", d.said())
	}
	records, err := schedules.ReadSlotLog(filepath.Join(w.dir, "fleetlake-data"), 9)
	if err != nil || len(records) != 1 || records[0].State != schedules.RecordFailed {
		t.Errorf("slot log: %v, %v", records, err)
	}
	if o := w.must(exitDone, "status"); !strings.Contains(o.stdout, "failed") {
		t.Errorf("status does not report it:\n%s", o.stdout)
	}
}

// newReceiver is a webhook that passes on what it gets.
func newReceiver(t *testing.T, notified chan<- string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		notified <- string(text)
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return "http://" + l.Addr().String()
}

// TestServeWithoutJobs shows data without a key, an address of the service, or a request to it.
func TestServeWithoutJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.env = slices.DeleteFunc(w.env, func(v string) bool {
		return strings.HasPrefix(v, "FLEETLAKE_BASE_URL=") || strings.HasPrefix(v, "FLEETLAKE_API_KEY=")
	})
	w.write("fleetlake.yaml", "serve: {listen: '127.0.0.1:0'}\n")
	if o := w.must(exitUsage, "serve", "--no-jobs"); !strings.Contains(o.stderr, "it has no journal, no lake") {
		t.Errorf("without data: %s", o.stderr)
	}
	w.has(smallJob, "2026-11-20")
	if o := w.must(exitUsage, "serve"); !strings.Contains(o.stderr, "no key") {
		t.Errorf("with jobs and without a key: %s", o.stderr)
	}
	before := w.files()
	d := w.serve("--no-jobs")
	url := d.page()
	code, page := get(t, url)
	if code != http.StatusOK || !strings.Contains(page, "20 November 2026") || strings.Contains(page, `action="/run"`) || strings.Contains(page, "/forecast") {
		t.Errorf("status %d, the page has\n%s", code, page)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" || w.priced() > 0 {
		t.Errorf("%d requests; files of the data directory (-before +after):\n%s", w.priced(), diff)
	}
	w.write("fleetlake.yaml", "serve: {listen: ''}\n")
	if o := w.must(exitUsage, "serve", "--no-jobs"); !strings.Contains(o.stderr, "neither serve.listen nor flight.listen") {
		t.Errorf("without an address: %s", o.stderr)
	}
}

// files lists the data directory.
func (w *world) files() (all []string) {
	w.t.Helper()
	err := fs.WalkDir(os.DirFS(filepath.Join(w.dir, "fleetlake-data")), ".", func(path string, d fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestServeRefusesAPageThatOthersReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob+"\nserve: {listen: '0.0.0.0:0'}\n")
	if o := w.must(exitUsage, "serve"); !strings.Contains(o.stderr, "token_file") {
		t.Errorf("does not say what is missing: %s", o.stderr)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w.configure(1_000_000, smallJob+fmt.Sprintf("\nserve: {listen: '%s'}\n", l.Addr()))
	if o := w.must(exitUnexpected, "serve"); !strings.Contains(o.stderr, "address already in use") {
		t.Errorf("a taken address: %s", o.stderr)
	}
	w.configure(1_000_000, smallJob+fmt.Sprintf("\nserve: {listen: '127.0.0.1:0'}\nflight: {listen: '%s'}\n", l.Addr()))
	if o := w.must(exitUnexpected, "serve"); !strings.Contains(o.stderr, "serve Flight SQL: listen tcp") {
		t.Errorf("a taken address of Flight SQL: %s", o.stderr)
	}
}

func TestStatesOfRunsAreThoseOfThePipeline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	w.must(exitDone, "run", "nightly")
	s := w.server()
	stored, err := s.Stored("nightly")
	if err != nil || len(stored) != 1 || stored[0].State != report.StateDone || time.Since(stored[0].Started) > time.Minute {
		t.Errorf("stored: %+v, %v", stored, err)
	}
}

// TestServeShowsDataWithoutAService: that of a demo needs no flag. A configuration or an address means that jobs are meant
// to run, so that what they lack is an error.
func TestServeShowsDataWithoutAService(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "warehouse"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config config.Config
		want   bool
	}{
		"a demo":               {config.Config{DataDir: dir}, true},
		"no data":              {config.Config{DataDir: filepath.Join(dir, "none")}, false},
		"an address":           {config.Config{DataDir: dir, BaseURL: "https://service.example"}, false},
		"a configuration file": {config.Config{DataDir: dir, File: "fleetlake.yaml"}, false},
	} {
		if got := onlyData(c.config); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
