package warehouse

import "strings"

// Group is a chapter of the data dictionary.
type Group string

// Groups of the data dictionary, in its order.
const (
	GroupStart     Group = "start"
	GroupReady     Group = "ready"
	GroupMacros    Group = "macros"
	GroupHistory   Group = "history"
	GroupIdentity  Group = "identity"
	GroupMovements Group = "movements"
	GroupWork      Group = "work"
	GroupReference Group = "reference"
	groupInternal  Group = "internal"
)

// Groups lists the groups in their order, each with what it has.
var Groups = []struct {
	Group Group
	Title string
}{
	{GroupStart, "What to start with"},
	{GroupReady, "Views ready to use"},
	{GroupMacros, "Macros: the fleet of an earlier night, and what changed"},
	{GroupHistory, "History: who and what the vessels were, with intervals"},
	{GroupIdentity, "Identity: which numbers belong to which vessel"},
	{GroupMovements, "Movements: where the vessels were"},
	{GroupWork, "Work: what the runs asked, proved and cost"},
	{GroupReference, "Reference: lists of the program, for joins"},
}

// description is what the comments of SQL cannot carry about a table, a view or a macro.
type description struct {
	name       string
	group      Group
	keys       string              // columns that identify a row
	required   string              // columns that are never null
	from       string              // tables that its rows are made of; those that a view or macro names are found
	lake       string              // lake tables that its rows are made of
	origin     string              // where rows come from that no lake table has
	example    string              // a statement that runs
	like       string              // of a macro: the view whose columns it has, as they were
	everyNight bool                // of a view: it computes the fleet of every night that a query does not filter out
	call       string              // of a macro: a call with arguments, which shows its columns
	parameters []Parameter         // of a macro
	columns    map[string]string   // of a macro: comments of the columns that nothing it reads has
	units      map[string]string   // of columns that the ends of their names do not tell
	references map[string][]string // of columns that do not refer to what others of their name do
}

// signature is how a macro is called, such as fleet_on(night).
func (d description) signature() string {
	names := make([]string, len(d.parameters))
	for i, p := range d.parameters {
		names[i] = p.Name
	}
	return d.name + "(" + strings.Join(names, ", ") + ")"
}

// descriptions are the descriptions by name.
var descriptions = func() map[string]description {
	all := make(map[string]description, len(ordered))
	for _, d := range ordered {
		all[d.name] = d
	}
	return all
}()

// descriptionOf returns the description of a name; an empty one if the program knows none.
func descriptionOf(name string) description { return descriptions[name] }

// Keys returns the columns that identify a row of a table, a view or a macro; none if there are no such columns.
func Keys(table string) []string {
	return append([]string{}, strings.Fields(descriptions[table].keys)...)
}

// Columns that several tables have.
const (
	versionKeys     = "vessel_id valid_from"
	versionRequired = "vessel_id snapshot_date valid_from first_seen last_seen run_id entry fingerprint vessel_number"
	vesselsRequired = "vessel_id category is_vessel listed first_seen last_seen registration_seen_at run_id"
	changesRequired = "vessel_id dataset field seen_before seen_after snapshot_date flapping respelled run_id entry"
	namesVessels    = "listings sightings particulars positions"
	ofProgram       = "a list of the program"
	ofThatNight     = "As in vessels, of that night."
)

// filters are columns with the filter of a search, in the vocabulary of the service.
var filters = map[string][]string{"vessel_type": nil, "vessel_type_filter": nil}

// lastNight is the argument with which a macro shows the latest night.
const lastNight = "(SELECT max(snapshot_date) FROM runs)"

// nightParameter is the parameter of the macros of a night.
var nightParameter = []Parameter{{Name: "night", Meaning: "a night, such as DATE '2026-11-20'; it may be a column of a table of nights"}}

