package dictionary

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// KindLake is the kind of a table of the lake.
const KindLake = "lake table"

// LakePrefix begins the names of the tables of the lake, so that lake.particulars is not taken for the
// warehouse's table particulars.
const LakePrefix = "lake."

const lakeGroup = "lake"

// lakeTable is what the schema of a table of the lake does not say.
type lakeTable struct {
	comment  string
	keys     string // the columns that identify a row
	similar  string // the tables of the warehouse whose comments describe its columns, the best first
	example  string // columns and the rest of a SELECT, around its files
	required string // columns that are never null
	origin   string // where rows come from that no operation of the program has
}

// Columns of several tables of the lake.
const (
	observationKeys     = "run_id entry vessel_id"
	observationRequired = "run_id entry seen_at vessel_id snapshot_date"
)

var lakeTables = map[string]lakeTable{
	"listings": {keys: observationKeys, required: observationRequired, similar: "registration",
		comment: "What each answer of the list of the fleet said of a vessel. One row per vessel and observation; the warehouse's registration has a row per version.",
		example: "SELECT snapshot_date, count(DISTINCT vessel_id) AS vessels FROM {} GROUP BY snapshot_date ORDER BY snapshot_date"},
	"sightings": {keys: observationKeys, required: observationRequired, similar: "episodes registration",
		comment: "Where the status searches returned a vessel. One row per vessel and observation; the warehouse's episodes has a row per stay.",
		example: "SELECT world_zone, count(DISTINCT vessel_id) AS vessels FROM {} WHERE navigational_status = 'at-anchor' GROUP BY world_zone ORDER BY vessels DESC LIMIT 5"},
	"particulars": {keys: observationKeys, required: observationRequired, similar: "particulars registration",
		comment: "What each answer said of the build and the capacities of a vessel. One row per vessel and observation; the warehouse's table of the same name has a row per version.",
		example: "SELECT vessel_id, seen_at, length_m, deadweight_t FROM {} ORDER BY seen_at DESC LIMIT 5"},
	"engine": {keys: observationKeys, required: observationRequired, similar: "engine registration",
		comment: "What each answer said of the engine of a vessel. One row per vessel and observation; the warehouse's table of the same name has a row per version.",
		example: "SELECT vessel_id, seen_at, engine_builder, engine_power_kw FROM {} ORDER BY seen_at DESC LIMIT 5"},
	"management": {keys: observationKeys, required: observationRequired, similar: "management registration",
		comment: "What each answer said of the owner and the managers of a vessel. One row per vessel and observation; the warehouse's table of the same name has a row per version.",
		example: "SELECT vessel_id, seen_at, registered_owner, manager FROM {} ORDER BY seen_at DESC LIMIT 5"},
	"positions": {keys: observationKeys, required: observationRequired, similar: "positions registration",
		comment: "Positions as answered. One row per vessel and answer; the warehouse's table of the same name has each position once.",
		example: "SELECT vessel_id, position_at, latitude, longitude FROM {} ORDER BY position_at DESC LIMIT 5"},
	"voyages": {keys: observationKeys, required: observationRequired + " operation", similar: "voyages positions registration",
		comment: "What each answer of a lookup said of the voyage of a vessel, with coordinates or without. One row per vessel and answer; the warehouse's table of the same name has a row per version, and what the status searches prove.",
		example: "SELECT vessel_id, seen_at, destination, eta, draught_m FROM {} ORDER BY seen_at DESC LIMIT 5"},
	"requests": {keys: "run_id entry", required: "run_id entry snapshot_date operation sent_at credits charge outcome", similar: "requests",
		comment: "One row per request sent: the credit ledger. The warehouse's table of the same name has the same rows of the runs that are published.",
		example: "SELECT operation, sum(credits) AS credits FROM {} GROUP BY operation ORDER BY credits DESC"},
	"raw_answers": {keys: "run_id entry", origin: "the operations of the configuration", required: "run_id entry snapshot_date seen_at operation asked body", similar: "raw_answers",
		comment: "One row per answer of an operation whose fields the service does not document, whole. The warehouse's table of the same name has the same rows of the runs that are published.",
		example: "SELECT operation, count(*) AS answers FROM {} GROUP BY operation ORDER BY operation"},
	"coverage": {keys: "run_id operation kind value", required: "run_id snapshot_date operation kind value pages received_rows state", similar: "coverage episodes",
		comment: "What each run proved it saw of each partition. Only complete coverage proves absence. The warehouse's table of the same name has the same rows of the runs that are published.",
		example: "SELECT snapshot_date, state, count(*) AS partitions FROM {} GROUP BY ALL ORDER BY ALL"},
	"issues": {keys: "run_id entry vessel_id dataset field reason raw_value", required: "run_id entry snapshot_date dataset reason", similar: "issues",
		comment: "One row per value or record that was not accepted as received. The warehouse's table of the same name has the same rows of the runs that are published.",
		example: "SELECT dataset, field, reason, count(*) AS issues FROM {} GROUP BY ALL ORDER BY issues DESC LIMIT 5"},
	vessels: {keys: "snapshot_date vessel_id", required: "run_id snapshot_date vessel_id category is_vessel listed first_seen last_seen registration_seen_at", similar: "vessels",
		comment: "The fleet as it was known after each night. One row per vessel and night; the warehouse's view of the same name has the latest night only.",
		example: "SELECT snapshot_date, count(*) AS listed FROM {} WHERE listed AND is_vessel GROUP BY snapshot_date ORDER BY snapshot_date"},
}

