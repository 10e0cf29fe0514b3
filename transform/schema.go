package transform

import (
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
)

// Table is one kind of lake file: its name and its columns.
type Table struct {
	Name   string
	Schema *arrow.Schema

	own    []column       // of a dataset: the columns between the vessel and `raw`
	places map[string]int // of the own columns, by their names
}

// column is one column of a table. Its field id never changes and is never used again.
type column struct {
	id   int
	name string
	typ  arrow.DataType
	rule *rule // how it is read from an answer; nil where the program computes it
}

// rule reads a column from an answer about one vessel: the folded keys that may have its value, the
// best first, and the parser of the text.
type rule struct {
	keys []string
	read parser
}

// parser returns the value of a text, or a Reason as its error.
type parser func(s string, at *answer) (any, error)

func from(read parser, keys ...string) *rule { return &rule{keys, read} }

// Column types that every engine which reads Parquet shares.
var (
	text     = arrow.BinaryTypes.String
	integer  = arrow.PrimitiveTypes.Int32
	double   = arrow.PrimitiveTypes.Float64
	boolean  = arrow.FixedWidthTypes.Boolean
	date     = arrow.FixedWidthTypes.Date32
	instant  = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	evidence = []column{{1, "run_id", text, nil}, {2, "entry", integer, nil}} // the answer that a row comes from
	identity = []column{{3, "seen_at", instant, nil}, {4, "vessel_id", text, nil}, {5, "imo", integer, nil}, {6, "mmsi", text, nil}, snapshotDate}
	remains  = []column{{90, "raw", text, nil}, {91, "extra", text, nil}} // values and keys that no other column has
)

// snapshotDate is the night of the run. It is in the path of each file, and in the file as well, for
// engines that do not read paths. Its field id is the same in all tables.
var snapshotDate = column{7, "snapshot_date", date, nil}

