package page

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestAVesselHasItsPage asks for a vessel that was renamed or reflagged by all of its numbers.
func TestAVesselHasItsPage(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir, Scores: func(_ context.Context, vessel string) ([]wording.VesselScore, error) {
		return []wording.VesselScore{{Job: "nightly", When: "looked up tonight, " + vessel}}, nil
	}})
	v := texts(t, dir, `SELECT v.vessel_id, v.imo::VARCHAR, v.mmsi, v.name, o.name, o.mmsi, v.country, o.country FROM vessels AS v
		JOIN registration AS o ON o.vessel_id = v.vessel_id AND o.valid_to IS NOT NULL
		WHERE v.imo IS NOT NULL AND o.flag <> v.flag AND o.mmsi <> v.mmsi ORDER BY v.vessel_id LIMIT 1`)
	if len(v) == 0 {
		t.Fatal("no vessel was reflagged")
	}
	for _, number := range []string{v[0], v[1], v[2], v[5], " " + strings.ToLower(v[0])} {
		page := html.UnescapeString(c.get("/vessel/" + url.PathEscape(number)))
		for what, want := range map[string]string{
			"the name": v[3] + "</bdi></h1>", "the id": v[0] + " · IMO " + v[1], "the flag now": v[6], "the flag before": v[7] + ": ",
			"the timeline": "Who she was when", "the evidence": "by-type country=", "what it cost": " for 10 credits (run ", "the way to the scores": "?tonight=1",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %s: no %q on the page", number, what, want)
			}
		}
		if strings.Contains(page, "looked up tonight") {
			t.Errorf("%s: scored without being asked", number)
		}
	}
	if page := c.get("/vessel/" + v[0] + "?tonight=1"); !strings.Contains(page, "looked up tonight, "+v[0]) {
		t.Error("no scores for tonight")
	}
	if _, header, body := c.ask("GET", "/vessel/"+v[0]+"?format=json", nil); header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"vessel_id": "`+v[0]+`"`) {
		t.Errorf("as JSON: %s", body)
	}
	for _, unknown := range []string{"9999999", "NOBODY", "..%2f..", "%00", "%ff%fe", strings.Repeat("9", 3000), "<script>"} {
		if status, _, body := c.ask("GET", "/vessel/"+unknown, nil); status != http.StatusNotFound || !strings.Contains(body, "No such vessel is known") || strings.Contains(body, "<script>") {
			t.Errorf("%.20q: %d %s", unknown, status, body)
		}
	}
}

// TestAVesselPageSaysThatScoringFails, and shows the vessel's page no less on the next request.
func TestAVesselPageSaysThatScoringFails(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir, Scores: func(context.Context, string) ([]wording.VesselScore, error) {
		return nil, errors.New("the plan failed")
	}})
	id := texts(t, dir, "SELECT min(vessel_id) FROM vessels")[0]
	if status, _, body := c.ask("GET", "/vessel/"+id+"?tonight=1", nil); status != http.StatusServiceUnavailable || !strings.Contains(body, "the plan failed") {
		t.Errorf("%d %s", status, body)
	}
	c.get("/vessel/" + id)
}

// TestSearchFindsVessels by everything that a person may know of one.
func TestSearchFindsVessels(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	one := func(sql string) string {
		t.Helper()
		found := texts(t, dir, sql)
		if len(found) == 0 {
			t.Fatalf("the fleet has no such vessel: %s", sql)
		}
		return found[0]
	}
	renamed := texts(t, dir, "SELECT o.name, o.vessel_id FROM registration AS o JOIN registration AS n ON n.vessel_id = o.vessel_id AND n.valid_to IS NULL WHERE o.valid_to IS NOT NULL AND o.name <> n.name ORDER BY o.vessel_id LIMIT 1")
	if len(renamed) == 0 {
		t.Fatal("no vessel was renamed")
	}
	name := texts(t, dir, "SELECT name, vessel_id FROM vessels WHERE length(name) > 12 AND imo IS NOT NULL ORDER BY vessel_id LIMIT 1")
	for what, s := range map[string]struct{ text, id, why string }{
		"its name":                  {name[0], name[1], ""},
		"its name in lower case":    {"  " + strings.ToLower(name[0]) + " ", name[1], ""},
		"the beginning of its name": {name[0][:9], name[1], ""},
		"a name that is nearly its": {name[0][:4] + name[0][5:], name[1], ""},
		"a name with underscores":   {strings.ReplaceAll(name[0], " ", "_"), name[1], ""},
		"an old name":               {renamed[0], renamed[1], "was " + renamed[0]},
		"a call sign":               {one("SELECT callsign FROM vessels WHERE callsign IS NOT NULL ORDER BY vessel_id"), one("SELECT vessel_id FROM vessels WHERE callsign IS NOT NULL ORDER BY vessel_id"), "call sign"},
	} {
		page := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(html.UnescapeString(c.get("/search?q=" + url.QueryEscape(s.text))))
		if !strings.Contains(page, `href="/vessel/`+s.id+`"`) || !strings.Contains(page, s.why) {
			t.Errorf("%s, %q: no %s (%s) in\n%s", what, s.text, s.id, s.why, page)
		}
	}
	for what, text := range map[string]string{"an IMO number": strings.TrimPrefix(name[1], "IMO"), "an id": name[1], "an MMSI": one("SELECT mmsi FROM vessels WHERE vessel_id = '" + name[1] + "'")} {
		if status, header, _ := c.ask("GET", "/search?q="+text, nil); status != http.StatusSeeOther || header.Get("Location") != "/vessel/"+name[1] {
			t.Errorf("%s: %d to %q", what, status, header.Get("Location"))
		}
	}
	for what, text := range map[string]string{"nothing like it": "QQQQXXXX", "signs of LIKE": "%%%%", "a quote": "'; --", "a script": "<script>alert(1)</script>", "a long text": strings.Repeat("x", 5000), "bad UTF-8": "\xff\xfe", "a NUL": "\x00"} {
		if body := c.get("/search?q=" + url.QueryEscape(text)); strings.Contains(body, "<script>") || strings.Contains(body, "<td>name</td>") {
			t.Errorf("%s: %s", what, body)
		}
	}
}

// TestNoSimilarNameIsLeftOutByItsLength compares all names with each other: the search compares letters only
// where lengths allow it, and must find what it would find without that.
func TestNoSimilarNameIsLeftOutByItsLength(t *testing.T) {
	const pairs = "FROM (SELECT DISTINCT name FROM registration WHERE length(name) >= 4) AS a, (SELECT DISTINCT name FROM registration UNION SELECT name[:5] FROM registration UNION SELECT name || '/' || name FROM registration) AS b WHERE jaro_winkler_similarity(b.name, a.name) >= 0.92"
	found := numbers(t, harvested(t), "SELECT count(*), count(*) FILTER (5 * length(b.name) >= 3 * length(a.name) AND 3 * length(b.name) <= 5 * length(a.name)), count(*) FILTER (length(b.name) <> length(a.name)) "+pairs)
	if found[0] != found[1] || found[2] == 0 {
		t.Errorf("%d pairs are similar, %d of other lengths; the lengths allow %d", found[0], found[2], found[1])
	}
}

// TestAShortTextIsTheBeginningOfAName searches for two letters and for three: only from three on does a
// text find names that have it within them.
func TestAShortTextIsTheBeginningOfAName(t *testing.T) {
	dir := harvested(t)
	for text, condition := range map[string]string{"EA": "starts_with(name, 'EA')", "EAR": "contains(name, 'EAR')"} {
		v := SearchView{Text: text}
		if err := published.Read(t.Context(), warehouse.Path(dir), v.search); err != nil {
			t.Fatal(err)
		}
		want := numbers(t, dir, "SELECT count(DISTINCT coalesce(a.vessel_id, r.vessel_id)) FROM registration AS r LEFT JOIN vessel_aliases AS a ON a.alias_id = r.vessel_id AND a.until IS NULL WHERE "+condition)[0]
		if v.Total != want || want == 0 {
			t.Errorf("%s: %d vessels, want %d", text, v.Total, want)
		}
	}
}

// links finds the addresses of our own pages in a page.
var links = regexp.MustCompile(`(?:href|src)="(/[^"]*|\?[^"]*)"`)

// TestEveryLinkLeadsToAPage follows the links of the status page and of the pages behind them, a few of
// each kind.
func TestEveryLinkLeadsToAPage(t *testing.T) {
	c := open(t, Config{Dir: harvested(t)})
	numbered := regexp.MustCompile(`[A-Z]*\d[^/]*`)
	kind := func(path string) string {
		path, _, _ = strings.Cut(path, "?")
		return numbered.ReplaceAllString(path, "")
	}
	const ofAKind = 5
	seen, kinds := map[string]bool{}, map[string]int{}
	queue := []string{"/"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] || kinds[kind(path)] >= ofAKind {
			continue
		}
		seen[path] = true
		kinds[kind(path)]++
		status, header, body := c.ask("GET", path, nil)
		if status == http.StatusSeeOther {
			queue = append(queue, header.Get("Location"))
			continue
		}
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		if strings.HasSuffix(path, "/file") {
			continue
		}
		for _, found := range links.FindAllStringSubmatch(body, -1) {
			to, err := url.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			if to, err = to.Parse(html.UnescapeString(found[1])); err != nil {
				t.Fatal(err)
			}
			queue = append(queue, to.RequestURI())
		}
	}
	if len(kinds) < 10 {
		t.Errorf("only %d kinds of pages: %v", len(kinds), kinds)
	}
}

// counted matches a number on the status page that leads to its list.
var counted = regexp.MustCompile(`(?s)href="(/list/[^"]+)">(?:<b>([\d,]+)</b>|<bdi>[^<]*</bdi></a></span></th><td class="barcell">.{1,300}?<td class="num">([\d,]+)</td>)`)

