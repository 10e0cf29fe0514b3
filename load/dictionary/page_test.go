package dictionary_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/load/dictionary"
)

// TestThePageNeedsNothingElse checks that the page has all entries with their counts, and loads nothing.
func TestThePageNeedsNothingElse(t *testing.T) {
	_, w, d := twoNights(t)
	if err := d.Count(t.Context(), w, dictionary.Limits{}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.WriteHTML(&b, "/"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, e := range entries(d) {
		if strings.Count(page, `id="`+e.Name+`"`) != 1 || !strings.Contains(page, `href="#`+e.Name+`"`) {
			t.Errorf("%s is not on the page once, with a link to it", e.Name)
		}
	}
	if found := regexp.MustCompile(`(?i)<script|style="|<link|src=|@import|url\(|https?://[^<]*"|\son[a-z]+="`).FindString(page); found != "" {
		t.Errorf("the page has %s", found)
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]] {
			t.Errorf("the page has the id %s twice", id[1])
		}
		ids[id[1]] = true
	}
	for _, to := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[to[1]] {
			t.Errorf("a link leads to %s, which the page does not have", to[1])
		}
	}
	vessels, _ := d.Find("vessels")
	if want := ask(t, w, "SELECT count(*) FROM vessels")[0][0]; fmt.Sprint(vessels.Counts.Rows) != want {
		t.Errorf("the page counts %d vessels, want %s", vessels.Counts.Rows, want)
	}
	flag, ok := vessels.Counts.Of("flag")
	if want := ask(t, w, "SELECT round(count(*) FILTER (flag IS NULL) / count(*), 6)::VARCHAR FROM vessels")[0][0]; !ok || fmt.Sprint(float64(int(flag.Nulls*1e6+0.5))/1e6) != want && flag.Nulls != 0 {
		t.Errorf("flag is null in %v of the vessels, want %s", flag.Nulls, want)
	}
	if category, _ := vessels.Counts.Of("category"); len(category.Frequent) == 0 || category.Frequent[0].Share < category.Frequent[len(category.Frequent)-1].Share {
		t.Errorf("categories: %+v", category.Frequent)
	}
}

// TestWhatTakesTooLongIsNotCounted watches the time limits from both sides.
func TestWhatTakesTooLongIsNotCounted(t *testing.T) {
	_, w, d := twoNights(t)
	for name, c := range map[string]struct {
		limits dictionary.Limits
		note   string
	}{
		"no time for all of them": {dictionary.Limits{All: time.Nanosecond}, "Not counted: all counts of this page together took longer than 1ns."},
		"no time for one of them": {dictionary.Limits{Each: time.Nanosecond, All: time.Hour}, "Not counted: it takes longer than 1ns."},
		"enough time":             {dictionary.Limits{Each: time.Hour, All: time.Hour}, ""},
	} {
		if err := d.Count(t.Context(), w, c.limits); err != nil {
			t.Fatal(err)
		}
		e, _ := d.Find("vessels")
		if counted := c.note == ""; e.Counts == nil || e.Counts.Note != c.note || (e.Counts.Columns != nil) != counted || (e.Counts.Rows > 0) != counted {
			t.Errorf("%s: %+v", name, e.Counts)
		}
	}
}

// TestALongTableIsCountedByItsNewestRows counts within a limit of rows: how many rows are read follows from
// the limit and not from the length of the history.
func TestALongTableIsCountedByItsNewestRows(t *testing.T) {
	_, w, d := twoNights(t)
	const most = 5
	if err := d.Count(t.Context(), w, dictionary.Limits{Rows: most}); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries(d) {
		if e.Counts == nil || e.EveryNight {
			continue
		}
		rows := ask(t, w, "SELECT count(*) FROM "+e.Name)[0][0]
		if fmt.Sprint(e.Counts.Rows) != rows {
			t.Errorf("%s: %d rows, want %s", e.Name, e.Counts.Rows, rows)
		}
		if long := e.Counts.Rows > most; long != (e.Counts.Sample > 0) || e.Counts.Sample > most {
			t.Errorf("%s: %d of %d rows are read, the limit is %d", e.Name, e.Counts.Sample, e.Counts.Rows, most)
		}
	}
	runs, _ := d.Find("runs")
	night, _ := runs.Counts.Of("snapshot_date")
	if want := ask(t, w, "SELECT min(snapshot_date)::VARCHAR FROM (FROM runs ORDER BY run_id DESC LIMIT 5)")[0][0]; night.Least != want {
		t.Errorf("the newest %d of %d runs begin on %s, want %s", runs.Counts.Sample, runs.Counts.Rows, night.Least, want)
	}
	var b bytes.Buffer
	if err := d.WriteHTML(&b, "/"); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"The values are those of the newest 5 rows.", "The values are those of 5 of the rows."} {
		if !strings.Contains(b.String(), words) {
			t.Errorf("the page does not say: %s", words)
		}
	}
}

// TestTheJSONHasWhatAProgramNeeds reads the JSON as a program would.
func TestTheJSONHasWhatAProgramNeeds(t *testing.T) {
	_, _, d := twoNights(t)
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Groups []struct {
			Entries []struct {
				Name, Kind, Comment, Signature, Example, Files string
				Keys, Operations                               []string
				Lineage                                        struct{ From, Lake []string }
				Columns                                        []struct {
					Name, Type, Unit string
					Nullable         *bool
					References       []string
					FieldID          int `json:"field_id"`
				}
			}
		}
	}
	if err := json.Unmarshal(b, &read); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range read.Groups {
		for _, e := range g.Entries {
			for _, c := range e.Columns {
				if c.Nullable == nil {
					t.Errorf("%s.%s: nothing says whether it can be null", e.Name, c.Name)
				}
				switch e.Name + "." + c.Name {
				case "vessels.deadweight_t":
					seen["unit"] = c.Unit == "tonnes"
				case "positions.run_id":
					seen["reference"] = slices.Equal(c.References, []string{"runs.run_id"})
				case "lake.particulars.ballast_water_m3":
					seen["field id"] = c.FieldID == 51
				}
			}
			switch e.Name {
			case "positions":
				seen["lineage"] = slices.Equal(e.Operations, []string{"info", "location"}) && slices.Equal(e.Lineage.Lake, []string{"positions"})
			case "reflaggings":
				seen["of a view"] = slices.Contains(e.Lineage.From, "registration") && slices.Contains(e.Operations, "by-type")
			case "fleet_on":
				seen["signature"] = e.Signature == "fleet_on(night)" && len(e.Columns) > 20
			case "lake.listings":
				seen["files"] = e.Files == "lake/listings/*/*.parquet" && e.Kind == "lake table"
			}
		}
	}
	for _, what := range []string{"unit", "reference", "field id", "lineage", "of a view", "signature", "files"} {
		if !seen[what] {
			t.Errorf("the JSON lacks: %s", what)
		}
	}
}