// The lake tables. Every row names the answer that it comes from. `raw` is a JSON object with each
// value that a rule changed or refused, as it came, under the API's key; `extra` is one with the keys
// that have no column. Each column is one line: to add a column to a dataset, add its line here and
// a migration to the warehouse.
var (
	registered = []column{ // who a vessel is
		{10, "name", text, nil},
		{11, "callsign", text, nil},
		{12, "flag", text, nil},
		{13, "country", text, nil},
		{14, "country_iso", text, nil},
		{15, "ship_type", text, nil},
		{16, "vessel_type", text, nil},
		{17, "category", text, nil},
		{18, "is_vessel", boolean, nil},
	}

	Listings  = dataset("listings", registered)
	Sightings = dataset("sightings", []column{
		{10, "name", text, nil},
		{12, "flag", text, nil},
		{13, "country", text, nil},
		{15, "ship_type", text, nil},
		{20, "navigational_status", text, nil},
		{21, "world_zone", text, nil},
		{22, "vessel_type_filter", text, nil},
		{23, "laden", text, nil},
		{24, "for_order", boolean, nil},
	})
	Particulars = dataset("particulars", registered, []column{
		{19, "eni", text, from(asText, "eni")},
		{30, "operation", text, nil},
		{31, "asked", text, nil},
		{32, "updated_at", instant, from(asPast, "updatetime")},
		{40, "length_m", double, from(as(quantity{units: metres, most: 600}), "length")},
		{41, "beam_m", double, from(as(quantity{units: metres, most: 150}), "beam")},
		{42, "deadweight_t", double, from(as(quantity{units: tonnes, most: 1_000_000}), "deadweight")},
		{43, "gross_tonnage", double, from(as(quantity{units: []string{"gt", "grt", "t"}, most: 1_000_000}), "grosstonnage")},
		{44, "net_tonnage", double, from(as(quantity{units: []string{"nt", "nrt", "t"}, most: 1_000_000}), "nettonnage")},
		{45, "teu", integer, from(asWhole(quantity{units: []string{"teu"}, most: 100_000}), "teu")},
		{46, "year_built", integer, from(asYearBuilt, "yearofbuilt")},
		{47, "hull", text, from(asText, "hull")},
		{48, "builder", text, from(asText, "builder")},
		{49, "material", text, from(asText, "material")},
		{50, "place_of_build", text, from(asText, "placeofbuild")},
		{51, "ballast_water", double, from(capacity, "ballastwater")},
		{52, "fresh_water", double, from(capacity, "freshwater")},
		{53, "crude_oil", double, from(capacity, "crudeoil")},
		{54, "gas_m3", double, from(capacity, "gas")},
		{55, "grain_m3", double, from(capacity, "grain")},
		{56, "bale_m3", double, from(capacity, "bale")},
	})
	Engine = dataset("engine", []column{
		{40, "fuel_type", text, from(asText, "fueltype")},
		{41, "propeller", text, from(asText, "propeller")},
		{42, "engine_type", text, from(asText, "enginetype")},
		{43, "engine_builder", text, from(asText, "enginebuilder")},
		{44, "engine_power_kw", double, from(as(quantity{units: []string{"kw"}, most: 500_000}), "enginepowerkw", "enginepower")},
	})
	Management = dataset("management", []column{
		{40, "manager", text, from(asText, "manager")},
		{41, "manager_email", text, from(asText, "manageremail")},
		{42, "manager_address", text, from(asText, "manageraddress")},
		{43, "manager_website", text, from(asText, "managerwebsite")},
		{44, "registered_owner", text, from(asText, "registeredowner")},
		{45, "registered_owner_email", text, from(asText, "registeredowneremail")},
		{46, "registered_owner_address", text, from(asText, "registeredowneraddress")},
		{47, "registered_owner_website", text, from(asText, "registeredownerwebsite")},
		{48, "ism", text, from(asText, "ism")},
		{49, "ism_email", text, from(asText, "ismemail")},
		{50, "ism_address", text, from(asText, "ismaddress")},
		{51, "ism_website", text, from(asText, "ismwebsite")},
		{52, "ism_web", text, from(asText, "ismweb")},
		{53, "class_society", text, from(asText, "classificationsociety")},
		{54, "p_and_i", text, from(asText, "pi", "pandi")},
	})
	Positions = dataset("positions", []column{
		{30, "operation", text, nil},
		{32, "updated_at", instant, from(asPast, "updatetime")},
		{40, "position_at", instant, from(asPast, "positionreceived")},
		{41, "latitude", double, from(as(quantity{units: degrees, zero: true, least: -90, most: 90, sentinels: []float64{91}}), "latitude")},
		{42, "longitude", double, from(as(quantity{units: degrees, zero: true, least: -180, most: 180, sentinels: []float64{181}}), "longitude")},
		{43, "speed_kn", double, from(as(quantity{units: knots, zero: true, most: 102.2, sentinels: []float64{102.3}}), "speed")},
		{44, "course_deg", double, from(as(quantity{units: degrees, zero: true, most: below360, sentinels: []float64{360}}), "course")},
		{45, "heading_deg", double, from(as(quantity{units: degrees, zero: true, most: below360, sentinels: []float64{511}}), "heading")},
		{46, "draught_m", double, from(asDraught, "draught", "currentdraught")},
		{47, "max_draught_m", double, from(asMaxDraught, "draught")},
		{48, "navigational_status", text, from(asStatus, "navigationalstatus")},
		{49, "destination", text, from(asText, "destination")},
		{50, "destination_unlocode", text, from(asText, "unlocodedestination")},
		{51, "eta", instant, from(asFuture, "etautc")},
		{52, "last_port", text, from(asText, "lastport")},
		{53, "last_port_unlocode", text, from(asText, "unlocodelastport")},
		{54, "departed_at", instant, from(asPast, "atdutc")},
		{55, "data_source", text, from(asLower, "datasource")},
	})

	Requests = table("requests", evidence, []column{
		snapshotDate, {10, "operation", text, nil}, {11, "parameters", text, nil}, {12, "sent_at", instant, nil}, {13, "received_at", instant, nil}, {14, "http_status", integer, nil},
		{15, "credits", integer, nil}, {16, "charge", text, nil}, {17, "outcome", text, nil}, {18, "rows", integer, nil},
	})
	Coverage = table("coverage", []column{
		{1, "run_id", text, nil}, snapshotDate, {10, "operation", text, nil}, {11, "kind", text, nil}, {12, "value", text, nil},
		{13, "pages", integer, nil}, {14, "expected_rows", integer, nil}, {15, "received_rows", integer, nil}, {16, "state", text, nil}, {17, "reason", text, nil},
	})
	Issues = table("issues", evidence, []column{
		{4, "vessel_id", text, nil}, snapshotDate, {10, "dataset", text, nil}, {11, "field", text, nil}, {12, "raw_value", text, nil}, {13, "reason", text, nil},
	})
)

// Tables lists the lake tables that a run writes, facts first.
var Tables = []Table{Listings, Sightings, Particulars, Engine, Management, Positions, Requests, Coverage, Issues}

// dataset returns the table of a dataset: its own columns between those of the vessel and raw and extra.
func dataset(name string, groups ...[]column) Table {
	own := slices.Concat(groups...)
	t := table(name, evidence, identity, own, remains)
	t.own, t.places = own, make(map[string]int, len(own))
	for i, c := range own {
		t.places[c.name] = i
	}
	return t
}

// table makes a schema of nullable columns, each with its Parquet field id.
func table(name string, groups ...[]column) Table {
	var fields []arrow.Field
	for _, group := range groups {
		for _, c := range group {
			id := arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.Itoa(c.id)})
			fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true, Metadata: id})
		}
	}
	return Table{Name: name, Schema: arrow.NewSchema(fields, nil)}
}
