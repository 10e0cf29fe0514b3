package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page"
)

// screenshots names a directory in the environment that gets a picture of each page that the
// browser test opens, for people to look at.
const screenshots = "FLEETLAKE_SCREENSHOTS"

// TestPageInABrowser opens the status page and the single file over a harvest in both colour
// schemes, on a screen and on a telephone.
func TestPageInABrowser(t *testing.T) {
	b := newBrowser(t)
	w := newWorld(t, simulator.Config{Vessels: 1500, Seed: 5})
	w.configure(1_000_000, "    deadline: 1h\n    lookup: {want: []}\n")
	for day, date := range []string{"2026-11-20", "2026-11-21"} {
		w.sim.SetDay(day)
		if o := w.fleetlake("run", "nightly", "--date", date); o.code != exitDone && o.code != exitPartial {
			t.Fatalf("run: %d %s", o.code, o.stderr)
		}
	}
	data := filepath.Join(w.dir, "fleetlake-data")
	url := servePage(t, data)
	file := "file://" + w.htmlReport(url)
	want := w.pageNumbers()
	vessel := w.rows("SELECT vessel_id AS id FROM vessels WHERE is_vessel AND name IS NOT NULL ORDER BY navigational_status IS NULL, 1 LIMIT 1")[0]["id"]
	lookups := map[string]string{"vessel": "vessel/" + vessel, "search": "search?q=EVER", "list": "list/vessels?flag=PA&sort=name", "changes": "list/reflaggings?snapshot_date=2026-11-21",
		"zone": "zone/china-coast", "fleet": "fleet", "unknown": "search?q=QQQQXX", "forecast": "forecast?job=nightly", "computing": "forecast?job=weekly"}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			name := fmt.Sprintf("%s-%d", scheme, width)
			b.open(t, name, url, scheme, width)
			b.check(t, name, url, scheme, width, want)
			b.checkFilter(t, name, w.number("SELECT count(*) FROM episodes e JOIN "+searched+" ON e.sweep = s.value WHERE s.value = 'moored/china-coast' AND e.last_date = s.night"))
			b.checkFrame(t, name)
			for page, path := range lookups {
				if (scheme == "dark") != (width == 390) { // each page once on each screen, and once in each scheme
					break
				}
				b.open(t, page+"-"+name, url+path, scheme, width)
				b.checkLayout(t, page+"-"+name, url, scheme, width)
			}
			b.open(t, "file-"+name, file, scheme, width)
			b.check(t, "file-"+name, file, scheme, width, want)
		}
	}
}

