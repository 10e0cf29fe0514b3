package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/pagetest"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

func body(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

func TestPageHasTheNumbersOfTheWarehouse(t *testing.T) {
	dir := harvested(t)
	job := pagetest.Nightly
	job.Budget, job.PerMonth = 4000, 20_000
	spending := func() (pipeline.Spending, error) {
		return (&pipeline.Pipeline{Dir: dir, Now: func() time.Time { return morning }}).Spending([]plan.Job{job})
	}
	c := open(t, Config{Dir: dir, Schedule: schedule, Version: "v1.2.3", Caps: Caps{PerRun: 4000, PerMonth: 20000, Floor: 10}, Spending: spending})
	page := strings.ReplaceAll(c.get("/"), "\u00a0", " ")
	one := func(sql string) string {
		t.Helper()
		return wording.Count(numbers(t, dir, sql)[0])
	}
	last := "(SELECT max(run_id) FROM runs)"
	verdict := "Ran, and is complete"
	if doubts := one("SELECT count(*) FROM coverage WHERE state IN ('suspect', 'failed') AND run_id = " + last); doubts != "0" {
		verdict = "Ran, with doubts"
		if !strings.Contains(page, "Not seen whole: "+doubts+" partition") {
			t.Errorf("%s suspect partitions are missing from the page", doubts)
		}
	}
	for what, want := range map[string]string{
		"the verdict":          verdict,
		"the date":             "Sunday 22 November 2026",
		"the credits":          "<b>" + one("SELECT credits_spent FROM runs WHERE run_id = "+last) + "</b>",
		"the partitions":       one("SELECT count(*) FROM coverage WHERE state = 'complete' AND run_id = "+last) + " of " + one("SELECT count(*) FROM coverage WHERE state <> 'skipped' AND run_id = "+last) + " partitions",
		"the requests":         one("SELECT requests FROM runs WHERE run_id = "+last) + " requests",
		"the list":             one("SELECT count(*) FROM vessels WHERE listed") + " listed",
		"the vessels":          "<b>" + one("SELECT count(*) FROM vessels WHERE listed AND is_vessel IS NOT false") + "</b> vessels under <b>" + one("SELECT count(DISTINCT country) FROM vessels WHERE listed AND is_vessel IS NOT false AND flag IS NOT NULL") + "</b> flags",
		"the reflagged":        "<b>" + one("SELECT count(*) FROM reflaggings WHERE snapshot_date = '2026-11-22' AND is_vessel") + "</b> Reflagged",
		"the gone":             "<b>" + one("SELECT count(*) FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE absent_on = '2026-11-22'") + "</b> Gone",
		"the new":              "<b>" + one("SELECT count(*) FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE from_date = '2026-11-22'") + "</b> New",
		"the aground":          "<b>" + one("SELECT count(*) FROM episodes WHERE navigational_status = 'aground' AND first_date = '2026-11-22' AND vessel_id IN (SELECT vessel_id FROM vessels WHERE is_vessel)") + "</b> Aground",
		"the moored":           "Moored <b>" + one("SELECT count(*) FROM episodes WHERE navigational_status = 'moored' AND last_date = '2026-11-22'") + "</b>",
		"the balance":          "<dd>" + one("SELECT balance_after FROM runs WHERE run_id = "+last) + "</dd>",
		"the month":            one("SELECT sum(credits_spent)::BIGINT FROM runs") + " of 20,000",
		"the night":            one("SELECT credits_spent FROM runs WHERE run_id = "+last) + " of 4,000",
		"the slot to come":     "in 18 hours",
		"the slot that failed": "no process was waiting",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: no %q on the page", what, want)
		}
	}
	for _, zone := range api.Zones {
		if !strings.Contains(page, " z-"+zone+" ") {
			t.Errorf("zone %s is not on the map", zone)
		}
	}
	for _, never := range []string{"z-unknown", "<script", "style=", "javascript:", plantedKey, dir} {
		if strings.Contains(page, never) {
			t.Errorf("%q is on the page", never)
		}
	}
	if zones := numbers(t, dir, "SELECT count(*) FROM episodes WHERE navigational_status = 'at-anchor' AND world_zone = 'china-coast' AND last_date = '2026-11-22'"); !strings.Contains(page, fmt.Sprintf(`<span class="only n-at-anchor">%d</span>`, zones[0])) {
		t.Errorf("the tile of the China Coast lacks %d at anchor", zones[0])
	}
}

