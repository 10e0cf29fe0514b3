package page

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestPageInABrowser opens every kind of page in both colour schemes, at the widths of a screen, a tablet and a telephone;
// asks statements; and walks through the pages by the keyboard alone.
func TestPageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes nights")
	}
	b := newBrowser(t)
	dir := harvested(t)
	s := serveInBrowser(t, dir)
	t.Run("numbers", func(t *testing.T) { b.hasItsNumbers(t, s, dir) })
	t.Run("pages", func(t *testing.T) { b.seesPages(t, s, dir) })
	t.Run("lists", func(t *testing.T) { b.fitsLists(t, s) })
	t.Run("statements", func(t *testing.T) { b.asks(t, s) })
	t.Run("keyboard", func(t *testing.T) { b.walks(t, s) })
}

// seen is the page as a browser sees it, with a run under way.
type seen struct {
	url, empty string        // of the page, and of one without a night
	asked      chan string   // each statement that begins
	ended      chan error    // how a slow one ended
	answer     chan struct{} // lets a slow one answer
}

// serveInBrowser serves the pages.
func serveInBrowser(t *testing.T, dir string) *seen {
	t.Helper()
	s := &seen{asked: make(chan string, 100), ended: make(chan error, 1), answer: make(chan struct{})}
	now := time.Now()
	live := Live{Job: "nightly", Date: "2026-11-22", Started: now.Add(-time.Minute), Progress: pipeline.Progress{Phase: "harvest", Credits: 4321,
		Lanes: []pipeline.LaneProgress{
			{Operation: "by-status", Done: 100, Left: 149, PerMinute: 14.9, Credits: 1000, Remaining: 10 * time.Minute},
			{Operation: "particulars", Done: 10, Left: 90, PerMinute: 49.5, Credits: 10, Remaining: 2 * time.Minute}}}}
	config := Config{Dir: dir, ForecastJobs: []string{"nightly", "weekly"},
		Forecast: func(job string) (*Forecast, error) {
			if job == "weekly" {
				return nil, nil
			}
			return someBudgets(now), nil
		},
		Ask: s.ask, Stop: func() error { return nil }, RunNow: func(string, bool) error { return nil },
		Price: func(context.Context, string) (*pipeline.Preview, error) { return &pipeline.Preview{}, nil },
		Schedule: func() (Schedule, error) {
			return Schedule{Live: live, Slots: []SlotView{{Job: "nightly", Date: "2026-11-23", At: now.Add(9 * time.Hour), State: "next"},
				{Job: "nightly", Date: "2026-11-19", At: now.Add(-100 * time.Hour), State: "missed", Reason: "no process was waiting"}}}, nil
		}}
	s.url = open(t, config).base
	config.Dir = t.TempDir()
	s.empty = open(t, config).base
	return s
}

// ask answers statements, of which one is slow and one is wrong.
func (s *seen) ask(ctx context.Context, sql string, tell func(worker.Progress)) (Table, error) {
	s.asked <- sql
	switch {
	case strings.Contains(sql, "slow"):
		tell(worker.Progress{Before: 2})
		select {
		case <-s.answer:
		case <-ctx.Done():
			s.ended <- context.Cause(ctx)
			return Table{}, ctx.Err()
		}
	case strings.Contains(sql, "wrong"):
		return Table{}, errors.New("Parser Error: syntax error at or near \"wrong\"\n\nLINE 2: wrong\n        ^")
	}
	date, n := "2026-11-20", "12345.5"
	return Table{Columns: []TableColumn{{Name: "night", Type: "DATE"}, {Name: "n", Type: "DOUBLE", Number: true}},
		Rows: [][]*string{{&date, &n}, {&date, nil}}, Total: 2}, nil
}