// servePage serves the page of a data directory, with a run under way.
func servePage(t *testing.T, data string) string {
	t.Helper()
	now := time.Now()
	live := page.Live{Job: "nightly", Date: "2026-11-22", Started: now.Add(-time.Minute), Progress: pipeline.Progress{Phase: "harvest", Credits: 4321, Lanes: []pipeline.LaneProgress{
		{Operation: "by-status", Done: 100, Left: 149, PerMinute: 14.9, Credits: 1000, Remaining: 10 * time.Minute},
		{Operation: "particulars", Done: 10, Left: 90, PerMinute: 49.5, Credits: 10, Remaining: 2 * time.Minute}}}}
	budgets := func(job string) (*page.Forecast, error) {
		if job == "weekly" {
			return nil, nil
		}
		return someBudgets(now), nil
	}
	h, err := page.New(page.Config{Dir: data, Now: time.Now, Forecast: budgets, ForecastJobs: []string{"nightly", "weekly"}, Stop: func() error { return nil }, RunNow: func(string, bool) error { return nil },
		Schedule: func() (page.Schedule, error) {
			return page.Schedule{Live: live, Slots: []page.SlotView{{Job: "nightly", Date: "2026-11-23", At: now.Add(9 * time.Hour), State: "next"},
				{Job: "nightly", Date: "2026-11-19", At: now.Add(-100 * time.Hour), State: "missed", Reason: "no process was waiting"}}}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var preparing sync.WaitGroup
	preparing.Go(func() { h.Prepare(ctx) })
	t.Cleanup(func() { cancel(); preparing.Wait() })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// someBudgets is a forecast with a knee, priors and a score.
func someBudgets(now time.Time) *page.Forecast {
	measure := func(fresh, median float64) forecast.Night {
		return forecast.Night{At: now.AddDate(0, 0, 90), Vessels: 1500, Minutes: 31, Datasets: []forecast.Measure{{Dataset: "particulars", Known: .9 + fresh/10, Fresh: fresh, True: fresh, Median: median, P90: 2 * median, Worst: 3 * median}}}
	}
	f := &page.Forecast{Made: now, Known: true, Configured: forecast.Forecast{Nights: []forecast.Night{measure(.2, 50), measure(.9, 10)}}, Curve: forecast.Curve{Knee: 2}}
	for i, fresh := range []float64{.1, .5, .9, .95, .96} {
		f.Curve.Points = append(f.Curve.Points, forecast.Point{PerRun: 1000 * i, PerMonth: 30_000 * float64(i+1), Fresh: fresh, Known: .9 + fresh/10, True: fresh, Last: measure(fresh, 60*(1-fresh))})
	}
	f.Curve.Points[3].Name, f.Curve.Points[4].Name = "as configured", "no cap"
	f.Priors = []forecast.Prior{{What: "arrivals and departures", Value: "0.0001 and 0.0001 per vessel and day", Source: "assumed"}}
	f.Scores = []forecast.Score{{Made: now.AddDate(0, 0, -7), Nights: 7, Expected: 35_000, Spent: 34_100, Datasets: []forecast.DatasetScore{{Expected: f.Configured.Nights[0].Datasets[0], Shown: f.Configured.Nights[1].Datasets[0]}}}}
	return f
}

// htmlReport saves the report of the latest run from the page into a file.
func (w *world) htmlReport(url string) string {
	w.t.Helper()
	answer, err := http.Get(url + "runs/" + w.rows("SELECT max(run_id) AS id FROM runs")[0]["id"] + "/file")
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		w.t.Fatal(answer.Status, err)
	}
	w.write("report.html", string(text))
	return filepath.Join(w.dir, "report.html")
}

// searched is the latest complete search of each status and zone: what is on the map.
const searched = "(SELECT value, max(snapshot_date) AS night FROM coverage WHERE state = 'complete' GROUP BY value) AS s"

// pageNumbers queries the warehouse for the numbers of the page, by selector.
func (w *world) pageNumbers() map[string]string {
	last := " WHERE run_id = (SELECT max(run_id) FROM runs)"
	n := func(sql string) string { return wording.Count(w.number(sql)) }
	return map[string]string{
		".tile:nth-child(3) b":      n("SELECT credits_spent FROM runs" + last),
		".tile:nth-child(2) span":   n("SELECT count(*) FROM coverage"+last+" AND state = 'complete'") + " of " + n("SELECT count(*) FROM coverage"+last+" AND state <> 'skipped'"),
		".tile:nth-child(4) span":   n("SELECT requests FROM runs"+last) + " requests",
		".tile:nth-child(5) span":   n("SELECT count(*) FROM vessels WHERE listed") + " listed",
		".c-reflagged h3 b":         n("SELECT count(*) FROM reflaggings WHERE snapshot_date = '2026-11-21' AND is_vessel"),
		".c-renamed h3 b":           n("SELECT count(*) FROM renamings WHERE snapshot_date = '2026-11-21' AND is_vessel"),
		".c-arrived h3 b":           n("SELECT count(*) FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE from_date = '2026-11-21'"),
		".c-gone h3 b":              n("SELECT count(*) FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE absent_on = '2026-11-21'"),
		".c-aground h3 b":           n("SELECT count(*) FROM episodes SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE navigational_status = 'aground' AND first_date = '2026-11-21'"),
		"#fleet .lead b":            n("SELECT count(*) FROM vessels WHERE listed AND is_vessel IS NOT false"),
		".ch-credits figcaption b":  n("SELECT credits_spent FROM runs" + last),
		".ch-coverage figcaption b": n("SELECT count(*) FROM coverage"+last+" AND state = 'complete'") + " of ",
		"label[for=f-moored] b":     n("SELECT count(*) FROM episodes e JOIN " + searched + " ON e.sweep = s.value WHERE s.value LIKE 'moored/%' AND e.last_date = s.night"),
	}
}

// browser is a headless chromium that knows no name but this machine's address.
type browser struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string
	problems []string // of the console
}

// newBrowser starts one, or skips the test.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium is installed: the pages are not opened in a browser")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	return b
}

// hear records the requests and the errors of the browser.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprint(e.Type))
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	}
}

