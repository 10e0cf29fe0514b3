package page

import (
	"compress/gzip"
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestOneNavigationStandsOnEveryPage, and marks where one is.
func TestOneNavigationStandsOnEveryPage(t *testing.T) {
	dir := harvested(t)
	vessel := texts(t, dir, "SELECT min(vessel_id) FROM vessels")[0]
	c := open(t, Config{Dir: dir, Ask: func(context.Context, string, func(worker.Progress)) (Table, error) { return Table{}, nil },
		Forecast: func(string) (*Forecast, error) { return nil, nil }, ForecastJobs: []string{"nightly"}})
	for path, here := range map[string]string{"/": "/", "/fleet": "/fleet", "/zone/north-sea": "/fleet", "/list": "/list", "/list/vessels": "/list",
		"/search?q=star": "/list", "/vessel/" + vessel: "/list", "/ask": "/ask", "/forecast": "/forecast"} {
		body := c.get(path)
		for _, link := range []string{"/", "/fleet", "/list", "/forecast", "/ask", "/dictionary"} {
			mark := ""
			if link == here {
				mark = ` aria-current="page"`
			}
			if !strings.Contains(body, `<a href="`+link+`"`+mark+`>`) {
				t.Errorf("%s: no link to %s%s", path, link, mark)
			}
		}
	}
	if _, _, body := c.ask("GET", "/nowhere", nil); !strings.Contains(body, `<nav aria-label="Pages">`) {
		t.Error("the page that there is not has no navigation")
	}
}

// TestTheIndexLeadsToEveryList, and every list stands in one of its groups.
func TestTheIndexLeadsToEveryList(t *testing.T) {
	c := open(t, Config{Dir: harvested(t)})
	index := c.get("/list")
	for _, l := range lists.All {
		if strings.Count(index, `<a href="/list/`+l.Name+`">`) != 1 {
			t.Errorf("the index does not lead to %s", l.Name)
		}
		c.get("/list/" + l.Name)
	}
}

// TestFacetsCountTheRowsThatTheyLeadTo.
func TestFacetsCountTheRowsThatTheyLeadTo(t *testing.T) {
	c := open(t, Config{Dir: harvested(t)})
	facet := regexp.MustCompile(`<a href="(\?[^"]*)"><bdi>[^<]*</bdi> <span class="quiet">([\d,]+)</span></a>`)
	for _, path := range []string{"/list/vessels", "/list/vessels?listed=true&flag=PA", "/list/arrivals", "/list/coverage?state=complete"} {
		all := facet.FindAllStringSubmatch(c.get(path), -1)
		if len(all) < 3 {
			t.Errorf("%s has %d facets", path, len(all))
		}
		for _, one := range all[:min(len(all), 12)] {
			query, _ := url.ParseQuery(html.UnescapeString(one[1])[1:])
			if to := c.get("/list/" + strings.Split(strings.TrimPrefix(path, "/list/"), "?")[0] + "?" + query.Encode()); !strings.Contains(to, " of "+one[2]+"</b>") {
				t.Errorf("%s: %s does not have %s rows", path, one[1], one[2])
			}
		}
	}
}

// TestAFormOfFiltersMakesAnAddress without its empty fields, of columns that are chosen and texts that are contained.
func TestAFormOfFiltersMakesAnAddress(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	name := texts(t, dir, "SELECT min(name) FROM vessels WHERE length(name) > 5")[0]
	part := strings.ToLower(name[1:5])
	status, h, _ := c.ask("GET", "/list/vessels?form=1&show=vessel_id&show=name&name.has="+url.QueryEscape(part)+"&flag.has=&year_built.from=&year_built.to=", nil)
	want := "/list/vessels?name.has=" + url.QueryEscape(part) + "&show=vessel_id&show=name"
	if status != http.StatusSeeOther || h.Get("Location") != want {
		t.Fatalf("%d, %q, want %q", status, h.Get("Location"), want)
	}
	body := c.get(want)
	n := numbers(t, dir, "SELECT count(*) FROM vessels WHERE contains(lower(name), '"+part+"')")[0]
	if !strings.Contains(body, fmt.Sprintf(" of %d</b>", n)) || strings.Count(body, `<th scope="col"`) != 2 || n == 0 {
		t.Errorf("%d rows expected:\n%.2000s", n, body)
	}
	if status, _, _ := c.ask("GET", "/list/vessels?show=password", nil); status != http.StatusBadRequest {
		t.Errorf("a column that there is not: %d", status)
	}
}

// TestASearchIsReadPageByPage, with what was found marked.
func TestASearchIsReadPageByPage(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	first := c.get("/search?q=star")
	total := regexp.MustCompile(`1 to 50 of ([\d,]+)</b>`).FindStringSubmatch(first)
	if total == nil || !strings.Contains(first, "<mark>STAR</mark>") || !strings.Contains(first, `<a href="?page=2&amp;q=STAR" rel="next">`) {
		t.Fatalf("%.3000s", first)
	}
	seen := map[string]bool{}
	for page := 1; page < 10; page++ {
		for _, m := range regexp.MustCompile(`href="/vessel/([^"]*)"`).FindAllStringSubmatch(c.get(fmt.Sprintf("/search?q=star&page=%d", page)), -1) {
			if seen[m[1]] {
				t.Errorf("%s is on two pages", m[1])
			}
			seen[m[1]] = true
		}
	}
	if got := fmt.Sprint(len(seen)); got != total[1] {
		t.Errorf("%s vessels on the pages, of %s", got, total[1])
	}
	if status, _, _ := c.ask("GET", "/search?q=star&page=0", nil); status != http.StatusBadRequest {
		t.Errorf("page 0: %d", status)
	}
}

// TestACompanyHasHerFleet: the vessels that name it, under their flags, and an owner on a vessel's page leads there.
func TestACompanyHasHerFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes nights")
	}
	dir := pipelinetest.TwoNights(t)
	c := open(t, Config{Dir: dir})
	name := texts(t, dir, "SELECT mode(registered_owner) FROM management")[0]
	vessel := texts(t, dir, "SELECT min(vessel_id) FROM management WHERE registered_owner = '"+name+"' AND valid_to IS NULL")[0]
	facts := numbers(t, dir, "SELECT vessels, owned, managed FROM companies WHERE name = '"+name+"'")
	link := `<a href="/company?name=` + strings.ReplaceAll(url.QueryEscape(name), "+", "&#43;")
	if body := c.get("/vessel/" + vessel); !strings.Contains(body, link) {
		t.Errorf("no %s on the page of %s", link, vessel)
	}
	body := c.get("/company?name=" + url.QueryEscape(name))
	want := fmt.Sprintf("%d vessels on the list: owner of %d, manager of %d.", facts[0], facts[1], facts[2])
	if !strings.Contains(body, want) || !strings.Contains(body, `<a href="/vessel/`+vessel+`">`) {
		t.Errorf("%s expected:\n%.2000s", want, body)
	}
	id := texts(t, dir, "SELECT company_id FROM company_names WHERE name = '"+name+"'")[0]
	if other := c.get("/company?name=" + url.QueryEscape(id)); !strings.Contains(other, want) || !strings.Contains(other, "<bdi>"+name+"</bdi></h1>") {
		t.Errorf("by %s: %.2000s", id, other)
	}
	for path, want := range map[string]int{"/company?name=NOBODY+AT+ALL": http.StatusNotFound, "/company": http.StatusBadRequest, "/company?name=%00": http.StatusBadRequest} {
		if status, _, _ := c.ask("GET", path, nil); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
}