func TestReportOfARunIsTheSameInOneFile(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	runs, err := w.Runs(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	outside := regexp.MustCompile(`(?i)(src|href|action)="(/|https?:)|url\(|@import|<script|<iframe|<form`)
	for i, r := range runs {
		status, header, text := c.ask("GET", "/runs/"+r.ID+"/file", nil)
		if status != 200 || !strings.Contains(header.Get("Content-Disposition"), r.ID+".html") {
			t.Fatalf("%s: the file to save: %d %v", r.ID, status, header)
		}
		if found := outside.FindString(text); found != "" {
			t.Errorf("%s: the file refers to something else: %s", r.ID, found)
		}
		for _, want := range []string{r.Date, wording.Count(r.CreditsSpent), "Content-Security-Policy", "</html>"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in the file", r.ID, want)
			}
		}
		if now := strings.Contains(text, `id="world"`); now != (i == 0) {
			t.Errorf("%s: the current fleet is on the page: %v", r.ID, now)
		}
		if first := strings.Contains(text, "First night"); first != (i == len(runs)-1) {
			t.Errorf("%s is on the page as the first night: %v", r.ID, first)
		}
		if page := c.get("/runs/" + r.ID); !strings.Contains(page, wording.Count(r.CreditsSpent)) {
			t.Errorf("%s: the page lacks the credits", r.ID)
		}
	}
	for _, id := range []string{"20200101T000000.000Z-0000", "x", "..%2f..%2fetc", "20200101T000000.000Z-0000'--"} {
		if status, _, _ := c.ask("GET", "/runs/"+id, nil); status != http.StatusNotFound {
			t.Errorf("run %q: %d", id, status)
		}
	}
}

func TestPageWithoutAWarehouseIsFriendly(t *testing.T) {
	for what, test := range map[string]struct {
		prepare func(path string) error
		status  int
		want    string
	}{
		"before the first run": {func(string) error { return nil }, 200, "No night yet"},
		"a damaged file":       {func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<16), 0o600) }, 503, "The warehouse"},
		"an empty file":        {func(path string) error { return os.WriteFile(path, nil, 0o600) }, 503, "The warehouse"},
		"a directory":          {func(path string) error { return os.Mkdir(path, 0o700) }, 503, "The warehouse"},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Dir(warehouse.Path(dir)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := test.prepare(warehouse.Path(dir)); err != nil {
			t.Fatal(err)
		}
		c := open(t, Config{Dir: dir, Schedule: schedule, RunNow: func(string, bool) error { return nil }})
		status, _, page := c.ask("GET", "/", nil)
		if status != test.status || !strings.Contains(page, test.want) || !strings.Contains(page, "Run <bdi>nightly</bdi> now") {
			t.Errorf("%s: %d\n%s", what, status, page)
		}
		if strings.Contains(page, dir) {
			t.Errorf("%s: a path is on the page", what)
		}
		if live := c.get("/live"); !strings.Contains(live, "Next: <bdi>nightly</bdi> in 18 hours") {
			t.Errorf("%s: the frame says\n%s", what, live)
		}
	}
}