// open loads a page, and takes a screenshot if the environment asks for one.
func (b *browser) open(t *testing.T, name, url, scheme string, width int64) {
	t.Helper()
	b.mu.Lock()
	b.requests, b.problems = nil, nil
	b.mu.Unlock()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if dir := os.Getenv(screenshots); dir != "" {
		picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// evaluate runs a script in the page.
func evaluate[T any](t *testing.T, b *browser, js string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return v
}

// check compares the page with the warehouse, and searches it for what must not be there.
func (b *browser) check(t *testing.T, name, url, scheme string, width int64, want map[string]string) {
	t.Helper()
	for selector, number := range want {
		if got := evaluate[string](t, b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'nothing'", selector)); !strings.HasPrefix(strings.ReplaceAll(got, "\u00a0", " "), number) {
			t.Errorf("%s: %s is %q, want %q", name, selector, got, number)
		}
	}
	if got := evaluate[int](t, b, "document.querySelectorAll('.zone').length"); got != 41 {
		t.Errorf("%s: %d zones on the map", name, got)
	}
	b.checkLayout(t, name, url, scheme, width)
}

// checkLayout searches a page for what no page may have.
func (b *browser) checkLayout(t *testing.T, name, url, scheme string, width int64) {
	t.Helper()
	if got := evaluate[int64](t, b, "document.documentElement.scrollWidth"); got > width {
		t.Errorf("%s: %d pixels wide, want at most %d", name, got, width)
	}
	if got := evaluate[bool](t, b, "matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.body).backgroundColor !== 'rgb(244, 245, 241)'"); got != (scheme == "dark") {
		t.Errorf("%s: dark is %v", name, got)
	}
	for _, pale := range evaluate[[]string](t, b, contrastScript) {
		t.Errorf("%s: too little contrast: %s", name, pale)
	}
	for _, bare := range evaluate[[]string](t, b, namelessScript) {
		t.Errorf("%s: without a name for those who do not see it: %s", name, bare)
	}
	if text := evaluate[string](t, b, "document.documentElement.outerHTML"); strings.Contains(text, "planted-key") || strings.Contains(text, os.TempDir()) {
		t.Errorf("%s: the key or a path is on the page", name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		if !strings.HasPrefix(r, url) && !strings.HasPrefix(r, "data:") {
			t.Errorf("%s: asks for %s", name, r)
		}
	}
	if len(b.requests) == 0 {
		t.Errorf("%s: no request was heard", name)
	}
	for _, p := range b.problems {
		t.Errorf("%s: the console says %s", name, p)
	}
}

// checkFilter filters the map by one status; the page has no script.
func (b *browser) checkFilter(t *testing.T, name string, moored int) {
	t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("label[for=f-moored]"))); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := evaluate[string](t, b, "document.querySelector('.z-china-coast .zc').innerText.trim()"); got != wording.Count(moored) {
		t.Errorf("%s: the China Coast has %q moored, want %s", name, got, wording.Count(moored))
	}
}

// checkFrame checks the frame of the live run.
func (b *browser) checkFrame(t *testing.T, name string) {
	t.Helper()
	text := evaluate[string](t, b, "document.querySelector('iframe').contentDocument.body.innerText")
	for _, want := range []string{"nightly is running", "4,321", "14.9", "by-status"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in the frame: %s", name, want, text)
		}
	}
	if cut := evaluate[bool](t, b, "(d => d.scrollHeight > d.clientHeight || d.scrollWidth > d.clientWidth)(document.querySelector('iframe').contentDocument.documentElement)"); cut {
		t.Errorf("%s: the frame is too small for the run", name)
	}
}

// contrastScript lists the texts whose colour is too close to what lies behind them: a ratio
// under 4.5, or under 3 for large letters, as WCAG 2 asks for at level AA.
const contrastScript = `(() => {
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true})
const rgba = c => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255] }
const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1)
const behind = e => { if (!e) return [255, 255, 255, 1]; const c = rgba(getComputedStyle(e).backgroundColor); return c[3] === 1 ? c : over(c, behind(e.parentElement)) }
const light = c => [0.2126, 0.7152, 0.0722].reduce((s, w, i) => { const v = c[i] / 255; return s + w * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4) }, 0)
const bad = []
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
while (texts.nextNode()) {
	const e = texts.currentNode.parentElement
	if (!texts.currentNode.data.trim() || !e.checkVisibility() || e.closest('svg')) continue
	const s = getComputedStyle(e), back = behind(e), front = over(rgba(s.color), back)
	const [a, b] = [light(front), light(back)], ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
	const size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && s.fontWeight >= 700
	if (ratio < (large ? 3 : 4.5)) bad.push(ratio.toFixed(2) + ' ' + texts.currentNode.data.trim().slice(0, 40))
}
return bad
})()`

// namelessScript lists what has no words for a screen reader: controls, frames and drawings
// that are not hidden from it.
const namelessScript = `(() => {
const named = e => (e.textContent || e.getAttribute('aria-label') || e.title || '').trim() || e.labels?.length && [...e.labels].every(l => l.innerText.trim()) || (e.getAttribute('aria-labelledby') || '').split(' ').some(id => document.getElementById(id)?.textContent.trim())
return [...document.querySelectorAll('a, button, input:not([type=hidden]), iframe, [role=img], [role=region], svg:not([aria-hidden=true])')].filter(e => !named(e)).map(e => e.outerHTML.slice(0, 80))
})()`
