package transform

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
)

// Table is one kind of lake file: its name and its columns.
type Table struct {
	Name   string
	Schema *arrow.Schema
}

// Column types that every engine which reads Parquet shares.
var (
	text     = arrow.BinaryTypes.String
	integer  = arrow.PrimitiveTypes.Int32
	double   = arrow.PrimitiveTypes.Float64
	boolean  = arrow.FixedWidthTypes.Boolean
	instant  = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	evidence = []column{{1, "run_id", text}, {2, "entry", integer}} // the answer that a row comes from
	identity = []column{{3, "seen_at", instant}, {4, "vessel_id", text}, {5, "imo", integer}, {6, "mmsi", text}}
)

// column is a name and a type under a field id that never changes and is never used again.
type column struct {
	id   int
	name string
	typ  arrow.DataType
}

// The lake tables. Every row names the answer that it comes from. `raw` holds, as a JSON
// object by the API's key, each value that a rule changed or refused, as it came; `extra`
// holds, likewise, the keys that no column has.
var (
	Listings = table("listings", evidence, identity, []column{
		{10, "name", text}, {11, "callsign", text}, {12, "flag", text}, {13, "country", text}, {14, "country_iso", text},
		{15, "ship_type", text}, {16, "vessel_type", text}, {17, "category", text}, {18, "is_vessel", boolean},
		{90, "raw", text}, {91, "extra", text},
	})
	Sightings = table("sightings", evidence, identity, []column{
		{10, "name", text}, {12, "flag", text}, {13, "country", text}, {15, "ship_type", text},
		{20, "navigational_status", text}, {21, "world_zone", text}, {22, "vessel_type_filter", text}, {23, "laden", text}, {24, "for_order", boolean},
		{90, "raw", text}, {91, "extra", text},
	})
	Particulars = table("particulars", evidence, identity, []column{
		{10, "name", text}, {11, "callsign", text}, {12, "flag", text}, {13, "country", text}, {14, "country_iso", text},
		{15, "ship_type", text}, {16, "vessel_type", text}, {17, "category", text}, {18, "is_vessel", boolean}, {19, "eni", text},
		{30, "operation", text}, {31, "asked", text}, {32, "updated_at", instant},
		{40, "length_m", double}, {41, "beam_m", double}, {42, "deadweight_t", double}, {43, "gross_tonnage", double}, {44, "net_tonnage", double},
		{45, "teu", integer}, {46, "year_built", integer}, {47, "hull", text}, {48, "builder", text}, {49, "material", text}, {50, "place_of_build", text},
		{51, "ballast_water", double}, {52, "fresh_water", double}, {53, "crude_oil", double}, {54, "gas_m3", double}, {55, "grain_m3", double}, {56, "bale_m3", double},
		{90, "raw", text}, {91, "extra", text},
	})
	Engine = table("engine", evidence, identity, []column{
		{40, "fuel_type", text}, {41, "propeller", text}, {42, "engine_type", text}, {43, "engine_builder", text}, {44, "engine_power_kw", double},
		{90, "raw", text}, {91, "extra", text},
	})
	Management = table("management", evidence, identity, []column{
		{40, "manager", text}, {41, "manager_email", text}, {42, "manager_address", text}, {43, "manager_website", text},
		{44, "registered_owner", text}, {45, "registered_owner_email", text}, {46, "registered_owner_address", text}, {47, "registered_owner_website", text},
		{48, "ism", text}, {49, "ism_email", text}, {50, "ism_address", text}, {51, "ism_website", text}, {52, "ism_web", text},
		{53, "class_society", text}, {54, "p_and_i", text},
		{90, "raw", text}, {91, "extra", text},
	})
	Positions = table("positions", evidence, identity, []column{
		{30, "operation", text}, {32, "updated_at", instant},
		{40, "position_at", instant}, {41, "latitude", double}, {42, "longitude", double}, {43, "speed_kn", double}, {44, "course_deg", double}, {45, "heading_deg", double},
		{46, "draught_m", double}, {47, "max_draught_m", double}, {48, "navigational_status", text},
		{49, "destination", text}, {50, "destination_unlocode", text}, {51, "eta", instant},
		{52, "last_port", text}, {53, "last_port_unlocode", text}, {54, "departed_at", instant}, {55, "data_source", text},
		{90, "raw", text}, {91, "extra", text},
	})
	Requests = table("requests", evidence, []column{
		{10, "operation", text}, {11, "parameters", text}, {12, "sent_at", instant}, {13, "received_at", instant}, {14, "http_status", integer},
		{15, "credits", integer}, {16, "charge", text}, {17, "outcome", text}, {18, "rows", integer},
	})
	Coverage = table("coverage", []column{
		{1, "run_id", text}, {10, "operation", text}, {11, "kind", text}, {12, "value", text},
		{13, "pages", integer}, {14, "expected_rows", integer}, {15, "received_rows", integer}, {16, "state", text}, {17, "reason", text},
	})
	Issues = table("issues", evidence, []column{
		{4, "vessel_id", text}, {10, "dataset", text}, {11, "field", text}, {12, "raw_value", text}, {13, "reason", text},
	})
)

// Tables lists the lake tables that a run writes, facts first.
var Tables = []Table{Listings, Sightings, Particulars, Engine, Management, Positions, Requests, Coverage, Issues}

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