// TestNumbersAreThoseOfTheirLists compares each number of the status page with the length of its list.
func TestNumbersAreThoseOfTheirLists(t *testing.T) {
	c := open(t, Config{Dir: harvested(t)})
	all := counted.FindAllStringSubmatch(c.get("/"), -1)
	if len(all) < 20 {
		t.Fatalf("%d numbers lead to lists", len(all))
	}
	for _, found := range all {
		list := html.UnescapeString(found[1])
		body := c.get(list)
		want := " of " + found[2] + found[3] + "</b>"
		if found[2]+found[3] == "0" {
			want = "No row"
		}
		if !strings.Contains(body, want) {
			_, rest, _ := strings.Cut(body, `<p class="anywhere"><b>`)
			t.Errorf("%s: %s%s on the page, the list says %.40s", list, found[2], found[3], rest)
		}
	}
}

// TestListsAreSortedFilteredAndPaged by what their addresses say.
func TestListsAreSortedFilteredAndPaged(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	total := wording.Count(numbers(t, dir, "SELECT count(*) FROM vessels")[0])
	for path, want := range map[string]string{
		"/list/vessels":                          "1 to 50 of " + total,
		"/list/vessels?page=2":                   "51 to 100 of " + total,
		"/list/vessels?sort=vessel_id":           texts(t, dir, "SELECT min(vessel_id) FROM vessels")[0],
		"/list/vessels?sort=vessel_id&down=1":    texts(t, dir, "SELECT max(vessel_id) FROM vessels")[0],
		"/list/vessels?flag=ZZ":                  "No row",
		"/list/vessels?year_built=":              " of " + wording.Count(numbers(t, dir, "SELECT count(*) FROM vessels WHERE year_built IS NULL")[0]),
		"/list/vessels?year_built.from=2020":     " of " + wording.Count(numbers(t, dir, "SELECT count(*) FROM vessels WHERE year_built >= 2020")[0]),
		"/list/vessels?first_seen.to=2026-11-21": " of " + wording.Count(numbers(t, dir, "SELECT count(*) FROM vessels WHERE first_seen <= '2026-11-21 00:00:00+00'")[0]),
		"/list/coverage?state=complete":          " of " + wording.Count(numbers(t, dir, "SELECT count(*) FROM coverage WHERE state = 'complete'")[0]),
	} {
		if body := c.get(path); !strings.Contains(body, want) {
			t.Errorf("%s: no %q in\n%s", path, want, body)
		}
	}
	for path, want := range map[string]int{
		"/list/nothing": 404, "/list/duckdb_settings": 404, "/list/vessels?nothing=1": 400, "/list/vessels?sort=nothing": 400, "/list/vessels?page=0": 400, "/list/vessels?page=200": 200, "/list/vessels?page=201": 400,
		"/list/vessels?page=-1": 400, "/list/vessels?year_built=many": 400, "/list/vessels?flag=%00": 400, "/list/vessels?flag=" + strings.Repeat("x", 500): 400,
		"/list/vessels?name.like=a": 400, "/list/vessels?name=%27%20OR%201=1%20--": 200, "/nights/2026-13-01": 404, "/nights/2020-01-01": 404, "/nights/2026-11-21": 303,
	} {
		if status, _, body := c.ask("GET", path, nil); status != want || strings.Contains(body, dir) {
			t.Errorf("%s: %d, want %d: %s", path, status, want, body)
		}
	}
}

