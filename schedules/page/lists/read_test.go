package lists

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/schedules/page/pagetest"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// rowsOf reads a page of a list as the site does, but with other bounds.
func rowsOf(t *testing.T, dir, name string, b bounds, query string) (v View) {
	t.Helper()
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return rowsIn(t, w, name, b, query)
}

// rowsIn is rowsOf for a file that is open.
func rowsIn(t *testing.T, w *warehouse.Warehouse, name string, b bounds, query string) (v View) {
	t.Helper()
	q, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	v.bounds = b
	v.List = All[slices.IndexFunc(All, func(l List) bool { return l.Name == name })]
	if err := v.Read(t.Context(), w, q); err != nil {
		t.Fatalf("%s?%s: %v", name, query, err)
	}
	return v
}

// firstCells are the texts of a column of a page.
func (v View) firstCells(column string) (all []string) {
	at := slices.IndexFunc(v.Heads, func(h Head) bool { return h.Title == shown.FieldName(column) })
	for _, row := range v.Rows {
		all = append(all, row[at].Text)
	}
	return all
}

// TestPagesOfAListHaveAllItsRows reads lists whose newest night has fewer rows than a page, page by page, with
// bounds that they exceed and with bounds that they do not: every page but the last is full, and the rows are
// those of the list in its order, the oldest first, too.
func TestPagesOfAListHaveAllItsRows(t *testing.T) {
	dir := pagetest.Harvested(t)
	for _, c := range []struct{ list, filter, where, order string }{
		{"listed", "", "true", "from_date DESC, name, vessel_id"},
		{"listed", "&is_vessel=true", "is_vessel", "from_date DESC, name, vessel_id"},
		{"listed", "&sort=from_date", "true", "from_date, name, vessel_id"},
		{"changes", "&field.from=a", "field >= 'a'", "snapshot_date DESC, seen_after DESC, vessel_id, field"},
	} {
		from := map[string]string{"listed": "(SELECT l.*, r.name, r.is_vessel FROM listed AS l JOIN registration AS r ON r.vessel_id = l.vessel_id AND r.valid_to IS NULL)"}[c.list]
		want := pagetest.Texts(t, dir, fmt.Sprintf("SELECT vessel_id FROM %s WHERE %s ORDER BY %s LIMIT 210", cmp.Or(from, c.list), c.where, c.order))
		for _, b := range []bounds{listBounds, {counted: 300, found: 250, sorted: 1_000_000, nights: 2}, {counted: 300, found: 250, sorted: 10, nights: 2}} {
			var got []string
			for page := 1; len(got) < len(want); page++ {
				v := rowsOf(t, dir, c.list, b, fmt.Sprintf("page=%d%s", page, c.filter))
				if len(v.Rows) < perPage && v.More || len(v.Rows) == 0 {
					t.Fatalf("%+v: %d rows on page %d, and more", c, len(v.Rows), page)
				}
				got = append(got, v.firstCells("vessel_id")...)
			}
			if diff := gocmp.Diff(want, got[:len(want)]); diff != "" {
				t.Errorf("%+v with %+v: (-want +got)\n%s", c, b, diff)
			}
		}
	}
	if few := pagetest.Numbers(t, dir, "SELECT count(*) FROM listed WHERE from_date = '2026-11-22'")[0]; few == 0 || few >= perPage {
		t.Errorf("%d stays began on the newest night: want fewer than a page", few)
	}
}

// TestALongListIsSortedWithinItsNewestNights, says so, and leads to the earlier ones; a list that is not too
// long is sorted as a whole.
func TestALongListIsSortedWithinItsNewestNights(t *testing.T) {
	dir := pagetest.Harvested(t)
	few := bounds{counted: 60, found: 55, sorted: 500, nights: 2}
	v := rowsOf(t, dir, "listed", few, "sort=vessel_id")
	want := pagetest.Texts(t, dir, "SELECT vessel_id FROM listed WHERE from_date >= '2026-11-21' ORDER BY ALL LIMIT 50")
	if diff := gocmp.Diff(want, v.firstCells("vessel_id")); diff != "" || v.Only == nil || v.Total != min(56, pagetest.Numbers(t, dir, "SELECT count(*) FROM listed WHERE from_date >= '2026-11-21'")[0]) {
		t.Errorf("%+v of %d (-want +got)\n%s", v.Only, v.Total, diff)
	}
	if v.Earlier() != "?from_date.to=2026-11-20&sort=vessel_id" || v.Only.Words() != "Saturday 21 November 2026 to Sunday 22 November 2026" {
		t.Error(v.Earlier(), v.Only.Words())
	}
	v = rowsOf(t, dir, "listed", few, strings.TrimPrefix(v.Earlier(), "?"))
	if got, want := v.firstCells("vessel_id")[0], pagetest.Texts(t, dir, "SELECT min(vessel_id) FROM listed WHERE from_date = '2026-11-20'")[0]; got != want || v.Only != nil {
		t.Errorf("earlier: %s, want %s, %v", got, want, v.Only)
	}
	for _, b := range []bounds{listBounds, {counted: 300, found: 250, sorted: 1_000_000, nights: 2}} {
		v = rowsOf(t, dir, "listed", b, "sort=vessel_id")
		if got, want := v.firstCells("vessel_id")[0], pagetest.Texts(t, dir, "SELECT min(vessel_id) FROM listed")[0]; got != want || v.Only != nil {
			t.Errorf("%+v: %s, want %s, %v", b, got, want, v.Only)
		}
	}
}

