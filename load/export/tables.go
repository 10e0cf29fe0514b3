package export

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Facts and history are namespaces: facts.particulars and history.particulars are two tables.
const (
	factsPrefix   = "facts."
	historyPrefix = "history."
)

// historyTables are the tables of the warehouse that are exported whole.
var historyTables = strings.Fields(`registration particulars engine management positions episodes listed changes vessel_aliases
	second_mmsi_claims identity_conflicts fleet_daily zone_daily runs partitions
	flags countries types vessel_types world_zones navigational_statuses maritime_identification_digits`)

// notExported are columns of the warehouse without a meaning outside of it: hashes of DuckDB's own.
var notExported = map[string]bool{"fingerprint": true}

// factsSort is the order of the rows of a lake file.
var factsSort = map[string]string{
	"listings": "vessel_id seen_at entry", "sightings": "vessel_id seen_at entry", "particulars": "vessel_id seen_at entry",
	"engine": "vessel_id seen_at entry", "management": "vessel_id seen_at entry", "positions": "vessel_id seen_at entry",
	"requests": "entry", "coverage": "operation kind value", "issues": "vessel_id entry dataset field reason raw_value", "vessels": "vessel_id",
}

// factsComments are the comments of facts tables. Those of their columns are the warehouse's, and below.
var factsComments = map[string]string{
	"listings":    "What each answer of the list of the fleet said of a vessel. One row per vessel and observation.",
	"sightings":   "Where the status searches returned a vessel. One row per vessel and observation.",
	"particulars": "What each answer said of the build and the capacities of a vessel. One row per vessel and observation.",
	"engine":      "What each answer said of the engine of a vessel. One row per vessel and observation.",
	"management":  "What each answer said of the owner and the managers of a vessel. One row per vessel and observation.",
	"positions":   "Positions as answered. One row per vessel and observation.",
	"requests":    "One row per request sent: the credit ledger.",
	"coverage":    "What each run proved it saw of each partition. Only complete coverage proves absence.",
	"issues":      "One row per value or record that was not accepted as received.",
	"vessels":     "The fleet as it was known after each night. One row per vessel and night.",
}

// factsColumnComments are the comments of columns of facts that no table of the warehouse has.
var factsColumnComments = map[string]string{
	"snapshot_date":      "The night.",
	"run_id":             "The run whose answer has it.",
	"entry":              "That answer in the run's journal.",
	"seen_at":            "When the answer was received.",
	"asked":              "The number that the lookup asked for.",
	"updated_at":         "When the service last updated the record.",
	"vessel_type_filter": "The filter of the search, in its own vocabulary; null if it had none.",
	"ship_type":          "The generic type.",
}

// similar names the tables of the warehouse whose comments describe the columns of facts, the best
// first.
var similar = map[string]string{
	"listings": "registration", "sightings": "episodes registration", "particulars": "particulars registration", "engine": "engine registration",
	"management": "management registration", "positions": "positions registration", "vessels": "vessels",
	"requests": "requests", "coverage": "coverage episodes", "issues": "issues",
}

// duckdbTypes are DuckDB's names of the types in a manifest, in the lake and in the warehouse.
var duckdbTypes = map[string]string{
	"string": "VARCHAR", "int": "INTEGER", "long": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE", "timestamptz": "TIMESTAMP WITH TIME ZONE",
}

// typeOf returns the name in a manifest of a type of DuckDB; false if it has none. A TIMESTAMP without
// a zone has none: nothing would say that it is UTC.
func typeOf(duckdb string) (string, bool) {
	if duckdb == "JSON" {
		return "string", true // a text in every engine; the comment of the column says what it holds
	}
	for name, t := range duckdbTypes {
		if t == duckdb {
			return name, true
		}
	}
	return "", false
}

// arrowTypes are the names in a manifest of Arrow's types.
var arrowTypes = map[arrow.Type]string{
	arrow.STRING: "string", arrow.INT32: "int", arrow.INT64: "long", arrow.FLOAT64: "double", arrow.BOOL: "boolean", arrow.DATE32: "date", arrow.TIMESTAMP: "timestamptz",
}

// columnsOf returns the columns of a table as DuckDB has them.
func (t Table) columnsOf() []warehouse.ExportColumn {
	var columns []warehouse.ExportColumn
	for _, c := range t.Columns {
		columns = append(columns, warehouse.ExportColumn{Name: c.Name, Type: duckdbTypes[c.Type], ID: c.ID})
	}
	return columns
}