// TestZonesAndTheFleetOverTheNights compares the newest number of each picture with the tables, and leaves a
// gap where a night did not search.
func TestZonesAndTheFleetOverTheNights(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	zone := c.get("/zone/china-coast")
	for title, status := range map[string]string{"At anchor": "at-anchor", "Moored": "moored"} {
		n := wording.Count(numbers(t, dir, "SELECT vessels FROM zone_daily WHERE is_vessel AND world_zone = 'china-coast' AND navigational_status = '"+status+"' AND snapshot_date = '2026-11-22'")[0])
		if !strings.Contains(zone, "<span>"+title+"</span><b><a href=\"/list/episodes?is_vessel=true&amp;navigational_status="+status+"&amp;world_zone=china-coast\">"+n+"</a>") {
			t.Errorf("%s: no %s in %s", title, n, zone)
		}
	}
	if n := strings.Count(zone, "<polyline"); n != 2 {
		t.Errorf("%d lines for two statuses that every night searched", n)
	}
	fleet := c.get("/fleet")
	for title, where := range map[string]string{"All vessels": "true", "tanker": "category = 'tanker'", "Panama": "flag = 'PA'"} {
		n := wording.Count(numbers(t, dir, "SELECT sum(listed)::INTEGER FROM fleet_daily WHERE is_vessel AND snapshot_date = '2026-11-22' AND "+where)[0])
		if !regexp.MustCompile(`<span>` + title + `</span><b><a href="[^"]*">` + n + `</a>`).MatchString(fleet) {
			t.Errorf("%s: no %s in %s", title, n, fleet)
		}
	}
	for path, want := range map[string]int{"/zone/nowhere": 404, "/zone/..%2f": 404} {
		if status, _, _ := c.ask("GET", path, nil); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// TestWhatIsUsualComesFromTheNightsBefore and is not said of too few of them.
func TestWhatIsUsualComesFromTheNightsBefore(t *testing.T) {
	s := Series{Points: []SeriesPoint{{Value: 4, Known: true}, {Value: 8, Known: true}, {}, {Value: 6, Known: true}, {Value: 90, Known: true}, {Value: 1, Known: true}}}
	s.addUsual()
	for i, want := range []*Usual{nil, nil, nil, nil, {5, 6, 7}, {5.5, 7, 28.5}} {
		if got := s.Points[i].Usual; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("night %d: %v, want %v", i, got, want)
		}
	}
	c := lineChart("x", s)
	if len(c.Lines) != 2 || len(c.Bands) != 1 || len(c.Dots) != 5 || c.Value != "1" || c.Top != "100" {
		t.Errorf("%+v", c)
	}
}

// TestWhoWaitsIsAskedForSomeNights: a night is a date, and a list of three nights says nothing of earlier ones.
func TestWhoWaitsIsAskedForSomeNights(t *testing.T) {
	c := open(t, Config{Dir: harvested(t)})
	if status, _, body := c.ask("GET", "/list/zone_congestion?snapshot_date=yesterday", nil); status != 400 || !strings.Contains(body, "want a date such as") {
		t.Errorf("%d %s", status, body)
	}
	if body := c.get("/list/zone_congestion"); !strings.Contains(body, "1 to 50 of ") || strings.Contains(body, "Earlier nights") {
		t.Error(body)
	}
}
