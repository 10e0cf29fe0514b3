package warehouse

// step is one statement of a night.
type step struct {
	name, text string
	from       []string // lake tables: without a row in any of them the statement would change nothing
	onlyIf     string   // a query of one truth, of $date: if false the statement would change nothing, and nothing reads what it makes; empty for none
	asWritten  bool     // joins hold their right side in memory, whatever sizes DuckDB estimates
}

// lakeRows are the lake tables whose rows get the id of the vessel that they belong to, and whether a row has the
// name of its vessel.
var lakeRows = []struct {
	Table string
	Named bool
}{{"listings", true}, {"sightings", true}, {"particulars", true}, {"engine", false}, {"management", false}, {"positions", false}}

// The lake tables that the folders of sql/apply depend on.
var (
	fromVessels   = []string{"listings", "particulars", "sightings", "positions"} // all that can name a vessel
	fromMovements = []string{"sightings", "positions"}
)

// nightly lists the statements of a night in their order, folder by folder of sql/apply.
func nightly(datasets []Dataset) []step {
	var n stepList
	n.coverage()
	n.identity(datasets[0])
	n.registration(datasets[0])
	n.datasets(datasets[1:])
	n.positions()
	n.listed(datasets[0])
	n.episodes()
	n.daily()
	n.ready()
	return n.steps
}

// stepList collects the steps of a night.
type stepList struct {
	folder string // folder of sql/apply
	steps  []step
}

// add adds statements of the current folder.
func (n *stepList) add(from []string, names ...string) { n.fill(nil, from, names...) }

// addIf adds statements of the current folder that need a condition.
func (n *stepList) addIf(condition string, from []string, names ...string) {
	first := len(n.steps)
	n.add(from, names...)
	for i := range n.steps[first:] {
		n.steps[first+i].onlyIf = statement(condition)
	}
}

// fill adds statements of the current folder that are templates.
func (n *stepList) fill(values any, from []string, names ...string) {
	for _, name := range names {
		path := "apply/" + n.folder + "/" + name
		n.steps = append(n.steps, step{name: path, text: filled(path, values), from: from})
	}
}

// versions adds statements of 40_datasets, which are the same for every dataset.
func (n *stepList) versions(d Dataset, from []string, names ...string) {
	for _, name := range names {
		path := "apply/40_datasets/" + name
		s := step{name: path + " of " + d.Name, text: filled(path, d), from: from, asWritten: name == "compared"}
		if condition := conditions[name]; condition != "" {
			s.onlyIf = filled(condition, d)
		}
		n.steps = append(n.steps, s)
	}
}

// conditions are what statements of 40_datasets need that few datasets have on a night. To plan such a
// statement in vain takes several times as long as to find out.
var conditions = map[string]string{"changes_within_night": "read/has_repeated", "changed": "read/has_changed", "changes": "read/has_changed",
	"versions_gaps": "read/has_changed", "versions_close": "read/has_changed", "versions_open": "read/has_changed",
	"versions_carry": "read/has_aliases", "versions_alias_close": "read/has_aliases"}

// coverage is what the night's runs proved they saw, and the credit ledger.
func (n *stepList) coverage() {
	n.folder = "10_coverage"
	n.add(nil, "coverage", "requests", "issues", "partitions_tonight", "partitions_before", "partitions_clear", "partitions", "withdrawn", "proof", "proven_countries")
}

// identity finds the vessel that each MMSI belongs to tonight, and assigns the night's rows to it.
func (n *stepList) identity(registration Dataset) {
	n.folder = "20_identity"
	n.add(nil, "no_doubts", "identities")
	if !registration.Empty {
		n.add(fromVessels, "imo_slips")
	}
	n.add(nil, "identified", "mmsi_wanted", "mmsi_evidence")
	n.addIf("read/has_wanted_mmsis", fromVessels, "mmsi_claimed", "mmsi_doubted")
	n.addIf("read/has_doubted_mmsis", fromVessels, "claimants", "shown_as", "kept_apart")
	if !registration.Empty {
		n.addIf("read/has_wanted_mmsis", []string{"listings"}, "links")
	}
	n.add(nil, "mmsi_holder")
	n.addIf("read/has_assigned", fromVessels, "assigned", "answered_as")
	n.add(fromVessels, "conflicts_continue", "conflicts_open")
	n.addIf("read/has_doubted_mmsis", fromVessels, "apart_continue", "apart_open")
	n.addIf("read/has_slips", fromVessels, "slips_continue", "slips_open")
	n.add(fromVessels, "aliases_end", "aliases_open")
	n.addIf("read/has_pairs", fromVessels, "links_open", "links_doubtful")
	path := "apply/" + n.folder + "/night"
	for _, t := range lakeRows {
		n.steps = append(n.steps, step{name: path + " of " + t.Table, text: filled(path, t)})
	}
}