// someBudgets is a forecast with a knee, priors and a score.
func someBudgets(now time.Time) *Forecast {
	measure := func(fresh, median float64) forecast.Night {
		return forecast.Night{At: now.AddDate(0, 0, 90), Vessels: 1500, Minutes: 31, Datasets: []forecast.Measure{{Dataset: "particulars", Known: .9 + fresh/10, Fresh: fresh, True: fresh, Median: median, P90: 2 * median, Worst: 3 * median}}}
	}
	f := &Forecast{Made: now, Known: true, Configured: forecast.Forecast{Nights: []forecast.Night{measure(.2, 50), measure(.9, 10)}}, Curve: forecast.Curve{Knee: 2}}
	for i, fresh := range []float64{.1, .5, .9, .95, .96} {
		f.Curve.Points = append(f.Curve.Points, forecast.Point{PerRun: 1000 * i, PerMonth: 30_000 * float64(i+1), Fresh: fresh, Known: .9 + fresh/10, True: fresh, Last: measure(fresh, 60*(1-fresh))})
	}
	f.Curve.Points[3].Name, f.Curve.Points[4].Name = "as configured", "no cap"
	f.Priors = []forecast.Prior{{What: "arrivals and departures", Value: "0.0001 and 0.0001 per vessel and day", Source: "assumed"}}
	f.Scores = []forecast.Score{{Made: now.AddDate(0, 0, -7), Nights: 7, Expected: 35_000, Spent: 34_100, Datasets: []forecast.DatasetScore{{Expected: f.Configured.Nights[0].Datasets[0], Shown: f.Configured.Nights[1].Datasets[0]}}}}
	return f
}

// kindsOfPages are a page of each kind, by a name.
func kindsOfPages(t *testing.T, s *seen, dir string) map[string]string {
	t.Helper()
	vessel := texts(t, dir, "SELECT vessel_id FROM vessels WHERE is_vessel AND name IS NOT NULL ORDER BY navigational_status IS NULL, 1 LIMIT 1")[0]
	company := url.QueryEscape(texts(t, dir, "SELECT mode(company_after) FROM ownership_changes")[0])
	run := texts(t, dir, "SELECT max(run_id) FROM runs")[0]
	return map[string]string{
		"status": s.url + "/", "frame": s.url + "/live?whole=1", "idle": s.empty + "/live", "empty": s.empty + "/", "run": s.url + "/runs/" + run,
		"vessel": s.url + "/vessel/" + vessel, "search": s.url + "/search?q=star", "nothing": s.url + "/search?q=QQQQXX",
		"lists": s.url + "/list", "list": s.url + "/list/vessels?flag=PA&sort=name", "changes": s.url + "/list/reflaggings",
		"company": s.url + "/company?name=" + company, "zone": s.url + "/zone/china-coast", "fleet": s.url + "/fleet",
		"form": s.url + "/ask", "worked": s.url + "/ask?query=gone_dark", "problem": s.url + "/ask?sql=SELECT%0Awrong",
		"forecast": s.url + "/forecast?job=nightly", "computing": s.url + "/forecast?job=weekly",
		"dictionary": s.url + "/dictionary", "unknown": s.url + "/nowhere",
	}
}

// seesPages looks at every kind of page.
func (b *browser) seesPages(t *testing.T, s *seen, dir string) {
	script, err := os.ReadFile(os.Getenv(axe))
	if err != nil {
		t.Logf("%s names no script of axe-core (npm pack axe-core): whether everybody can use the pages is not judged", axe)
	}
	for name, address := range kindsOfPages(t, s, dir) {
		b.open(t, name, address)
		rules := axeRules(name)
		if err == nil {
			evaluate[chromedp.Void](t, b, string(script))
		}
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 820, 390} {
				at := fmt.Sprintf("%s, %s, %d pixels", name, scheme, width)
				b.look(t, name, scheme, width)
				if got := evaluate[int64](t, b, "document.documentElement.scrollWidth"); got > width {
					t.Errorf("%s: it is %d wide", at, got)
				}
				if got := evaluate[bool](t, b, "getComputedStyle(document.body).backgroundColor === 'rgb(10, 20, 27)'"); name != "dictionary" && !isFrame(name) && got != (scheme == "dark") {
					t.Errorf("%s: dark is %v", at, got)
				}
				if err == nil {
					for _, finding := range evaluate[[]string](t, b, fmt.Sprintf(axeFindings, rules), chromedp.EvalAwaitPromise) {
						t.Errorf("%s: %s", at, finding)
					}
					rules = axeLooks
				}
			}
		}
		b.heardNothing(t, name, address)
	}
}

