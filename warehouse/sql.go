package warehouse

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed sql
var files embed.FS

// statement returns the SQL in sql/name.sql. A missing file is a bug, not an error.
func statement(name string) string {
	b, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// dataset is a table of versions. The statements of sql/dataset are the same for each, but
// for its name and its columns.
type dataset struct {
	Name    string
	Columns []column // what makes a version: a new value opens the next
	Kept    []column // what the evidence has beside, and is no reason for a new version
	Order   string   // of a night's observations of a vessel, n: the last word counts
}

// column of a dataset. One with a leader is kept with it: a flag without its country, or a
// category without its type, says nothing.
type column struct {
	Name   string
	Leader string
}

// All are the columns of the dataset that observations carry.
func (d dataset) All() []column { return append(d.Columns[:len(d.Columns):len(d.Columns)], d.Kept...) }

var datasets = []dataset{
	{
		Name: "registration",
		Columns: []column{{"imo", ""}, {"mmsi", ""}, {"name", ""}, {"callsign", ""}, {"flag", "country"}, {"country", ""},
			{"ship_type", ""}, {"vessel_type", ""}, {"category", "vessel_type"}, {"is_vessel", "vessel_type"}},
		Kept:  columns("country_iso source"),
		Order: "n.second DESC, n.seen_at, n.source, n.run_id, n.entry",
	},
	{
		Name: "particulars",
		Columns: columns("eni length_m beam_m deadweight_t gross_tonnage net_tonnage teu year_built hull builder material place_of_build " +
			"ballast_water fresh_water crude_oil gas_m3 grain_m3 bale_m3"),
		Kept:  columns("operation updated_at"),
		Order: "n.seen_at, n.operation, n.run_id, n.entry",
	},
	{
		Name:    "engine",
		Columns: columns("fuel_type propeller engine_type engine_builder engine_power_kw"),
		Order:   "n.seen_at, n.run_id, n.entry",
	},
	{
		Name: "management",
		Columns: columns("manager manager_email manager_address manager_website registered_owner registered_owner_email " +
			"registered_owner_address registered_owner_website ism ism_email ism_address ism_website ism_web class_society p_and_i"),
		Order: "n.seen_at, n.run_id, n.entry",
	},
}

func columns(names string) []column {
	var cs []column
	for _, name := range strings.Fields(names) {
		cs = append(cs, column{Name: name})
	}
	return cs
}

// statement returns the SQL in sql/dataset/name.sql for this dataset. A bad file is a bug,
// not an error.
func (d dataset) statement(name string) string {
	t := template.Must(template.New(name).Parse(statement("dataset/" + name)))
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		panic(err)
	}
	return b.String()
}
