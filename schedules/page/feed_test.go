package page

import (
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse/news"
)

// read parses a feed.
func (c client) feed(path string) (f atomFeed) {
	c.t.Helper()
	status, header, body := c.ask("GET", path, nil)
	if err := xml.Unmarshal([]byte(body), &f); err != nil || status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "application/atom+xml") {
		c.t.Fatalf("%s: %d, %v\n%s", path, status, err, body)
	}
	return f
}

// TestTheFeedHasAnEntryForEachNight with the numbers of the tables, under ids that stay.
func TestTheFeedHasAnEntryForEachNight(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	f := c.feed("/changes.atom")
	if len(f.Entries) != 3 || f.Updated != f.Entries[0].Updated || !strings.HasPrefix(f.Entries[2].Title, "2026-11-20: ") {
		t.Fatalf("%+v", f)
	}
	last := f.Entries[0]
	for kind, sql := range map[string]string{
		"reflagged":     "SELECT count(*) FROM reflaggings WHERE snapshot_date = '2026-11-22' AND is_vessel",
		"renamed":       "SELECT count(*) FROM renamings WHERE snapshot_date = '2026-11-22' AND is_vessel",
		"left the list": "SELECT count(*) FROM listed SEMI JOIN (FROM vessels WHERE is_vessel) USING (vessel_id) WHERE absent_on = '2026-11-22'",
	} {
		n := numbers(t, dir, sql)[0]
		if n == 0 || !strings.Contains(last.Title, wording.Count(n)+" "+kind) || !strings.Contains(last.Content.Body, fmt.Sprintf(">%d %s</a>", n, kind)) {
			t.Errorf("%d %s in %q, %s", n, kind, last.Title, last.Content.Body)
		}
	}
	if strings.Contains(f.Entries[2].Title, "aground") {
		t.Errorf("what the first search found is no news: %s", f.Entries[2].Title)
	}
	for _, e := range f.Entries {
		if !strings.HasPrefix(e.Links[0].Href, c.base+"/runs/") || e.ID != "tag:fleetlake,2026:night/"+strings.TrimPrefix(e.Links[0].Href, c.base+"/runs/") {
			t.Errorf("%s leads to %s", e.ID, e.Links[0].Href)
		}
		c.get(strings.TrimPrefix(e.Links[0].Href, c.base))
	}
}

// TestTheFeedOfWatchedVesselsHasNoOthers and names the evidence of each entry.
func TestTheFeedOfWatchedVesselsHasNoOthers(t *testing.T) {
	dir := harvested(t)
	reflagged := texts(t, dir, "SELECT min(vessel_id), min(imo)::VARCHAR FROM reflaggings WHERE imo IS NOT NULL")
	renamed := texts(t, dir, "SELECT vessel_id, v.mmsi FROM renamings JOIN vessels AS v USING (vessel_id) WHERE vessel_id <> '"+reflagged[0]+"' ORDER BY vessel_id LIMIT 1")
	c := open(t, Config{Dir: dir, Watch: []string{reflagged[1], renamed[1], "9999999"}})
	found := map[string]string{}
	ids := map[string]bool{}
	for _, e := range c.feed("/watch.atom").Entries {
		vessel := strings.TrimPrefix(e.Links[0].Href, c.base+"/vessel/")
		found[vessel] += e.Content.Body
		if ids[e.ID] {
			t.Errorf("%s comes twice", e.ID)
		}
		ids[e.ID] = true
	}
	if len(found) != 2 || !strings.Contains(found[reflagged[0]], ": reflagged, ") || !strings.Contains(found[renamed[0]], ": renamed, ") || !strings.Contains(found[renamed[0]], "; from run 2026112") {
		t.Errorf("%v", found)
	}
	if n := len(open(t, Config{Dir: dir}).feed("/watch.atom").Entries); n != 0 {
		t.Errorf("%d entries without a watch list", n)
	}
}

// TestFeedEntriesLeadToWhatTheyAreAbout follows the links of each entry: the night, the vessel, and the list of
// that kind of change, which has as many rows as the entry says.
func TestFeedEntriesLeadToWhatTheyAreAbout(t *testing.T) {
	dir := harvested(t)
	renamed := texts(t, dir, "SELECT vessel_id, v.mmsi FROM renamings JOIN vessels AS v USING (vessel_id) WHERE v.is_vessel AND snapshot_date = '2026-11-22' ORDER BY vessel_id LIMIT 1")
	c := open(t, Config{Dir: dir, Watch: []string{renamed[0]}})
	kinds := map[string]bool{}
	for _, e := range c.feed("/changes.atom").Entries {
		for _, l := range e.Links[1:] {
			kinds[l.Title] = true
			n := regexp.MustCompile(">([0-9]+) " + l.Title + "</a>").FindStringSubmatch(e.Content.Body)
			page := c.get(strings.TrimPrefix(l.Href, c.base))
			if l.Rel != "related" || n == nil || !strings.Contains(e.Content.Body, html.EscapeString(l.Href)) || !regexp.MustCompile(`\b`+n[1]+`\b`).MatchString(page) {
				t.Errorf("%s: %s leads to %s", e.Title, l.Title, l.Href)
			}
		}
	}
	for _, kind := range news.Kinds {
		path := kindList("", kind, "2026-11-22")
		if status, _, _ := c.ask("GET", path, nil); path == "" || status != http.StatusOK {
			t.Errorf("the list of the kind %s, %s: %d", kind, path, status)
		}
	}
	if !kinds["reflagged"] || !kinds["left the list"] {
		t.Errorf("no entry has news of these kinds: %v", kinds)
	}
	watched := c.feed("/watch.atom").Entries
	if len(watched) == 0 {
		t.Fatal("no entry of the watched vessel")
	}
	for _, e := range watched {
		want := []string{"/vessel/" + renamed[0], "/nights/" + e.Updated[:10], "/list/"}
		for i, l := range e.Links {
			path := strings.TrimPrefix(l.Href, c.base)
			if status, _, _ := c.ask("GET", path, nil); !strings.HasPrefix(path, want[i]) || status != http.StatusOK && status != http.StatusSeeOther || !strings.Contains(e.Content.Body, html.EscapeString(l.Href)) {
				t.Errorf("%s: %s leads to %s, %d", e.Title, l.Title, l.Href, status)
			}
		}
	}
}

// TestAFeedBeforeTheFirstNightIsEmpty and no error.
func TestAFeedBeforeTheFirstNightIsEmpty(t *testing.T) {
	c := open(t, Config{Dir: t.TempDir()})
	for _, path := range []string{"/changes.atom", "/watch.atom"} {
		if f := c.feed(path); len(f.Entries) != 0 {
			t.Errorf("%s: %+v", path, f)
		}
	}
}