// TestAnMMSICanBeTheNumberOfAnotherVessel: each has its own stays.
func TestAnMMSICanBeTheNumberOfAnotherVessel(t *testing.T) {
	dir := pagetest.Harvested(t)
	id := pagetest.Texts(t, dir, "SELECT min(vessel_id) FROM episodes WHERE starts_with(vessel_id, 'IMO')")[0]
	own := pagetest.Numbers(t, dir, "SELECT count(*) FROM episodes WHERE vessel_id = '"+id+"'")[0]
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	other := "MMSI00" + id[3:]
	of := " WHERE vessel_id = '" + id + "' LIMIT 1"
	for table, columns := range map[string]string{
		"registration": "'" + other + "' AS vessel_id, NULL AS imo, 'ANOTHER' AS name, NULL AS valid_to",
		"episodes":     "'" + other + "' AS vessel_id",
	} {
		if err := w.Keep(t.Context(), table, "FROM main."+table+" UNION ALL (SELECT * REPLACE ("+columns+") FROM main."+table+of+")"); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range []bounds{listBounds, {counted: 300, found: 250, sorted: 10, nights: 2}} {
		for query, want := range map[string]int{"vessel_id=" + id: own, "vessel_id=" + other: 1, "name=ANOTHER": 1} {
			if v := rowsIn(t, w, "episodes", b, query); v.Total != want || len(v.Rows) != want {
				t.Errorf("%s: %d stays, want %d", query, v.Total, want)
			}
		}
	}
}

// TestWhoWaitsIsReadForSomeNights: the newest ones, or those of the filters, with the rows that the view has.
func TestWhoWaitsIsReadForSomeNights(t *testing.T) {
	dir := pagetest.Harvested(t)
	few := bounds{counted: 100_000, nights: 2}
	for query, want := range map[string]struct {
		where, earlier string
	}{
		"":                              {"snapshot_date >= '2026-11-21'", "?snapshot_date.to=2026-11-20"},
		"sort=waiting":                  {"snapshot_date >= '2026-11-21'", "?snapshot_date.to=2026-11-20&sort=waiting"},
		"world_zone=china-coast":        {"snapshot_date >= '2026-11-21' AND world_zone = 'china-coast'", "?snapshot_date.to=2026-11-20&world_zone=china-coast"},
		"snapshot_date=2026-11-20":      {"snapshot_date = '2026-11-20'", ""},
		"snapshot_date.to=2026-11-21":   {"snapshot_date <= '2026-11-21'", ""},
		"snapshot_date.from=2026-11-20": {"snapshot_date >= '2026-11-21'", "?snapshot_date.from=2026-11-20&snapshot_date.to=2026-11-20"},
		"snapshot_date.from=2030-01-01": {"false", ""},
		"category=tanker&snapshot_date.to=2026-11-20": {"snapshot_date <= '2026-11-20' AND category = 'tanker'", ""},
	} {
		v := rowsOf(t, dir, "zone_congestion", few, query)
		if n := pagetest.Numbers(t, dir, "SELECT count(*) FROM zone_congestion WHERE (waiting > 0 OR usual > 0 OR snapshot_date = '2026-11-22') AND "+want.where)[0]; v.Total < n || n == 0 && v.Total > 0 {
			t.Errorf("%s: %d rows, want %d", query, v.Total, n)
		}
		if (v.Only != nil) != (want.earlier != "") || v.Only != nil && v.Earlier() != want.earlier {
			t.Errorf("%s: only %+v, want %q", query, v.Only, want.earlier)
		}
	}
}
