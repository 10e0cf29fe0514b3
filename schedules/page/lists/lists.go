package lists

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed sql/*.sql
var queryFiles embed.FS

var statements = warehouse.Statements{Files: queryFiles}

// Templates has the template of a page of a list, "list".
//
//go:embed templates/*.html
var Templates embed.FS

// perPage is how many rows a page of a list has, and mostPages how many pages can be read.
const perPage, mostPages = 50, 200

// bounds are what a page of a list reads at most: to sort and to count millions of rows takes longer than a
// reader waits. A file has all rows.
type bounds struct {
	counted int // rows that are counted
	found   int // the same of more nights than one of a list that grows every night
	sorted  int // rows of the table of such a list that is sorted as a whole by another column than its nights
	nights  int // within which it is sorted else
}

// listBounds are those of the page. No page can have more rows than are found.
var listBounds = bounds{counted: 100_000, found: perPage * mostPages, sorted: 600_000, nights: 31}

// maxValue is the length of the longest value that a list is filtered by, in bytes.
const maxValue = 400

// List is a table or a view that the page lists, row by row.
type List struct {
	Name, Title string
	Group       string   // the part of the index that it stands in
	About       string   // what a row is
	Columns     []string // that the page shows, in its order; empty shows all. Files have all of them
	Order       string   // SQL of the order without another one
	Nights      string   // the column that this order begins with, newest first, in a list that grows every night; else empty
	Whole       bool     // a view that is computed whole for any of its rows, so that they are counted with it
	Kept        bool     // a view that takes long and that prepared readers hold in memory
	Between     string   // the macro that computes the rows of the nights from one to another, which are asked for alone; else empty
	Table       string   // the table that has the rows of the list, with its schema; empty is that of its name

	span   Nights // that Between computes; zero is all
	shared bool   // two vessels have one number, so that lists that join by numbers compare ids, too
	newest bool   // the reader holds the rows of these nights in memory, as keep computed them
}

// All are what can be listed, by the name in the address: views and tables of the warehouse, and the
// statements of sql, which add the names of the vessels.
var All = []List{
	{Name: "vessels", Group: "The fleet", Title: "Vessels", About: "One row for each vessel, with its latest known values.", Order: "name NULLS LAST, vessel_id", Kept: true,
		Columns: []string{"vessel_id", "name", "flag", "vessel_type", "deadweight_t", "year_built", "registered_owner", "navigational_status", "world_zone", "last_seen"}},
	{Name: "positions", Group: "The fleet", Title: "Positions", About: "One row for each observed position.", Order: "seen_at DESC, vessel_id",
		Columns: []string{"vessel_id", "position_at", "latitude", "longitude", "speed_kn", "course_deg", "navigational_status", "destination", "eta"}},
	{Name: "reflaggings", Group: "News", Table: "internal.vessel_changes", Title: "Reflaggings", About: "One row for each change of flag, under the night that first saw it. An open registry is a flag of convenience.", Order: "snapshot_date DESC, name, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "name", "category", "flag_before", "flag_after", "open_registry_before", "open_registry_after", "mmsi_changed", "seen_before", "seen_after"}},
	{Name: "renamings", Group: "News", Table: "internal.vessel_changes", Title: "Renamings", About: "One row for each change of name, under the night that first saw it.", Order: "snapshot_date DESC, name_after, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "name_before", "name_after", "flag", "category", "reflagged_too", "seen_before", "seen_after"}},
	{Name: "ownership_changes", Group: "News", Table: "internal.vessel_changes", Title: "Changes of owner and manager", About: "One row for each change of owner or manager. Lookups of a vessel are rare: the change happened between the two.", Order: "snapshot_date DESC, seen_after DESC, vessel_id, role", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "name", "role", "company_before", "company_after", "flag", "category", "seen_before", "seen_after"}},
	{Name: "gone_dark", Group: "News", Title: "Gone dark", About: "One row for each listed vessel that no status search has found since, and how far the searches prove that.", Order: "proved DESC, complete_nights_since DESC, vessel_id", Whole: true, Kept: true,
		Columns: []string{"vessel_id", "name", "flag", "category", "navigational_status", "world_zone", "last_date", "complete_nights_since", "swept_nights_since", "proved", "proof"}},
	{Name: "arrivals", Group: "Zones", Table: "internal.arrivals", Title: "Arrivals in zones", About: "One row for each vessel that came into a zone: where it was seen before, or which searches had not found it in the zone.", Order: "snapshot_date DESC, world_zone, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "world_zone", "vessel_id", "name", "flag", "category", "navigational_status", "from_zone", "not_before", "proved", "proof"}},
	{Name: "departures", Group: "Zones", Table: "internal.departures", Title: "Departures from zones", About: "One row for each vessel that left a zone: where it was seen next, which proves that it left, or which searches no longer found it there.", Order: "snapshot_date DESC, world_zone, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "world_zone", "vessel_id", "name", "flag", "category", "navigational_status", "to_zone", "not_before", "proved", "proof"}},
	{Name: "zone_congestion", Group: "Zones", Title: "Waiting in zones", About: "One row for each night, zone and category: how many vessels wait at anchor or adrift, and how many usually do.", Order: "snapshot_date DESC, above_usual DESC, world_zone, category, navigational_status", Nights: "snapshot_date", Between: "internal.zone_congestion_between"},
	{Name: "identity_review", Group: "What to doubt", Title: "Identities to review", About: "One row for each doubt about a vessel's identity that a person should check.", Order: "last_date DESC, kind, vessel_id", Whole: true, Kept: true},
	{Name: "data_freshness", Group: "What to doubt", Title: "Age of the data", About: "One row for each dataset and band of age: how many listed vessels have data of that age.", Order: "dataset, band", Whole: true, Kept: true},
	{Name: "changes", Group: "News", Title: "Changes", About: "One row for each field that changed: when its old value was last seen, and when its new one first was.", Order: "snapshot_date DESC, seen_after DESC, vessel_id, field", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "dataset", "field", "old_value", "new_value", "seen_before", "seen_after"}},
	{Name: "listed", Group: "The fleet", Title: "Stays on the list", About: "One row for each unbroken stay on the list. Two complete lists, or one and a lookup, prove that a stay has ended: see proof.", Order: "from_date DESC, name, vessel_id", Nights: "from_date"},
	{Name: "episodes", Group: "The fleet", Title: "Stays in a status and zone", About: "One row for each unbroken stay of a vessel in a navigational status and a zone.", Order: "last_date DESC, name, vessel_id", Nights: "last_date",
		Columns: []string{"vessel_id", "name", "flag", "category", "navigational_status", "world_zone", "laden", "first_date", "last_date", "nights"}},
	{Name: "issues", Group: "What to doubt", Title: "Issues", About: "One row for each value or record that could not be accepted as it came, with its raw value and the reason.", Order: "snapshot_date DESC, run_id DESC, entry, vessel_id", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "vessel_id", "dataset", "field", "raw_value", "reason", "run_id", "entry"}},
	{Name: "coverage", Group: "Runs", Title: "Coverage", About: "One row for each partition of a run: how much of it the run saw for certain.", Order: "snapshot_date DESC, run_id DESC, operation, value", Nights: "snapshot_date",
		Columns: []string{"snapshot_date", "operation", "kind", "value", "state", "reason", "pages", "expected_rows", "received_rows", "run_id"}},
	{Name: "identity_conflicts", Group: "What to doubt", Title: "Identity conflicts", About: "One row for each contradiction between vessels, and the nights on which it was seen.", Order: "last_date DESC, vessel_id"},
	{Name: "nights", Group: "Runs", Title: "Nights", About: "One row for each job and night: whether the night can be trusted, and what it left out.", Order: "snapshot_date DESC, job", Whole: true,
		Columns: []string{"snapshot_date", "job", "verdict", "reason", "by_type_covered", "by_type_total", "by_status_covered", "by_status_total", "left_out", "credits"}},
	{Name: "runs", Group: "Runs", Title: "Runs", About: "One row for each run.", Order: "run_id DESC",
		Columns: []string{"run_id", "job", "snapshot_date", "started_at", "finished_at", "state", "stop", "requests", "credits_planned", "credits_spent", "rows"}},
}

// from is what a list selects from.
func (l List) from() string {
	if l.newest {
		return l.newestNights()
	}
	if l.Between != "" && !l.span.To.IsZero() {
		return fmt.Sprintf("%s(DATE '%s', DATE '%s')", l.Between, l.span.From.Format(time.DateOnly), l.span.To.Format(time.DateOnly))
	}
	if name := l.Name; slices.Contains(joinedLists, l.Name) {
		return "(\n" + statements.Filled(name, l.shared) + ")"
	}
	return identifier(l.Name)
}

// newestNights is the table in which prepared readers hold the newest nights of a list with a macro.
func (l List) newestNights() string { return l.Name + "_newest" }

// table is the table that has the rows of the list, with its schema.
func (l List) table() string { return cmp.Or(l.Table, "main."+l.Name) }

// joinedLists have a statement in sql.
var joinedLists = []string{"listed", "episodes"}

// Named returns a page of a list by its name, to be read; false if there is no such list.
func Named(name string) (*View, bool) {
	at := slices.IndexFunc(All, func(l List) bool { return l.Name == name })
	if at < 0 {
		return nil, false
	}
	return &View{List: All[at], bounds: listBounds}, true
}

// Group is a part of the index of lists.
type Group struct {
	Title string
	Lists []List
}

// Groups are all lists by their groups.
func Groups() (all []Group) {
	for _, title := range []string{"The fleet", "News", "Zones", "What to doubt", "Runs"} {
		g := Group{Title: title}
		for _, l := range All {
			if l.Group == title {
				g.Lists = append(g.Lists, l)
			}
		}
		all = append(all, g)
	}
	return all
}