// fitsLists opens every list on a screen of 1,280 pixels: no column is cut off, no date is broken, and the heads stay.
func (b *browser) fitsLists(t *testing.T, s *seen) {
	b.look(t, "lists", "light", 1280)
	for _, list := range lists.All {
		b.open(t, list.Name, s.url+"/list/"+list.Name)
		fits := evaluate[struct {
			Rows                 int
			Cut, Broken, Scrolls bool
		}](t, b, `(r => ({ Rows: r.querySelectorAll('tbody tr').length, Cut: r.scrollWidth > r.clientWidth,
			Broken: [...r.querySelectorAll('td.short bdi')].some(e => e.getClientRects().length > 1),
			Scrolls: [...r.querySelectorAll('thead th')].some(e => getComputedStyle(e).position !== 'sticky') }))(document.querySelector('.scroll.tall'))`)
		if fits.Cut || fits.Broken || fits.Scrolls {
			t.Errorf("%s: %+v", list.Name, fits)
		}
	}
}

// isFrame reports whether a page is shown in a frame alone: the page around it has the heading, the main part and the colour.
func isFrame(name string) bool { return name == "frame" || name == "idle" }

// axeRules are the rules of axe for the first look at a page: all of them, but for a frame. axeLooks are those whose
// finding another width or scheme can change.
func axeRules(name string) string {
	if isFrame(name) {
		return `rules: {'landmark-one-main': {enabled: false}, 'page-has-heading-one': {enabled: false}, region: {enabled: false}}`
	}
	return `rules: {}`
}

const axeLooks = `runOnly: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable']`

// axeFindings asks axe for what is wrong with the page. Its frame is a page of its own here.
const axeFindings = `axe.run(document, {iframes: false, resultTypes: ['violations'], %s}).then(found =>
	found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120) + ' ' + n.any.map(a => a.message).join()).slice(0, 3).join(' | ')))`