func TestLiveRunIsOnThePageUntilANewerNightIsPublished(t *testing.T) {
	dir := harvested(t)
	live := Live{Job: "nightly", Date: "2026-11-22", Started: morning.Add(-time.Minute), Progress: pipeline.Progress{Phase: "harvest", Credits: 1234, Cap: 5000,
		Lanes: []pipeline.LaneProgress{{Operation: "by-type", Done: 25, Left: 75, PerMinute: 48.75, Credits: 1234, Remaining: 90 * time.Minute}}}}
	c := open(t, Config{Dir: dir, Schedule: func() (Schedule, error) { return Schedule{Live: live}, nil }, Stop: func() error { return nil }})
	if page := c.get("/"); !strings.Contains(page, "Stop after the requests in flight") || !strings.Contains(page, `class="whole"`) {
		t.Error("the page of a live run lacks its frame or the stop button")
	}
	frame := c.get("/live?whole=1&seen=" + newest(t, dir))
	for _, want := range []string{"25 %", "1,234", "of 5,000", "48.8", "09:30", `content="3"`, "harvest"} {
		if !strings.Contains(frame, want) {
			t.Errorf("no %q in the frame", want)
		}
	}
	if strings.Contains(frame, "newer night") {
		t.Error("the frame announces a newer night")
	}
	live = Live{}
	if frame := c.get("/live?seen=another"); !strings.Contains(frame, "A newer night is published") {
		t.Errorf("the frame says\n%s", frame)
	}
}

func newest(t *testing.T, dir string) string {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	runs, err := w.Runs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return runs[0].ID
}

// TestProbesSayWhyWithoutPaths checks that monitors learn what is wrong, and no path of the
// machine.
func TestProbesSayWhyWithoutPaths(t *testing.T) {
	c := open(t, Config{Dir: "/srv/data", Ready: func() error { return errors.New("open /srv/data/lock: /var/lib/x/y.db: disk full") }})
	if text := c.get("/healthz"); text != "ok\n" {
		t.Errorf("healthz: %q", text)
	}
	status, _, text := c.ask("GET", "/readyz", nil)
	if status != http.StatusServiceUnavailable || text != "open DATA/lock: …/y.db: disk full\n" {
		t.Errorf("readyz: %d %q", status, text)
	}
}

// TestClientsShareWhatIsRead sends many requests at once: the file is read once, and the page is
// rendered once for all of them.
func TestClientsShareWhatIsRead(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	var all sync.WaitGroup
	pages := make([]string, 50)
	for i := range pages {
		all.Go(func() { pages[i] = c.get("/") })
	}
	all.Wait()
	if same := slices.Compact(slices.Clone(pages)); len(same) != 1 {
		t.Errorf("%d different pages", len(same))
	}
	files := &published.Files{Dir: dir}
	defer files.Close()
	s := reportsOf(files)
	a, err := s.Get(t.Context(), "", morning)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if b, err := s.Get(gone, "", morning); err != nil || a != b {
		t.Errorf("the report is read twice: %v", err)
	}
	path := warehouse.Path(dir)
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path+".new", copied, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Get(gone, "", morning); err != nil || a == b {
		t.Errorf("a file that was replaced is not read, or a client that disconnected cancelled the read: %v", err)
	}
}

// TestReadingDoesNotBlockARun opens the published file as a run does, while the page
// has it open, and the other way round.
func TestReadingDoesNotBlockARun(t *testing.T) {
	dir := harvested(t)
	options := warehouse.Options{MemoryMiB: 256, Threads: 1, Confine: []string{}} // as package published opens it
	for range 2 {
		page, err := warehouse.Open(t.Context(), warehouse.Path(dir), options)
		if err != nil {
			t.Fatal(err)
		}
		run, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
		if err != nil {
			t.Fatalf("a run beside the page: %v", err)
		}
		if _, err := run.Targets(t.Context()); err != nil {
			t.Errorf("a run beside the page: %v", err)
		}
		if err := page.Close(); err != nil {
			t.Error(err)
		}
		files := &published.Files{Dir: dir}
		if _, err := reportsOf(files).Get(t.Context(), "", morning); err != nil {
			t.Errorf("the page beside a run: %v", err)
		}
		if err := files.Close(); err != nil {
			t.Error(err)
		}
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSlowClientsCostNothing leaves many clients in the middle of a page that they do not read,
// and requests the page beside them.
func TestSlowClientsCostNothing(t *testing.T) {
	c := open(t, Config{Dir: harvested(t)})
	c.get("/") // the file is read
	address := strings.TrimPrefix(c.base, "http://")
	for range 300 {
		slow, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Close()
		if _, err := fmt.Fprintf(slow, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	for range 20 {
		c.get("/")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("20 pages took %v beside slow clients", took)
	}
}