// TestASettledPageIsNotSentTwice: a browser that has it is told so, until another version is published.
func TestASettledPageIsNotSentTwice(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	_, h, _ := c.ask("GET", "/list/vessels", nil)
	tag := h.Get("ETag")
	again := func(r *http.Request) { r.Header.Set("If-None-Match", `"other", `+tag) }
	if status, _, body := c.ask("GET", "/list/vessels", again); status != http.StatusNotModified || body != "" || tag == "" {
		t.Errorf("%d, %q: %.100s", status, tag, body)
	}
	if status, h, _ := c.ask("GET", "/list/vessels?page=0", nil); status != http.StatusBadRequest || h.Get("ETag") != "" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("an error is kept: %d, %v", status, h)
	}
	path := warehouse.Path(dir)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := c.ask("GET", "/list/vessels", again); status != http.StatusOK {
		t.Errorf("another version: %d", status)
	}
	if _, h, _ := c.ask("GET", "/", nil); h.Get("ETag") != "" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("the status page is kept: %v", h)
	}
}

// TestPagesAreCompressed for who accepts it, and answers of statements are not: one that is cut off must not look whole.
func TestPagesAreCompressed(t *testing.T) {
	c := open(t, Config{Dir: harvested(t), Ask: func(context.Context, string, func(worker.Progress)) (Table, error) { return Table{}, nil }})
	plain := c.get("/list/vessels")
	request, err := http.NewRequest("GET", c.base+"/list/vessels", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	packed, err := io.ReadAll(answer.Body)
	if err != nil || answer.Header.Get("Content-Encoding") != "gzip" || 3*len(packed) > len(plain) {
		t.Fatalf("%d bytes of %d, %v, %v", len(packed), len(plain), answer.Header, err)
	}
	reader, err := gzip.NewReader(strings.NewReader(string(packed)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(reader); err != nil || string(text) != plain {
		t.Errorf("another page: %v", err)
	}
	if _, h, _ := c.ask("GET", "/ask", func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") }); h.Get("Content-Encoding") != "" {
		t.Error("the form of statements is compressed")
	}
}

// TestAnEmptyDirectorySaysWhatWillHappen, when, and what it costs.
func TestAnEmptyDirectorySaysWhatWillHappen(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir(), Schedule: schedule, RunNow: func(string, bool) error { return nil },
		Price: func(_ context.Context, job string) (*pipeline.Preview, error) {
			return &pipeline.Preview{Job: job, Credits: journal.Price{Expected: 2490, Most: 5000}}, nil
		}})
	body := c.get("/")
	for _, want := range []string{"Mon 23 Nov, 02:00", "about 2,490 credits, and 5,000 at most", "fleetlake demo", "fleetlake serve --no-jobs --data fleetlake-demo"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q:\n%s", want, body)
		}
	}
}