// dictionary is the warehouse's own description of its tables.
type dictionary map[string]warehouse.Table

// column returns the description of a column; false if the table has none of that name.
func (d dictionary) column(table, name string) (warehouse.Definition, bool) {
	for _, c := range d[table].Columns {
		if c.Name == name {
			return c, true
		}
	}
	return warehouse.Definition{}, false
}

// tables describes every table of an export.
func (d dictionary) tables() (map[string]Table, error) {
	all := map[string]Table{}
	for _, t := range transform.Tables {
		facts, err := d.facts(t)
		if err != nil {
			return nil, err
		}
		all[factsPrefix+t.Name] = facts
	}
	vessels, err := d.vessels()
	if err != nil {
		return nil, err
	}
	all[factsPrefix+"vessels"] = vessels
	for _, name := range historyTables {
		if all[historyPrefix+name], err = d.history(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// facts describes a table of the lake.
func (d dictionary) facts(t transform.Table) (Table, error) {
	described := Table{Comment: factsComments[t.Name], Sort: strings.Fields(factsSort[t.Name])}
	for _, f := range t.Schema.Fields() {
		number, _ := f.Metadata.GetValue("PARQUET:field_id")
		id, err := strconv.Atoi(number)
		if err != nil {
			return Table{}, fmt.Errorf("facts.%s.%s has the field id %q", t.Name, f.Name, number)
		}
		described.Columns = append(described.Columns, Column{id, f.Name, arrowTypes[f.Type.ID()], d.factsComment(t.Name, f.Name)})
	}
	return described, nil
}

// vessels describes the lake's copy of the view vessels.
func (d dictionary) vessels() (Table, error) {
	described := Table{Comment: factsComments["vessels"], Sort: strings.Fields(factsSort["vessels"])}
	names, ids := load.VesselColumns()
	for _, name := range names {
		c := Column{ids[name], name, "date", d.factsComment("vessels", name)}
		if in, ok := d.column("vessels", name); ok {
			if c.Type, ok = typeOf(in.Type); !ok {
				return Table{}, fmt.Errorf("facts.vessels.%s has the type %s, which an export has no name for", name, in.Type)
			}
		}
		described.Columns = append(described.Columns, c)
	}
	return described, nil
}

// factsComment returns the comment of a column of facts.
func (d dictionary) factsComment(table, column string) string {
	if column == "snapshot_date" {
		return factsColumnComments[column]
	}
	for _, t := range strings.Fields(similar[table]) {
		if c, ok := d.column(t, column); ok && (c.Comment != "" && !(column == "run_id" || column == "entry") || t == table) {
			return c.Comment
		}
	}
	return factsColumnComments[column]
}

// history describes a table of the warehouse.
func (d dictionary) history(name string) (Table, error) {
	in, ok := d[name]
	if !ok {
		return Table{}, fmt.Errorf("the warehouse has no table %s", name)
	}
	described := Table{Comment: in.Comment, Sort: warehouse.Keys(name)}
	for _, c := range in.Columns {
		if notExported[c.Name] {
			continue
		}
		id, ok := fieldIDs[historyPrefix+name+"."+c.Name]
		if !ok {
			return Table{}, fmt.Errorf("history.%s.%s has no field id: another program made this warehouse; `fleetlake rebuild` makes it anew", name, c.Name)
		}
		is, ok := typeOf(c.Type)
		if !ok {
			return Table{}, fmt.Errorf("history.%s.%s has the type %s, which an export has no name for", name, c.Name, c.Type)
		}
		described.Columns = append(described.Columns, Column{id, c.Name, is, c.Comment})
	}
	return described, nil
}

//go:embed field_ids.txt
var fieldIDLines string

// fieldIDs are the ids of the columns of history tables, by names such as history.runs.job. A line
// of the list never changes and is never removed, also if its column is.
var fieldIDs = parseFieldIDs(fieldIDLines)

func parseFieldIDs(lines string) map[string]int {
	ids := map[string]int{}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, number, _ := strings.Cut(line, " ")
		id, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("field_ids.txt: %q", line)) // a bug, not an error
		}
		ids[historyPrefix+name] = id
	}
	return ids
}