// merge are the statements that bring a night's observations of a dataset into its versions.
var merge = []string{"observations", "merged", "tonight", "linked", "compared", "changed", "changes_within_night", "changes",
	"versions_seen", "versions_gaps", "versions_close", "versions_open", "versions_new"}

// registration brings in who the vessels are, and which of several MMSIs is in use.
func (n *stepList) registration(d Dataset) {
	n.folder = "30_registration"
	n.add(fromVessels, "sighted_only", "night_registration", "countries_new", "vessel_types_new", "types_new")
	n.versions(d, fromVessels, "repeated")
	n.add(fromVessels, "second_mmsis", "contested", "contested_continue", "contested_open")
	n.versions(d, fromVessels, merge...)
	n.add(fromVessels, "doubtful_observed", "changes_doubtful", "changes_settled", "doubtful_decided", "doubtful_forget", "doubtful_new", "doubtful_versions")
	n.add(fromVessels, "sighted_mmsis", "claims_continue", "claims_open", "claims_left")
	n.steps[len(n.steps)-1].onlyIf = filled(conditions["changed"], d) // claims_left reads what changed
	n.add(nil, "claims_close")
	n.versions(d, fromVessels, "versions_carry")
	n.addIf("read/has_aliases", fromVessels, "changes_linked")
	n.versions(d, fromVessels, "versions_alias_close")
}

// datasets brings in what the vessels are: particulars, engine and management. A vessel may be
// linked on a night without a row of the dataset.
func (n *stepList) datasets(all []Dataset) {
	n.folder = "40_datasets"
	for _, d := range all {
		n.versions(d, []string{d.Name}, "repeated")
		n.versions(d, []string{d.Name}, merge...)
		n.versions(d, fromVessels, "linked", "versions_carry", "versions_alias_close")
	}
	n.addIf("read/has_new_changes", fromVessels, "changes_flapping")
}

// positions stores where the vessels were.
func (n *stepList) positions() {
	n.folder = "50_positions"
	n.add(fromMovements, "positions_fresh", "positions")
	n.add([]string{"raw_answers"}, "raw_answers")
}

// listed brings in which vessels are on the list, which the night's list misses, and which are proved gone.
// A vessel that was listed has a registration.
func (n *stepList) listed(registration Dataset) {
	n.folder = "60_listed"
	n.addIf("read/has_aliases", fromVessels, "alias_end")
	n.addIf("read/has_links", fromVessels, "stays_linked", "stays_of_links")
	n.fill(registration, []string{"listings"}, "present", "stays", "stays_continue", "stays_under", "stays_open")
	n.add([]string{"sightings"}, "stays_sighted")
	n.add(nil, "stays_missing", "stays_unlisted", "stays_close", "stays_missed", "stays_not_found")
}

// episodes brings in the stays in a status and zone.
func (n *stepList) episodes() {
	n.folder = "70_episodes"
	n.add(nil, "sighted")
	n.add([]string{"sightings"}, "covered", "episodes_same", "episodes_continue", "episodes_open")
}

// daily writes what is known after the night: the latest of each vessel, and the counts.
func (n *stepList) daily() {
	n.folder = "80_daily"
	n.add(fromMovements, "latest_known", "latest_clear", "latest")
	n.add(nil, "fleet_daily")
	n.addIf("read/has_dated_back", nil, "fleet_daily_dated_back", "fleet_daily_empty")
	n.add(nil, "zone_daily")
}

// ready extends the tables that the ready views read. A night computes what it can change, and never reads
// the whole history.
func (n *stepList) ready() {
	n.folder = "90_ready"
	n.add(nil, "searches_tonight", "searches", "searches_proven", "searches_zone_proven")
	n.addIf("read/has_stays", nil, "stays_tonight", "stays_continued", "stays_recomputed", "stays_moved", "latest_stays_continue", "stays_known",
		"arrivals_clear", "arrivals", "stays_departed", "departures_clear", "departures", "latest_stays_clear", "latest_stays")
	n.addIf("read/has_unconfirmed", fromVessels, "vessel_changes_seen")
	n.add(fromVessels, "changes_affected")
	n.addIf("read/has_affected", fromVessels, "changes_confirmed", "vessel_changes_clear", "vessel_changes")
}