// TestRunNowSaysItsPrice before it is pressed, with and without a night, and that it is not known; nothing while a run is
// under way, which changes it.
func TestRunNowSaysItsPrice(t *testing.T) {
	price := func(_ context.Context, job string) (*pipeline.Preview, error) {
		return &pipeline.Preview{Job: job, Credits: journal.Price{Expected: 2490, Most: 5000}}, nil
	}
	fails := func(context.Context, string) (*pipeline.Preview, error) { return nil, io.ErrUnexpectedEOF }
	const button, known, unknown = "<bdi>nightly</bdi> now</button> ", `<span class="quiet">about 2,490 credits, and 5,000 at most</span>`, `<span class="quiet">the price is not known</span>`
	for name, test := range map[string]struct {
		dir   string
		price func(context.Context, string) (*pipeline.Preview, error)
		live  string
		want  string
	}{
		"a night":         {harvested(t), price, "", known},
		"no night":        {t.TempDir(), price, "", known},
		"a failure":       {t.TempDir(), fails, "", unknown},
		"nobody to ask":   {t.TempDir(), nil, "", unknown},
		"a run under way": {t.TempDir(), price, "nightly", `<span class="quiet"></span>`},
	} {
		c := open(t, Config{Dir: test.dir, Price: test.price, RunNow: func(string, bool) error { return nil },
			Schedule: func() (Schedule, error) { return Schedule{Slots: slots(), Live: Live{Job: test.live}}, nil }})
		if body := c.get("/"); !strings.Contains(body, button+test.want) {
			t.Errorf("%s: no %s", name, button+test.want)
		}
	}
}

// TestAForecastShowsItselfWhenItIsReady: until then its page asks again by itself.
func TestAForecastShowsItselfWhenItIsReady(t *testing.T) {
	ready := false
	c := open(t, Config{Dir: t.TempDir(), ForecastJobs: []string{"nightly"}, Forecast: func(string) (*Forecast, error) {
		if !ready {
			return nil, nil
		}
		return &Forecast{}, io.ErrUnexpectedEOF
	}})
	const again = `<meta http-equiv="refresh"`
	if body := c.get("/forecast"); !strings.Contains(body, again) || !strings.Contains(body, "<progress") {
		t.Errorf("%s", body)
	}
	ready = true
	if body := c.get("/forecast"); strings.Contains(body, again) {
		t.Errorf("it asks again for ever: %s", body)
	}
}