// ordered describes the tables, views and macros, in the order of the dictionary; those of the schema
// internal have it in their name.
var ordered = []description{
	{name: "vessels", group: GroupStart, keys: "vessel_id",
		required: vesselsRequired,
		example:  "SELECT flag, count(*) AS vessels, round(sum(deadweight_t)) AS deadweight_t, round(count(deadweight_t) / count(*), 2) AS share_known\nFROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY vessels DESC LIMIT 5"},
	{name: "fleet_daily", group: GroupStart, keys: "snapshot_date flag category is_vessel", required: "snapshot_date category is_vessel listed seen run_id verdict",
		from: "listed registration", units: map[string]string{"listed": "vessels"},
		example: "SELECT snapshot_date, verdict, sum(listed) AS listed, sum(seen) AS seen\nFROM fleet_daily WHERE is_vessel GROUP BY ALL ORDER BY snapshot_date"},
	{name: "nights", group: GroupStart, keys: "job snapshot_date", required: "snapshot_date verdict reason by_type_covered by_type_total by_status_covered by_status_total runs requests credits",
		from: "runs coverage", units: map[string]string{"by_type_covered": "searches", "by_type_total": "searches", "by_status_covered": "searches", "by_status_total": "searches", "runs": "runs"},
		example: "SELECT job, snapshot_date, verdict, reason, left_out, previous_whole_night FROM nights ORDER BY snapshot_date DESC, job LIMIT 7"},
	{name: "night_verdicts", group: GroupStart, keys: "snapshot_date", required: "snapshot_date verdict reason whole", from: "nights",
		example: "SELECT snapshot_date, verdict, reason FROM night_verdicts ORDER BY snapshot_date DESC LIMIT 7"},
	{name: "runs", group: GroupStart, keys: "run_id", required: "run_id snapshot_date started_at finished_at state credits_planned credits_spent credits_unknown rows",
		origin:  "the journal of the run",
		example: "SELECT run_id, snapshot_date, state, reason, requests, credits_spent FROM runs ORDER BY run_id DESC LIMIT 7"},

	{name: "reflaggings", group: GroupReady, keys: "vessel_id seen_after", required: "vessel_id snapshot_date seen_before seen_after flag_before flag_after mmsi_changed category is_vessel seen_again run_id entry",
		references: map[string][]string{"flag_before": {"flags.flag"}, "flag_after": {"flags.flag"}},
		example:    "SELECT flag_before, flag_after, count(*) AS vessels FROM reflaggings\nWHERE is_vessel AND open_registry_after AND NOT open_registry_before GROUP BY ALL ORDER BY vessels DESC LIMIT 5"},
	{name: "renamings", group: GroupReady, keys: "vessel_id seen_after", required: "vessel_id snapshot_date seen_before seen_after name_before name_after category is_vessel reflagged_too seen_again run_id entry",
		example: "SELECT snapshot_date, vessel_id, name_before, name_after, reflagged_too FROM renamings WHERE is_vessel ORDER BY seen_after DESC LIMIT 5"},
	{name: "ownership_changes", group: GroupReady, keys: "vessel_id role seen_after", required: "vessel_id snapshot_date seen_before seen_after role company_before company_after both_changed category is_vessel seen_again run_id entry",
		example: "SELECT vessel_id, name, company_before, company_after, seen_before, seen_after FROM ownership_changes\nWHERE role = 'registered_owner' AND is_vessel ORDER BY seen_after DESC LIMIT 5"},
	{name: "gone_dark", group: GroupReady, keys: "vessel_id", required: "vessel_id category navigational_status last_date last_seen complete_nights_since swept_nights_since world_nights_since proof proved",
		units:   map[string]string{"complete_nights_since": "nights", "swept_nights_since": "nights", "world_nights_since": "nights"},
		example: "SELECT world_zone, proof, count(*) AS vessels FROM gone_dark GROUP BY ALL ORDER BY vessels DESC"},
	{name: "zone_congestion", group: GroupReady, keys: "snapshot_date navigational_status world_zone category", required: "snapshot_date category navigational_status usual_nights",
		units:   map[string]string{"waiting": "vessels", "usual": "vessels", "usual_low": "vessels", "usual_high": "vessels", "above_usual": "vessels", "usual_nights": "nights"},
		example: "SELECT world_zone, category, waiting, usual, above_usual FROM zone_congestion\nWHERE snapshot_date = " + lastNight + " AND navigational_status = 'at-anchor' ORDER BY above_usual DESC NULLS LAST LIMIT 5"},
	{name: "arrivals", group: GroupReady, keys: "vessel_id first_seen entry", required: "snapshot_date world_zone vessel_id category navigational_status not_before proof proved first_seen run_id entry",
		references: map[string][]string{"from_zone": {"world_zones.value"}},
		example:    "SELECT snapshot_date, world_zone, count(*) AS arrivals FROM arrivals WHERE proved GROUP BY ALL ORDER BY ALL DESC LIMIT 5"},
	{name: "departures", group: GroupReady, keys: "vessel_id world_zone navigational_status last_seen", required: "snapshot_date world_zone vessel_id category navigational_status not_before proof proved last_seen",
		references: map[string][]string{"to_zone": {"world_zones.value"}},
		example:    "SELECT world_zone, to_zone, count(*) AS departures FROM departures WHERE to_zone IS NOT NULL GROUP BY ALL ORDER BY departures DESC LIMIT 5"},
	{name: "data_freshness", group: GroupReady, keys: "dataset band", required: "dataset band age_band vessels",
		units:   map[string]string{"band": "place in the order"},
		example: "PIVOT (SELECT dataset, age_band, round(share, 2) AS share FROM data_freshness) ON age_band USING any_value(share)"},
	{name: "known_gaps", group: GroupReady, keys: "vessel_id dataset field", required: "vessel_id dataset field reason",
		example: "SELECT g.reason, count(*) AS vessels FROM known_gaps AS g JOIN vessels AS v USING (vessel_id)\nWHERE g.dataset = 'particulars' AND g.field = 'deadweight_t' AND v.listed AND v.is_vessel GROUP BY g.reason ORDER BY vessels DESC"},
	{name: "identity_review", group: GroupReady, keys: "kind vessel_id other_vessel_ids value detail since", required: "kind detail since last_date run_id",
		example: "SELECT kind, count(*) AS cases, max(last_date) AS last_date FROM identity_review GROUP BY kind ORDER BY cases DESC"},

	{name: "companies", group: GroupReady, keys: "company_id", required: "company_id name spellings roles vessels owned managed ism_managed with_gross_tonnage with_deadweight since last_seen",
		units:   map[string]string{"owned": "vessels", "managed": "vessels", "ism_managed": "vessels", "with_gross_tonnage": "vessels", "with_deadweight": "vessels"},
		example: "SELECT name, roles, vessels, owned, managed, deadweight_t, with_deadweight FROM companies ORDER BY vessels DESC, name LIMIT 5"},
	{name: "company_names", group: GroupReady, keys: "name", required: "name company_id versions first_seen last_seen", units: map[string]string{"versions": "versions"},
		example: "SELECT n.company_id, count(*) AS vessels FROM vessels AS v JOIN company_names AS n ON n.name = v.registered_owner\nWHERE v.listed AND v.is_vessel GROUP BY n.company_id ORDER BY vessels DESC LIMIT 5"},
	{name: "company_fleet_of_night", group: GroupReady, everyNight: true, keys: "snapshot_date company_id role vessel_id", required: "snapshot_date company_id role company vessel_id category is_vessel",
		example: "SELECT company_id, count(DISTINCT vessel_id) AS vessels FROM company_fleet_of_night\nWHERE snapshot_date = " + lastNight + " AND is_vessel GROUP BY company_id ORDER BY vessels DESC LIMIT 5"},
	{name: "vessels_on_night", group: GroupReady, everyNight: true, keys: "snapshot_date vessel_id", required: "snapshot_date " + vesselsRequired,
		example: "SELECT flag, count(*) AS vessels FROM vessels_on_night WHERE snapshot_date = " + lastNight + " AND listed AND is_vessel GROUP BY flag ORDER BY vessels DESC LIMIT 5"},
	{name: "fleet_of_night", group: GroupReady, everyNight: true, keys: "snapshot_date vessel_id", required: "snapshot_date " + vesselsRequired,
		example: "SELECT flag, count(*) AS vessels FROM fleet_of_night WHERE snapshot_date = " + lastNight + " AND is_vessel GROUP BY flag ORDER BY vessels DESC LIMIT 5"},

	{name: "fleet_on", group: GroupMacros, keys: "vessel_id", like: "vessels", required: vesselsRequired,
		call: "fleet_on(DATE '2026-11-20')", parameters: nightParameter,
		example: "SELECT n.night, count(*) AS vessels, sum(f.deadweight_t) AS deadweight_t, count(f.deadweight_t) / count(*) AS share_known\nFROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) AS f WHERE f.is_vessel GROUP BY n.night ORDER BY n.night"},
	{name: "fleet_of", group: GroupMacros, keys: "vessel_id", like: "vessels", required: vesselsRequired,
		call: "fleet_of(DATE '2026-11-20')", parameters: nightParameter,
		example: "SELECT n.night, count(*) AS vessels, sum(f.deadweight_t) AS deadweight_t, count(f.deadweight_t) / count(*) AS share_known\nFROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_of(n.night) AS f WHERE f.is_vessel GROUP BY n.night ORDER BY n.night"},
	{name: "company_fleet", group: GroupMacros, keys: "company_id role vessel_id", required: "company_id role company vessel_id category is_vessel",
		call: "company_fleet(DATE '2026-11-20')", parameters: nightParameter,
		columns: map[string]string{"role": "What the company is to the vessel: registered_owner or manager.", "company": "Its name, as the lookup of the vessel has it.",
			"vessel_id": ofThatNight, "imo": ofThatNight, "mmsi": ofThatNight, "name": ofThatNight, "flag": ofThatNight, "vessel_type": ofThatNight,
			"category": ofThatNight, "is_vessel": ofThatNight, "gross_tonnage": ofThatNight, "deadweight_t": ofThatNight, "teu": ofThatNight, "year_built": ofThatNight},
		example: "SELECT f.role, f.name, f.flag, f.deadweight_t FROM company_fleet(" + lastNight + ") AS f\nWHERE f.company_id = (SELECT arg_max(company_id, vessels) FROM companies) AND f.is_vessel ORDER BY f.deadweight_t DESC NULLS LAST LIMIT 5"},
	{name: "vessels_as_of", group: GroupMacros, keys: "vessel_id", like: "vessels", required: vesselsRequired,
		call: "vessels_as_of(DATE '2026-11-20')", parameters: []Parameter{{Name: "moment", Meaning: "a night, such as DATE '2026-11-20', or an instant, such as TIMESTAMPTZ '2026-11-20 12:00:00+00'"}},
		example: "SELECT count(*) AS vessels, count(registered_owner) AS with_owner FROM vessels_as_of(" + lastNight + ")"},
	{name: "vessels_near", group: GroupMacros, keys: "vessel_id", required: "distance_nm vessel_id category is_vessel listed latitude longitude",
		call: "vessels_near(1.2, 103.8, 20)", units: map[string]string{"distance_nm": "nautical miles"},
		columns: map[string]string{"distance_nm": "From the position that was asked for."},
		parameters: []Parameter{
			{Name: "at_latitude", Meaning: "of the position, in degrees, such as 1.2; south is negative"},
			{Name: "at_longitude", Meaning: "of the position, in degrees, such as 103.8; west is negative"},
			{Name: "miles", Meaning: "nautical miles, such as 20"}},
		example: "SELECT n.name, n.flag, round(n.distance_nm, 1) AS distance_nm, n.position_at\nFROM (SELECT latitude, longitude FROM vessels WHERE position_at IS NOT NULL ORDER BY position_at DESC LIMIT 1) AS p, vessels_near(p.latitude, p.longitude, 200) AS n WHERE n.is_vessel ORDER BY n.distance_nm LIMIT 5"},
	{name: "changes_of", group: GroupMacros, keys: "vessel_id dataset field seen_after", like: "changes", required: changesRequired,
		call: "changes_of('IMO9811000')", parameters: []Parameter{{Name: "vessel", Meaning: "an IMO number, an MMSI or a vessel_id, such as 9811000 or 'IMO9811000'"}},
		example: "SELECT dataset, field, old_value, new_value, seen_before, seen_after\nFROM changes_of((SELECT max(vessel_id) FROM changes)) ORDER BY seen_after"},
	{name: "changes_between", group: GroupMacros, keys: "vessel_id dataset field seen_after", like: "changes", required: changesRequired,
		call: "changes_between(DATE '2026-11-20', DATE '2026-11-22')",
		parameters: []Parameter{
			{Name: "a", Meaning: "the first night that counts, such as DATE '2026-11-20', or an instant"},
			{Name: "b", Meaning: "the first night that does not count, such as DATE '2026-11-22', or an instant"}},
		example: "SELECT field, count(*) AS changes FROM changes_between((SELECT min(snapshot_date) FROM runs), (SELECT max(snapshot_date) + 1 FROM runs)) GROUP BY field ORDER BY changes DESC"},

	{name: "registration", group: GroupHistory, keys: versionKeys, required: versionRequired + " source known_since", lake: "listings sightings particulars",
		example: "SELECT flag, name, mmsi, valid_from, valid_to FROM registration\nWHERE vessel_id = (SELECT vessel_id FROM registration GROUP BY vessel_id ORDER BY count(*) DESC LIMIT 1) ORDER BY valid_from"},
	{name: "particulars", group: GroupHistory, keys: versionKeys, required: versionRequired + " operation", lake: "particulars",
		example: "SELECT vessel_id, length_m, beam_m, deadweight_t, year_built FROM particulars WHERE valid_to IS NULL LIMIT 5"},
	{name: "engine", group: GroupHistory, keys: versionKeys, required: versionRequired, lake: "engine",
		example: "SELECT engine_builder, count(*) AS vessels, avg(engine_power_kw) AS mean_power_kw\nFROM engine WHERE valid_to IS NULL GROUP BY engine_builder ORDER BY vessels DESC LIMIT 5"},
	{name: "management", group: GroupHistory, keys: versionKeys, required: versionRequired, lake: "management",
		example: "SELECT registered_owner, count(*) AS vessels FROM management WHERE valid_to IS NULL GROUP BY registered_owner ORDER BY vessels DESC LIMIT 5"},
	{name: "changes", group: GroupHistory, keys: "vessel_id dataset field seen_after", required: changesRequired,
		from:    "registration particulars engine management",
		example: "SELECT field, count(*) AS changes FROM changes WHERE old_value IS NOT NULL AND NOT flapping GROUP BY field ORDER BY changes DESC"},
	{name: "confirmed_changes", group: GroupHistory, keys: "vessel_id dataset field seen_after", required: "vessel_id dataset field old_value new_value seen_before seen_after snapshot_date respelled run_id entry",
		example: "SELECT dataset, field, count(*) AS changes FROM confirmed_changes WHERE NOT respelled GROUP BY ALL ORDER BY changes DESC"},
	{name: "listed", group: GroupHistory, keys: "vessel_id from_date", required: "vessel_id from_date last_date run_id has_country has_type", lake: "listings coverage",
		example: "SELECT missing_since, proof, count(*) AS left_the_list FROM listed WHERE absent_on IS NOT NULL GROUP BY ALL ORDER BY ALL"},

	{name: "vessel_registration", group: GroupHistory, keys: "vessel_id vessel_id_then valid_from", required: "vessel_id vessel_id_then snapshot_date valid_from first_seen last_seen run_id entry source",
		example: "SELECT vessel_id, vessel_id_then, name, flag, valid_from FROM vessel_registration\nWHERE vessel_id = (SELECT vessel_id FROM vessel_registration GROUP BY vessel_id ORDER BY count(*) DESC LIMIT 1) ORDER BY valid_from"},
	{name: "vessel_particulars", group: GroupHistory, keys: "vessel_id vessel_id_then valid_from", required: "vessel_id vessel_id_then snapshot_date valid_from first_seen last_seen run_id entry operation",
		example: "SELECT vessel_id, vessel_id_then, deadweight_t, valid_from FROM vessel_particulars ORDER BY valid_from DESC LIMIT 5"},
	{name: "vessel_engine", group: GroupHistory, keys: "vessel_id vessel_id_then valid_from", required: "vessel_id vessel_id_then snapshot_date valid_from first_seen last_seen run_id entry",
		example: "SELECT vessel_id, vessel_id_then, engine_builder, valid_from FROM vessel_engine ORDER BY valid_from DESC LIMIT 5"},
	{name: "vessel_management", group: GroupHistory, keys: "vessel_id vessel_id_then valid_from", required: "vessel_id vessel_id_then snapshot_date valid_from first_seen last_seen run_id entry",
		example: "SELECT vessel_id, vessel_id_then, registered_owner, manager, valid_from FROM vessel_management ORDER BY valid_from DESC LIMIT 5"},
	{name: "vessel_changes", group: GroupHistory, keys: "vessel_id vessel_id_then dataset field seen_after", required: "vessel_id vessel_id_then dataset field seen_before seen_after snapshot_date flapping respelled run_id entry",
		example: "SELECT vessel_id, field, old_value, new_value, seen_after FROM vessel_changes\nWHERE snapshot_date = (SELECT max(snapshot_date) FROM runs) AND old_value IS NOT NULL ORDER BY vessel_id LIMIT 5"},
	{name: "vessel_listed", group: GroupHistory, keys: "vessel_id vessel_id_then from_date", required: "vessel_id vessel_id_then from_date last_date run_id",
		example: "SELECT vessel_id, vessel_id_then, from_date, last_date, absent_on FROM vessel_listed ORDER BY from_date DESC LIMIT 5"},

	{name: "mmsi_claims", group: GroupIdentity, keys: "vessel_id mmsi", required: "vessel_id mmsi first_seen last_seen run_id",
		example: "SELECT mmsi, count(*) AS vessels FROM mmsi_claims GROUP BY mmsi HAVING count(*) > 1 ORDER BY vessels DESC"},
	{name: "second_mmsi_claims", group: GroupIdentity, keys: "vessel_id mmsi first_date", required: "vessel_id mmsi first_date last_date first_seen last_seen run_id", lake: "listings coverage",
		example: "SELECT vessel_id, mmsi, country, first_date, until FROM second_mmsi_claims ORDER BY first_date DESC LIMIT 5"},
	{name: "vessel_aliases", group: GroupIdentity, keys: "alias_id vessel_id since", required: "alias_id vessel_id since snapshot_date reason run_id", lake: namesVessels,
		example: "SELECT alias_id, vessel_id, since, reason FROM vessel_aliases WHERE until IS NULL LIMIT 5"},
	{name: "identity_conflicts", group: GroupIdentity, keys: "vessel_id dataset field raw_value snapshot_date", required: "vessel_id dataset field raw_value reason snapshot_date last_date run_id entry", lake: namesVessels,
		example: "SELECT field, raw_value, reason, count(*) AS vessels, max(last_date) AS last_date FROM identity_conflicts GROUP BY ALL ORDER BY last_date DESC LIMIT 5"},

	{name: "vessel_conflicts", group: GroupIdentity, keys: "vessel_id vessel_id_then dataset field raw_value snapshot_date", required: "vessel_id vessel_id_then dataset field raw_value reason snapshot_date last_date run_id entry",
		example: "SELECT c.vessel_id, v.name, c.field, c.raw_value, c.reason FROM vessel_conflicts AS c JOIN vessels AS v USING (vessel_id) ORDER BY c.last_date DESC LIMIT 5"},

	{name: "positions", group: GroupMovements, keys: "vessel_id run_id entry", required: "vessel_id seen_at operation run_id entry vessel_number", lake: "positions",
		example: "SELECT vessel_id, position_at, latitude, longitude, speed_kn FROM positions ORDER BY position_at DESC NULLS LAST LIMIT 5"},
	{name: "vessel_positions", group: GroupMovements, keys: "vessel_id vessel_id_then run_id entry", required: "vessel_id vessel_id_then seen_at operation run_id entry",
		example: "SELECT p.vessel_id, v.name, p.position_at, p.latitude, p.longitude FROM vessel_positions AS p JOIN vessels AS v USING (vessel_id) ORDER BY p.position_at DESC NULLS LAST LIMIT 5"},
	{name: "voyages", group: GroupMovements, keys: versionKeys, required: versionRequired + " operation", lake: "voyages sightings",
		example: "SELECT locode, count(*) AS vessels, min(eta) AS first_eta FROM voyages WHERE valid_to IS NULL AND locode IS NOT NULL GROUP BY locode ORDER BY vessels DESC LIMIT 5"},
	{name: "vessel_voyages", group: GroupMovements, keys: "vessel_id vessel_id_then valid_from", required: "vessel_id vessel_id_then snapshot_date valid_from first_seen last_seen run_id entry operation",
		example: "SELECT vessel_id, destination, eta, draught_m, navigational_status, valid_from FROM vessel_voyages\nWHERE vessel_id = (SELECT vessel_id FROM vessel_voyages WHERE destination IS NOT NULL GROUP BY vessel_id ORDER BY count(*) DESC LIMIT 1) ORDER BY valid_from"},
	{name: "episodes", group: GroupMovements, keys: "vessel_id sweep first_seen", required: "vessel_id navigational_status sweep first_seen last_seen first_date last_date nights nights_unseen run_id entry vessel_number",
		lake: "sightings coverage", references: filters,
		example: "SELECT world_zone, count(DISTINCT vessel_id) AS vessels FROM episodes\nWHERE navigational_status = 'at-anchor' AND last_date = (SELECT max(last_date) FROM episodes) GROUP BY world_zone ORDER BY vessels DESC LIMIT 5"},
	{name: "vessel_episodes", group: GroupMovements, keys: "vessel_id sweep first_seen", required: "vessel_id navigational_status sweep first_seen last_seen first_date last_date nights nights_unseen run_id entry vessel_id_then",
		example: "SELECT vessel_id, world_zone, first_date, last_date, nights FROM vessel_episodes WHERE navigational_status = 'moored' ORDER BY nights DESC LIMIT 5"},
	{name: "zone_daily", group: GroupMovements, keys: "snapshot_date world_zone navigational_status laden for_order vessel_type is_vessel", required: "snapshot_date navigational_status is_vessel vessels state run_id verdict",
		lake: "sightings coverage", references: filters,
		example: "SELECT snapshot_date, sum(vessels) AS at_anchor FROM zone_daily\nWHERE navigational_status = 'at-anchor' AND is_vessel AND state = 'complete' GROUP BY snapshot_date ORDER BY snapshot_date"},

	{name: "coverage", group: GroupWork, keys: "run_id operation kind value", required: "run_id snapshot_date operation kind value pages received_rows state", lake: "coverage", references: filters,
		example: "SELECT snapshot_date, operation, state, count(*) AS partitions FROM coverage GROUP BY ALL ORDER BY ALL DESC LIMIT 10"},
	{name: "status_searches", group: GroupWork, keys: "snapshot_date sweep", required: "snapshot_date sweep navigational_status state proves_absence",
		example: "SELECT snapshot_date, count(*) AS searches, count(*) FILTER (proves_absence) AS prove_absence FROM status_searches GROUP BY snapshot_date ORDER BY snapshot_date"},
	{name: "partitions", group: GroupWork, keys: "operation kind value", required: "operation kind value", lake: "coverage",
		units:   map[string]string{"rows": "vessels", "zeros": "nights"},
		example: "SELECT kind, covered_on, count(*) AS partitions FROM partitions GROUP BY ALL ORDER BY ALL"},
	{name: "requests", group: GroupWork, keys: "run_id entry", required: "run_id entry snapshot_date operation sent_at credits charge outcome", lake: "requests",
		references: map[string][]string{"entry": nil},
		example:    "SELECT operation, outcome, count(*) AS requests, sum(credits) AS credits FROM requests GROUP BY ALL ORDER BY ALL"},
	{name: "raw_answers", group: GroupWork, keys: "run_id entry", required: "run_id entry snapshot_date seen_at operation asked body", lake: "raw_answers", origin: "the operations of the configuration",
		references: map[string][]string{"entry": nil, "operation": nil},
		example:    "SELECT operation, count(*) AS answers, max(seen_at) AS latest FROM raw_answers GROUP BY operation ORDER BY operation"},
	{name: "issues", group: GroupWork, keys: "run_id entry vessel_id dataset field reason raw_value", required: "run_id entry snapshot_date dataset reason", lake: "issues",
		example: "SELECT dataset, field, reason, count(*) AS issues FROM issues GROUP BY ALL ORDER BY issues DESC LIMIT 10"},
	{name: "vessel_issues", group: GroupWork, keys: "run_id entry vessel_id_then dataset field reason raw_value", required: "run_id entry snapshot_date dataset reason",
		example: "SELECT i.vessel_id, v.name, i.field, i.raw_value, i.reason FROM vessel_issues AS i JOIN vessels AS v USING (vessel_id) ORDER BY i.snapshot_date DESC LIMIT 5"},
	{name: "run_credits", group: GroupWork, keys: "run_id", required: "run_id started_at spent unknown settled unproved",
		example: "SELECT run_id, spent, billed, settled, drift FROM run_credits ORDER BY run_id DESC LIMIT 7"},
	{name: "credits_daily", group: GroupWork, keys: "day job operation", required: "day operation requests answers credits unknown rows",
		example: "SELECT day, sum(credits) AS credits FROM credits_daily GROUP BY day ORDER BY day"},

	{name: "flags", group: GroupReference, keys: "flag", required: "flag name open_registry", origin: ofProgram,
		example: "SELECT f.open_registry, count(*) AS vessels FROM vessels AS v JOIN flags AS f USING (flag) WHERE v.listed AND v.is_vessel GROUP BY f.open_registry"},
	{name: "registers", group: GroupReference, keys: "register", required: "register flag name open_registry", origin: ofProgram,
		example: "SELECT r.name, count(*) AS vessels FROM vessels AS v JOIN registers AS r USING (register) WHERE v.listed AND v.is_vessel AND r.open_registry GROUP BY r.name ORDER BY vessels DESC LIMIT 5"},
	{name: "types", group: GroupReference, keys: "vessel_type", required: "vessel_type category is_vessel source", origin: ofProgram,
		example: "SELECT category, count(*) AS types FROM types WHERE is_vessel GROUP BY category ORDER BY types DESC"},
	{name: "world_zones", group: GroupReference, keys: "value", required: "value name", origin: ofProgram,
		example: "SELECT value, name FROM world_zones ORDER BY name"},
	{name: "navigational_statuses", group: GroupReference, keys: "value", required: "value meaning zoned labels", origin: ofProgram,
		example: "SELECT value, meaning, zoned FROM navigational_statuses"},
	{name: "countries", group: GroupReference, keys: "spelling", required: "spelling name source", origin: ofProgram,
		example: "SELECT flag, list(spelling) AS spellings FROM countries GROUP BY flag HAVING count(*) > 1"},
	{name: "vessel_types", group: GroupReference, keys: "spelling", required: "spelling name category is_vessel source", origin: ofProgram,
		example: "SELECT name, list(spelling) AS spellings FROM vessel_types GROUP BY name HAVING count(*) > 1"},
	{name: "maritime_identification_digits", group: GroupReference, keys: "digits flag", required: "digits flag name", origin: ofProgram,
		example: "SELECT v.vessel_id, v.mmsi, v.flag, m.name AS mmsi_says FROM vessels AS v JOIN maritime_identification_digits AS m ON m.digits = v.mmsi[1:3] LIMIT 5"},
	{name: "operations", group: GroupReference, keys: "operation", required: "operation kind credits per_minute paged", origin: ofProgram,
		units:   map[string]string{"per_minute": "requests"},
		example: "SELECT o.kind, count(*) AS requests, sum(r.credits) AS credits FROM requests AS r JOIN operations AS o USING (operation) GROUP BY o.kind ORDER BY credits DESC"},
	{name: "operation_datasets", group: GroupReference, keys: "operation dataset", required: "operation dataset lake_table share", origin: ofProgram,
		example: "SELECT d.dataset, round(sum(d.share * r.credits), 1) AS credits FROM requests AS r JOIN operation_datasets AS d USING (operation) GROUP BY d.dataset ORDER BY credits DESC"},

	{name: "internal.run_accounts", group: groupInternal, keys: "run_id"},
	{name: "internal.raw_operations", group: groupInternal, keys: "operation"},
	{name: "internal.latest", group: groupInternal, keys: "vessel_id", lake: "sightings positions"},
	{name: "internal.reported_statuses", group: groupInternal, keys: "vessel_id run_id entry", lake: "positions"},
	{name: "internal.doubtful_values", group: groupInternal, keys: "vessel_id field", lake: "listings"},
	{name: "internal.searches", group: groupInternal, keys: "snapshot_date sweep", lake: "coverage"},
	{name: "internal.latest_stays", group: groupInternal, keys: "vessel_id known_as search first_seen", lake: "sightings coverage"},
	{name: "internal.vessel_changes", group: groupInternal, keys: "vessel_key field seen_after", lake: namesVessels},
	{name: "internal.arrivals", group: groupInternal, keys: "snapshot_date world_zone vessel_key navigational_status first_seen", lake: "sightings coverage"},
	{name: "internal.departures", group: groupInternal, keys: "not_before world_zone vessel_key navigational_status last_seen", lake: "sightings coverage"},
}