// vessels is the lake's copy of the view vessels.
const vessels = "vessels"

// lakeColumns are the comments of columns of the lake that no table of the warehouse has, or that mean
// something else there.
var lakeColumns = map[string]string{
	"snapshot_date":      "The night.",
	"run_id":             "The run whose answer has it.",
	"entry":              "That answer in the run's journal.",
	"seen_at":            "When the answer was received.",
	"mmsi":               "The MMSI that the answer has: nine digits, leading zeros count.",
	"imo":                "The IMO number that the answer has; null if it has none.",
	"asked":              "The number that the lookup asked for.",
	"updated_at":         "When the service last updated the record.",
	"vessel_type_filter": "The filter of the search, in its own vocabulary; null if it had none.",
	"ship_type":          "The generic type.",
	"raw":                "Text of a JSON object, keyed as in the API: each value of that answer that a rule changed or refused, as received.",
	"extra":              "Text of a JSON object: keys of that answer that have no column.",
	"vessel_id":          "IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel without a known IMO number: as that answer names the vessel. The warehouse joins the ids of one vessel; see vessel_aliases.",
}

// own are the columns of every table of the lake that do not mean what those of their names in the
// warehouse do.
var own = []string{"snapshot_date", "raw", "extra"}

// Lake describes the tables of the lake of a data directory, with the comments of the warehouse where a column means the
// same.
func Lake(dir string, tables []warehouse.Table) []Entry {
	var all []Entry
	for _, t := range transform.Tables {
		e := lakeEntry(dir, t.Name)
		e.Sort = t.Sort
		for _, f := range t.Schema.Fields() {
			number, _ := f.Metadata.GetValue("PARQUET:field_id")
			id, err := strconv.Atoi(number)
			if err != nil {
				panic(err) // a bug, not an error
			}
			e.Columns = append(e.Columns, lakeColumn(tables, t.Name, f.Name, duckdbTypes[f.Type.ID()], id))
		}
		all = append(all, e)
	}
	e := lakeEntry(dir, vessels)
	e.Sort = []string{"vessel_id"}
	names, ids := load.VesselColumns()
	for _, name := range names {
		e.Columns = append(e.Columns, lakeColumn(tables, vessels, name, typeOf(tables, vessels, name), ids[name]))
	}
	return append(all, e)
}

// duckdbTypes are the types of lake files as DuckDB reads them.
var duckdbTypes = map[arrow.Type]string{
	arrow.STRING: "VARCHAR", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT", arrow.FLOAT64: "DOUBLE", arrow.BOOL: "BOOLEAN", arrow.DATE32: "DATE", arrow.TIMESTAMP: "TIMESTAMP WITH TIME ZONE",
}

// readsFiles begins the example of a table of the lake: what reads no files on behalf of others cannot run it.
const readsFiles = "-- of files: fleetlake query --unsafe-files, or a DuckDB of your own on this machine\n"

func lakeEntry(dir, name string) Entry {
	l := lakeTables[name]
	files := "lake/" + name + "/*/*.parquet"
	return Entry{
		Table: warehouse.Table{
			Name: LakePrefix + name, Kind: KindLake, Group: lakeGroup, Comment: l.comment, Keys: strings.Fields(l.keys),
			Lineage: warehouse.Lineage{Origin: l.origin},
			Example: readsFiles + strings.ReplaceAll(l.example, "{}", "read_parquet('"+strings.ReplaceAll(filepath.Join(dir, files), "'", "''")+"', union_by_name = true, hive_partitioning = false)"),
		},
		Operations: transform.OperationsOf(name), Files: files,
	}
}