// TestNumbersOfAnAnswerAreForPeople, and what is no number stays as it came.
func TestNumbersOfAnAnswerAreForPeople(t *testing.T) {
	for text, want := range map[string]string{"1234567": "1,234,567", "-1234567.5": "-1,234,567.5", "2026": "2026", "1.5e6": "1,500,000", "1e300": "1e300",
		"0.000123": "0.000123", "127631.66666666667": "127,631.67", "0.1234567891": "0.1234567891", "inf": "inf", "NaN": "NaN", "": "", "12345678901234567890123": "12345678901234567890123"} {
		if got := shown.Number(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	v := AskView{Answer: &Table{Columns: []TableColumn{{Name: "n", Number: true}, {Name: "path"}}}}
	if got := v.Cell(1, "/a/path/of/a/person"); got != "/a/path/of/a/person" {
		t.Errorf("a text is changed: %q", got)
	}
}

// TestChartsOfAnswersKeepDecimals: 0.5 is no 0.
func TestChartsOfAnswersKeepDecimals(t *testing.T) {
	cell := func(s string) *string { return &s }
	v := AskView{Answer: &Table{Total: 2, Columns: []TableColumn{{Name: "night", Type: "DATE"}, {Name: "share", Number: true}},
		Rows: [][]*string{{cell("2026-11-20"), cell("0.25")}, {cell("2026-11-21"), cell("0.5")}}}}
	v.draw()
	if v.Line == nil || v.Line.Value != "0.5" || !strings.Contains(v.Line.Lines[0], ",75.00 ") || !strings.HasSuffix(v.Line.Lines[0], ",50.00") {
		t.Errorf("%+v", v.Line)
	}
}

// TestAMapHasEveryPositionOnce, in its cell, and that of a zone is around it; a map without vessels is none.
func TestAMapHasEveryPositionOnce(t *testing.T) {
	dir := harvested(t)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	m, err := mapOf(t.Context(), w, "", "the fleet")
	want := numbers(t, dir, "SELECT count(*) FROM vessels WHERE listed AND is_vessel AND latitude IS NOT NULL")[0]
	if err != nil || m == nil && want > 0 {
		t.Fatalf("%v, %v", m, err)
	}
	if none, err := mapOf(t.Context(), w, "nowhere", "the zone"); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
	if m == nil {
		return
	}
	total := 0
	for _, c := range m.Cells {
		total += c.Count
	}
	if total != want {
		t.Errorf("%d positions on the map, of %d", total, want)
	}
}

// TestAFailedRepeatDoesNotHideTheNight that it repeats: it stands, and the page says what happened since.
func TestAFailedRepeatDoesNotHideTheNight(t *testing.T) {
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	run := func(id, state, reason string, hours int, complete int) warehouse.Run {
		begun := at.Add(time.Duration(hours) * time.Hour)
		return warehouse.Run{ID: id, Job: "nightly", Date: "2026-11-20", State: state, Reason: reason, Started: begun, Finished: begun.Add(time.Hour),
			Report: fmt.Sprintf(`{"coverage": {"complete": %d}}`, complete)}
	}
	runs := []warehouse.Run{run("b", "partial", "the service was away", 5, 3), run("a", "done", "", 0, 40)}
	all, err := nights(runs, nil)
	if err != nil || len(all) != 1 || all[0].State != "done" || all[0].Complete() != 40 || all[0].Requests != 0 || len(all[0].Runs) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	v := verdictOf(all[0])
	if v.Level != "warn" || !strings.HasPrefix(v.Title, "Ran, and is complete") || !strings.Contains(v.Lines[0], "Fri 20 Nov, 07:00 is partial: the service was away.") {
		t.Errorf("%+v", v)
	}
	all, err = nights(append([]warehouse.Run{run("c", "done", "", 9, 41)}, runs...), nil)
	if err != nil || all[0].Complete() != 41 || len(all[0].Repeats) > 0 || verdictOf(all[0]).Level != "good" {
		t.Errorf("after a good repeat: %+v, %v", all, err)
	}
}