// heardNothing expects that the page asked nobody else for anything, and that nothing was wrong.
func (b *browser) heardNothing(t *testing.T, name, address string) {
	t.Helper()
	text := evaluate[string](t, b, "document.documentElement.outerHTML")
	for _, secret := range []string{plantedKey, "/fleetlake-page-", "TestPageIn"} {
		if before, after, there := strings.Cut(text, secret); there {
			t.Errorf("%s: the key or a path is on the page: %s%s%.100s", name, before[max(0, len(before)-100):], secret, after)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	from, err := url.Parse(address)
	if err != nil || len(b.requests) == 0 {
		t.Errorf("%s: no request was heard, or %v", name, err)
	}
	for _, r := range b.requests {
		if to, err := url.Parse(r); err != nil || to.Host != from.Host && to.Scheme != "data" {
			t.Errorf("%s asks for %s", name, r)
		}
	}
	for _, p := range b.problems {
		if refused := (name == "problem" || name == "unknown") && strings.Contains(p, "status of 40"); !refused {
			t.Errorf("%s: the console says %s", name, p)
		}
	}
}

// hasItsNumbers compares the page and its single file with the warehouse, filters the map, and looks into the frame.
func (b *browser) hasItsNumbers(t *testing.T, s *seen, dir string) {
	run := texts(t, dir, "SELECT max(run_id) FROM runs")[0]
	_, _, text := client{t, s.url}.ask("GET", "/runs/"+run+"/file", nil)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := numbersOfPage(t, dir)
	for name, address := range map[string]string{"page": s.url + "/", "file": "file://" + file} {
		b.open(t, name, address)
		b.look(t, "numbers-"+name, "light", 1280)
		for selector, number := range want {
			got := evaluate[string](t, b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'nothing'", selector))
			if !strings.HasPrefix(strings.ReplaceAll(got, "\u00a0", " "), number) {
				t.Errorf("%s: %s is %q, want %q", name, selector, got, number)
			}
		}
		if got := evaluate[int](t, b, "document.querySelectorAll('.zone').length"); got != 41 {
			t.Errorf("%s: %d zones on the map", name, got)
		}
		moored := numbers(t, dir, "SELECT count(*) FROM episodes e JOIN "+searched+" ON e.sweep = s.value WHERE s.value = 'moored/china-coast' AND e.last_date = s.night")[0]
		if err := chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("label[for=f-moored]"))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := evaluate[string](t, b, "document.querySelector('.z-china-coast .zc').innerText.trim()"); got != wording.Count(moored) {
			t.Errorf("%s: the China Coast has %q moored, want %s", name, got, wording.Count(moored))
		}
		if name == "page" {
			b.seesTheFrame(t)
		}
		b.heardNothing(t, name, address)
	}
}

// seesTheFrame checks the frame of the live run.
func (b *browser) seesTheFrame(t *testing.T) {
	t.Helper()
	text := evaluate[string](t, b, "document.querySelector('iframe').contentDocument.body.innerText")
	for _, want := range []string{"nightly is running", "4,321", "14.9", "by-status"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the frame: %s", want, text)
		}
	}
	if cut := evaluate[bool](t, b, "(d => d.scrollHeight > d.clientHeight || d.scrollWidth > d.clientWidth)(document.querySelector('iframe').contentDocument.documentElement)"); cut {
		t.Error("the frame is too small for the run")
	}
}

// searched is the latest complete search of each status and zone: what is on the map.
const searched = "(SELECT value, max(snapshot_date) AS night FROM coverage WHERE state = 'complete' GROUP BY value) AS s"

// numbersOfPage queries the warehouse for the numbers of the page, by selector.
func numbersOfPage(t *testing.T, dir string) map[string]string {
	t.Helper()
	last := " WHERE run_id = (SELECT max(run_id) FROM runs)"
	n := func(sql string) string { return wording.Count(numbers(t, dir, "SELECT count(*) "+sql)[0]) }
	spent := wording.Count(numbers(t, dir, "SELECT credits_spent FROM runs"+last)[0])
	complete := n("FROM coverage" + last + " AND state = 'complete'")
	return map[string]string{
		".tile:nth-child(3) b":      spent,
		".tile:nth-child(2) span":   complete + " of " + n("FROM coverage"+last+" AND state <> 'skipped'"),
		".tile:nth-child(4) span":   wording.Count(numbers(t, dir, "SELECT requests FROM runs"+last)[0]) + " requests",
		".tile:nth-child(5) span":   n("FROM vessels WHERE listed") + " listed",
		".c-reflagged h3 b":         n("FROM reflaggings WHERE snapshot_date = '2026-11-22' AND is_vessel"),
		".c-renamed h3 b":           n("FROM renamings WHERE snapshot_date = '2026-11-22' AND is_vessel"),
		".c-arrived h3 b":           n("FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE from_date = '2026-11-22'"),
		".c-gone h3 b":              n("FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE absent_on = '2026-11-22'"),
		".c-aground h3 b":           n("FROM episodes SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE navigational_status = 'aground' AND first_date = '2026-11-22'"),
		"#fleet .lead b":            n("FROM vessels WHERE listed AND is_vessel IS NOT false"),
		".ch-credits figcaption b":  spent,
		".ch-coverage figcaption b": complete + " of ",
		"label[for=f-moored] b":     n("FROM episodes e JOIN " + searched + " ON e.sweep = s.value WHERE s.value LIKE 'moored/%' AND e.last_date = s.night"),
	}
}

// asks sends statements: by Ctrl+Enter, one that is slow and waited for or cancelled, and without the script.
func (b *browser) asks(t *testing.T, s *seen) {
	for len(s.asked) > 0 {
		<-s.asked // of the pages that were seen
	}
	write := func(sql string) {
		t.Helper()
		b.open(t, "form", s.url+"/ask")
		if err := chromedp.Do(b.ctx, chromedp.Focus(chromedp.CSS("#sql")), chromedp.KeyEvent(sql)); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		select {
		case got := <-s.asked:
			if got != want {
				t.Errorf("asked %q, want %q", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%q was not asked", want)
		}
	}
	b.look(t, "asks", "light", 1280)

	write("SELECT fast")
	b.press(t, "\r", chromedp.ModifierCtrl)
	expect("SELECT fast")
	b.until(t, "document.querySelector('#answer')?.innerText.startsWith('2 rows')")
	if link := evaluate[string](t, b, "document.querySelector('#answer + p a').getAttribute('href')"); link != "/ask?sql=SELECT+fast" {
		t.Errorf("the link is %q", link)
	}

	write("slow")
	b.press(t, "\r", chromedp.ModifierCtrl)
	expect("slow")
	b.until(t, "document.querySelector('.waits')?.checkVisibility() && document.querySelector('.waits p').innerText.includes('Before it: 2')")
	b.look(t, "waits", "light", 1280)
	s.answer <- struct{}{}
	b.until(t, "document.querySelector('#answer')?.innerText.startsWith('2 rows') && document.readyState === 'complete'")
	if evaluate[bool](t, b, "document.querySelector('.waits').checkVisibility()") {
		t.Error("the page waits beside its answer")
	}

	for _, leave := range []string{"document.querySelector('.waits button').click()", "location.reload()", "location.href = '/list'"} {
		b.open(t, "form", s.url+"/ask")
		evaluate[chromedp.Void](t, b, "document.querySelector('#sql').value = 'slow'; document.querySelector('#sql').form.requestSubmit()")
		expect("slow")
		b.until(t, "document.querySelector('.waits button')")
		evaluate[chromedp.Void](t, b, leave)
		select {
		case <-s.ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s does not end the statement", leave)
		}
		if strings.Contains(leave, "button") {
			b.until(t, "!document.querySelector('.waits') && document.querySelector('#sql')?.value === 'slow'")
		}
		if strings.Contains(leave, "reload") {
			expect("slow")
			b.open(t, "form", s.url+"/ask")
			<-s.ended
		}
	}
	if len(s.asked) > 0 {
		t.Errorf("%q was asked once more", <-s.asked)
	}
	b.asksWithoutScript(t, s)
}

// asksWithoutScript uses the buttons in a browser that runs no script.
func (b *browser) asksWithoutScript(t *testing.T, s *seen) {
	t.Helper()
	off := func(is bool) {
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: is}); err != nil {
			t.Fatal(err)
		}
	}
	off(true)
	defer off(false)
	b.open(t, "form", s.url+"/ask?sql=SELECT+1&edit=1")
	if evaluate[bool](t, b, "document.querySelector('#keys').checkVisibility()") {
		t.Error("the page promises a key that does nothing")
	}
	if err := chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS("form.ask button"))); err != nil {
		t.Fatal(err)
	}
	b.until(t, "document.querySelector('#answer')")
	if got := <-s.asked; got != "SELECT 1" {
		t.Errorf("asked %q", got)
	}
}