func lakeColumn(tables []warehouse.Table, table, name, typ string, id int) warehouse.Definition {
	c := warehouse.Definition{Name: name, Type: typ, FieldID: id, Comment: lakeComment(tables, table, name), Unit: warehouse.UnitOf(name)}
	c.Nullable = !slices.Contains(strings.Fields(lakeTables[table].required), name)
	return c
}

// Prefixes of the tables of an export: facts are the tables of the lake, history those of the warehouse, ready its views.
const (
	factsPrefix   = "facts."
	historyPrefix = "history."
	readyPrefix   = "ready."
)

// ReadyViews are the views of the warehouse that an export has as tables: the fleet of now, the nights, and the views
// that are ready to use, but those that have every night of the fleet.
var ReadyViews = strings.Fields(`vessels nights night_verdicts reflaggings renamings ownership_changes gone_dark zone_congestion arrivals departures
	data_freshness known_gaps identity_review companies company_names`)

// Exported describes a table of an export, such as facts.positions or history.listed, of which it has the
// comment, the order of the rows in each file, and the columns with their types and comments.
func Exported(name, comment string, sort []string, columns []warehouse.Definition) Entry {
	var e Entry
	if table, ok := strings.CutPrefix(name, factsPrefix); ok {
		e = lakeEntry("", table)
		for _, c := range columns {
			c.Unit = warehouse.UnitOf(c.Name)
			c.Nullable = !slices.Contains(strings.Fields(lakeTables[table].required), c.Name)
			e.Columns = append(e.Columns, c)
		}
	} else {
		table := strings.TrimPrefix(strings.TrimPrefix(name, historyPrefix), readyPrefix)
		e = Entry{Table: warehouse.Describe(table, columns)}
		e.Operations = operationsOf(e.Lineage.Lake)
		for i := range e.Columns {
			e.Columns[i].References = exportedNames(e.Columns[i].References)
		}
		e.Lineage.From = exportedNames(e.Lineage.From)
		for i, lake := range e.Lineage.Lake {
			e.Lineage.Lake[i] = factsPrefix + lake
		}
	}
	e.Name, e.Comment, e.Sort, e.Kind = name, comment, sort, "table of the export"
	e.Example, e.Files = "", "" // of the data directory; current.json lists the files of an export
	return e
}

// exportedNames are the names in an export of tables of the warehouse, or of their columns.
func exportedNames(names []string) (all []string) {
	for _, name := range names {
		table, _, _ := strings.Cut(name, ".")
		switch {
		case table == "requests": // which only the facts have
			all = append(all, factsPrefix+name)
		case slices.Contains(ReadyViews, table):
			all = append(all, readyPrefix+name)
		default:
			all = append(all, historyPrefix+name)
		}
	}
	return all
}

// lakeComment returns the comment of a column of the lake.
func lakeComment(tables []warehouse.Table, table, column string) string {
	l := lakeTables[table]
	observation := l.keys == observationKeys
	if slices.Contains(own, column) || observation && slices.Contains([]string{"vessel_id", "imo", "mmsi"}, column) {
		return lakeColumns[column]
	}
	for _, name := range strings.Fields(l.similar) {
		c, ok := columnOf(tables, name, column)
		if ok && c.Comment != "" && (name == table || column != "run_id" && column != "entry") {
			return c.Comment
		}
	}
	return lakeColumns[column]
}

func columnOf(tables []warehouse.Table, table, column string) (warehouse.Definition, bool) {
	for _, t := range tables {
		for _, c := range t.Columns {
			if t.Name == table && c.Name == column {
				return c, true
			}
		}
	}
	return warehouse.Definition{}, false
}

func typeOf(tables []warehouse.Table, table, column string) string {
	if c, ok := columnOf(tables, table, column); ok {
		return c.Type
	}
	return "DATE" // the night, which only the file has
}

// operationsOf returns the operations whose answers are in some tables of the lake.
func operationsOf(lake []string) []string {
	var all []string
	for _, name := range lake {
		for _, o := range transform.OperationsOf(name) {
			if !slices.Contains(all, o) {
				all = append(all, o)
			}
		}
	}
	slices.Sort(all)
	return all
}
