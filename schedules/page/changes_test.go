package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse/news"
)

// changes reads the change feed.
func (c client) changes(since string) (lines []news.Line) {
	c.t.Helper()
	status, header, body := c.ask("GET", "/changes.ndjson?since="+url.QueryEscape(since), nil)
	if status != http.StatusOK || header.Get("Content-Type") != "application/x-ndjson" {
		c.t.Fatalf("since %s: %d, %v: %s", since, status, header, body)
	}
	for text := range strings.Lines(body) {
		var l news.Line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			c.t.Fatalf("%v: %s", err, text)
		}
		lines = append(lines, l)
	}
	return lines
}

// TestProgramsFollowTheChanges reads the change feed of three nights: each night with its news, no id twice, and nothing
// after the end until more is published.
func TestProgramsFollowTheChanges(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	all := c.changes("2026-11-20")
	var nights []string
	renamed, ids := 0, map[string]bool{}
	for _, l := range all {
		if ids[l.ID] || l.ID == "" {
			t.Errorf("the id %q again", l.ID)
		}
		ids[l.ID] = true
		switch {
		case l.Kind == news.KindNight:
			nights = append(nights, l.Night+" "+l.Verdict)
		case l.Kind == "renamed":
			renamed++
		}
		if l.Kind != news.KindEnd && !strings.HasPrefix(nights[len(nights)-1], l.Night) {
			t.Errorf("%+v after the night %s", l, nights[len(nights)-1])
		}
	}
	if want := texts(t, dir, "SELECT DISTINCT strftime(snapshot_date, '%Y-%m-%d') || ' ' || verdict FROM night_verdicts SEMI JOIN runs USING (snapshot_date) ORDER BY 1"); strings.Join(nights, ",") != strings.Join(want, ",") {
		t.Errorf("nights %q, want %q", nights, want)
	}
	if want := numbers(t, dir, "SELECT count(*) FROM renamings WHERE is_vessel")[0]; renamed != want || want == 0 {
		t.Errorf("%d renamed, want %d", renamed, want)
	}
	end := all[len(all)-1]
	if after := c.changes(end.ID); end.Kind != news.KindEnd || len(after) != 1 || after[0].ID != end.ID {
		t.Errorf("after the end %+v: %+v", end, after)
	}

	// What had all but one night, which was held back, gets that night, though a later one was published before it.
	runs := texts(t, dir, "SELECT run_id FROM runs WHERE snapshot_date = '2026-11-21' ORDER BY 1")
	newest := end.ID[:strings.LastIndex(end.ID, ".")+1]
	others := numbers(t, dir, "SELECT count(*) FROM runs WHERE snapshot_date <> '2026-11-21'")[0]
	held := newest + strconv.Itoa(others) + "~" + strings.Join(runs, "~")
	late := c.changes(held)
	if len(late) < 2 || late[0].Night != "2026-11-21" || late[len(late)-2].Night != "2026-11-21" || late[len(late)-1].ID != end.ID {
		t.Errorf("after %s: %+v", held, late)
	}
	for _, l := range late {
		if !ids[l.ID] {
			t.Errorf("another id: %+v", l)
		}
	}
	// What does not fit the runs, as after a rollback, gets all of them.
	if again := c.changes(newest + "99"); len(again) != len(all) {
		t.Errorf("%d lines after a rollback, want %d", len(again), len(all))
	}
	if status, _, body := c.ask("GET", "/changes.ndjson?since=yesterday", nil); status != http.StatusBadRequest || !strings.Contains(body, "want a night") {
		t.Errorf("%d: %s", status, body)
	}
}