// walks from the first page to a sale of an owner's vessel and back, by Tab and Enter alone. What has the focus is always
// seen, and in the window.
func (b *browser) walks(t *testing.T, s *seen) {
	b.look(t, "walk", "light", 1280)
	b.open(t, "walk", s.url+"/")
	for _, step := range []struct{ to, arrives string }{
		{"nav a[href='/list']", "document.querySelector('h1')?.innerText === 'Lists'"},
		{"a[href='/list/ownership_changes']", "location.pathname === '/list/ownership_changes'"},
		{"a[href^='/company']", "location.pathname === '/company'"},
		{"a[href='#sales']", "location.hash === '#sales'"},
		{"section[aria-labelledby=sales] th a", "location.pathname.startsWith('/vessel/')"},
		{"nav a[href='/']", "location.pathname === '/'"},
	} {
		b.tabTo(t, step.to)
		b.press(t, "\r")
		b.until(t, step.arrives+" && document.readyState === 'complete'")
	}
}

// tabTo presses Tab until something has the focus.
func (b *browser) tabTo(t *testing.T, selector string) {
	t.Helper()
	for range 200 {
		b.press(t, "\t")
		at := evaluate[struct {
			There, Shown, Inside bool
			HTML                 string
		}](t, b, fmt.Sprintf(focused, selector))
		if !at.Shown || !at.Inside {
			t.Errorf("the focus is not seen, or not in the window: %s", at.HTML)
		}
		if at.There {
			return
		}
	}
	t.Fatalf("no way to %s by the keyboard", selector)
}

// focused says what has the focus, and whether a person sees that. A frame shows it inside.
const focused = `(e => { const s = getComputedStyle(e), r = e.getBoundingClientRect(); return {
	There: e.matches(%[1]q), HTML: e.outerHTML.slice(0, 120),
	Shown: e === document.body || e.tagName === 'IFRAME' || s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0,
	Inside: e === document.body || r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth } })(document.activeElement)`
