package warehouse

import "strings"

// units are the units of columns by the ends of their names.
var units = []struct{ end, unit string }{
	{"_m3", "cubic metres"}, {"_m", "metres"}, {"_t", "tonnes"}, {"_kn", "knots"}, {"_deg", "degrees"}, {"_kw", "kilowatts"}, {"_days", "days"}, {"_hours", "hours"},
	{"latitude", "degrees"}, {"longitude", "degrees"}, {"teu", "containers of twenty feet"}, {"year_built", "year"},
	{"gross_tonnage", "GT"}, {"net_tonnage", "NT"},
	{"credits", "credits"}, {"credits_planned", "credits"}, {"credits_spent", "credits"}, {"credits_unknown", "credits"}, {"balance", "credits"},
	{"balance_before", "credits"}, {"balance_after", "credits"}, {"not_billed", "credits"}, {"drift", "credits"}, {"billed", "credits"}, {"settled", "credits"},
	{"spent", "credits"}, {"unknown", "credits"}, {"unproved", "credits"}, {"elsewhere", "credits"},
	{"requests", "requests"}, {"answers", "requests"}, {"rows", "rows"}, {"expected_rows", "vessels"}, {"received_rows", "vessels"}, {"pages", "pages"}, {"nights", "nights"}, {"nights_unseen", "nights"},
	{"vessels", "vessels"}, {"seen", "vessels"}, {"share", "share, 0 to 1"}, {"percent", "percent"},
}

// unitOf returns the unit of a column of a table.
func unitOf(table, column string) string {
	if unit, ok := descriptionOf(table).units[column]; ok {
		return unit
	}
	return UnitOf(column)
}

// UnitOf returns the unit of the columns of a name; empty if they have none, as identifiers and texts.
func UnitOf(column string) string {
	for _, u := range units {
		if column == u.end || strings.HasPrefix(u.end, "_") && strings.HasSuffix(column, u.end) {
			return u.unit
		}
	}
	return ""
}

// references are the columns that have the values of all columns of a name, in whichever table.
var references = map[string][]string{
	"vessel_id":           {"vessels.vessel_id", "vessel_aliases.alias_id"},
	"vessel_id_then":      {"vessels.vessel_id", "vessel_aliases.alias_id"},
	"alias_id":            {"registration.vessel_id"},
	"run_id":              {"runs.run_id"},
	"entry":               {"requests.entry"},
	"flag":                {"flags.flag"},
	"vessel_type":         {"types.vessel_type"},
	"world_zone":          {"world_zones.value"},
	"navigational_status": {"navigational_statuses.value"},
	"operation":           {"operations.operation"},
	"company_id":          {"companies.company_id"},
}

// referencesOf returns the columns that a column refers to. A key of the table that they are in refers
// to nothing.
func referencesOf(table, column string) []string {
	if to, ok := descriptionOf(table).references[column]; ok {
		return to
	}
	for _, to := range references[column] {
		if to == table+"."+column {
			return nil
		}
	}
	return references[column]
}
