package transform

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// Rules is the number of the rules by which values are read. Whoever changes what a rule makes of a value raises
// it: the next run then rebuilds the lake, because a value that two rules read would seem to have changed.
const Rules = 8

// Table is one kind of lake file: its name and its columns.
type Table struct {
	Name   string
	Schema *arrow.Schema
	Sort   []string // the columns that the rows are sorted by, in ascending order and with nulls first

	own    []column       // of a dataset: the columns between the vessel and `raw`
	places map[string]int // of the own columns, by their names
}

// column is one column of a table. Its field id never changes and is never used again.
type column struct {
	id   int
	name string
	typ  arrow.DataType
	rule *rule // how it is read from an answer; nil where the program computes it

	// What the column means, if the warehouse's table of the dataset has it. The comments of the other
	// columns, which every table has or only one, are in warehouse/sql/views/comments.
	comment string
}

// made is a column that the program computes.
func made(id int, name string, typ arrow.DataType) column {
	return column{id: id, name: name, typ: typ}
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
	text        = arrow.BinaryTypes.String
	integer     = arrow.PrimitiveTypes.Int32
	double      = arrow.PrimitiveTypes.Float64
	boolean     = arrow.FixedWidthTypes.Boolean
	date        = arrow.FixedWidthTypes.Date32
	instant     = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	evidence    = []column{made(1, "run_id", text), made(2, "entry", integer)} // the answer of a row
	identity    = []column{made(3, "seen_at", instant), made(4, "vessel_id", text), made(5, "imo", integer), made(6, "mmsi", text), snapshotDate}
	rawAndExtra = []column{made(90, "raw", text), made(91, "extra", text)} // values and keys that no other column has
)

// snapshotDate is the night of the run. It is in the path of each file, and in the file as well, for
// engines that do not read paths. Its field id is the same in all tables.
var snapshotDate = made(7, "snapshot_date", date)

// The lake tables. Every row names the answer that it comes from. `raw` is the text of a JSON object with each
// value that a rule changed or refused, as it came, under the API's key; `extra` is one with the keys
// that have no column. Each column is one line: to add a column to a dataset, add its line here and
// a migration to the warehouse, as CONTRIBUTING.md describes.
var (
	registered = []column{ // who a vessel is
		{10, "name", text, nil, "In upper case, as AIS writes it."},
		{11, "callsign", text, nil, "Radio call sign."},
		{12, "flag", text, nil, "ISO 3166 alpha-2; null if unknown. See flags."},
		{13, "country", text, nil, "The country of the flag, in the one spelling of flags.name; one that is in no list as the service writes it."},
		{14, "country_iso", text, nil, "The code that the service gives; known to be wrong at times, so it opens no version."},
		{15, "ship_type", text, nil, "Broad category, as the service gives it."},
		{16, "vessel_type", text, nil, "Specific type, in the one spelling of types.vessel_type; one that is in no list as the service writes it."},
		{17, "category", text, nil, "Of the specific type; see types.category. Null if there is none: vessels.category has unknown instead."},
		{18, "is_vessel", boolean, nil, "False for beacons, buoys, platforms and aircraft, by the specific type; null without one: vessels.is_vessel is never null."},
	}

	register = []column{ // which has a later field id
		{27, "register", text, nil, "The register of ships: the flag's, by its name in flags, or one of several that its state has (NIS, Madeira); see registers. Null for the country Unknown."},
	}

	searched = []column{ // what a status search asked for
		made(20, "navigational_status", text),
		made(21, "world_zone", text),
		made(22, "vessel_type_filter", text),
		made(23, "laden", text),
		made(24, "for_order", boolean),
	}

	Listings  = dataset("listings", registered, register)
	Sightings = dataset("sightings", []column{
		made(10, "name", text),
		made(12, "flag", text),
		made(13, "country", text),
		made(15, "ship_type", text),
	}, searched, []column{made(25, "sweep", text)}, register)
	Particulars = dataset("particulars", registered, []column{
		{19, "eni", text, from(asText, "eni"), "European number of an inland vessel."},
	}, register, []column{
		{30, "operation", text, nil, "The operation of the evidence: particulars or info."},
		made(31, "asked", text),
		{32, "updated_at", instant, from(asPast, "updatetime"), "When the service last updated its record, by its own account; it changes without other news, so it opens no version."},
		{40, "length_m", double, from(as(quantity{units: metres, zero: zeroIsFault, most: 600}), "length"), "Metres."},
		{41, "beam_m", double, from(as(quantity{units: metres, zero: zeroIsFault, most: 150}), "beam"), "Metres."},
		{42, "deadweight_t", double, from(as(quantity{units: tonnes, zero: zeroIsFault, most: 1_000_000}), "deadweight"), "Tonnes."},
		{43, "gross_tonnage", double, from(as(quantity{units: []string{"gt", "grt", "t"}, zero: zeroIsFault, most: 1_000_000}), "grosstonnage"), "Gross tonnage."},
		{44, "net_tonnage", double, from(as(quantity{units: []string{"nt", "nrt", "t"}, most: 1_000_000}), "nettonnage"), "Net tonnage."},
		{45, "teu", integer, from(asWhole(quantity{units: []string{"teu"}, most: 100_000}), "teu"), "Containers of twenty feet."},
		{46, "year_built", integer, from(asYearBuilt, "yearofbuilt"), "Year."},
		{47, "hull", text, from(asText, "hull"), "Kind of hull."},
		{48, "builder", text, from(asText, "builder"), "Shipyard."},
		{49, "material", text, from(asText, "material"), "Of the hull."},
		{50, "place_of_build", text, from(asText, "placeofbuild"), "Place of the shipyard."},
		{51, "ballast_water_m3", double, from(capacity, "ballastwater"), "Capacity, cubic metres."},
		{52, "fresh_water_m3", double, from(capacity, "freshwater"), "Capacity, cubic metres."},
		{53, "crude_oil_m3", double, from(capacity, "crudeoil"), "Capacity, cubic metres."},
		{54, "gas_m3", double, from(capacity, "gas"), "Capacity, cubic metres."},
		{55, "grain_m3", double, from(capacity, "grain"), "Capacity, cubic metres."},
		{56, "bale_m3", double, from(capacity, "bale"), "Capacity, cubic metres."},
	})
	Engine = dataset("engine", []column{
		{40, "fuel_type", text, from(asText, "fueltype"), "Fuel."},
		{41, "propeller", text, from(asText, "propeller"), "Kind of propeller."},
		{42, "engine_type", text, from(asText, "enginetype"), "Model of the engine."},
		{43, "engine_builder", text, from(asText, "enginebuilder"), "Maker of the engine."},
		{44, "engine_power_kw", double, from(as(quantity{units: []string{"kw"}, zero: zeroIsFault, most: 500_000}), "enginepowerkw", "enginepower"), "Kilowatts."},
	})
	Management = dataset("management", []column{
		{40, "manager", text, from(asText, "manager"), "Company that manages the vessel."},
		{41, "manager_email", text, from(asLower, "manageremail"), "Of the manager."},
		{42, "manager_address", text, from(asText, "manageraddress"), "Of the manager."},
		{43, "manager_website", text, from(asLower, "managerwebsite"), "Of the manager."},
		{44, "registered_owner", text, from(asText, "registeredowner"), "Company that owns the vessel."},
		{45, "registered_owner_email", text, from(asLower, "registeredowneremail"), "Of the owner."},
		{46, "registered_owner_address", text, from(asText, "registeredowneraddress"), "Of the owner."},
		{47, "registered_owner_website", text, from(asLower, "registeredownerwebsite"), "Of the owner."},
		{48, "ism", text, from(asText, "ism"), "Company responsible under the safety management code."},
		{49, "ism_email", text, from(asLower, "ismemail"), "Of that company."},
		{50, "ism_address", text, from(asText, "ismaddress"), "Of that company."},
		{51, "ism_website", text, from(asLower, "ismwebsite"), "Of that company."},
		{52, "ism_web", text, from(asLower, "ismweb"), "Of that company; a second address that the service lists."},
		{53, "class_society", text, from(asText, "classificationsociety"), "Classification society."},
		{54, "p_and_i", text, from(asText, "pi", "pandi"), "Protection and indemnity club."},
	})
	Positions = dataset("positions", []column{
		{30, "operation", text, nil, "The operation of the answer."},
		{id: 32, name: "updated_at", typ: instant, rule: from(asPast, "updatetime")},
		{40, "position_at", instant, from(asPast, "positionreceived"), "When the position was observed, by the service's own word; null if it does not say: seen_at is when we received the answer."},
		{41, "latitude", double, from(as(quantity{units: degrees, zero: zeroIsValue, least: -90, most: 90, sentinels: []float64{91}}), "latitude"), "Degrees, north positive."},
		{42, "longitude", double, from(as(quantity{units: degrees, zero: zeroIsValue, least: -180, most: 180, sentinels: []float64{181}}), "longitude"), "Degrees, east positive."},
		{43, "speed_kn", double, from(as(quantity{units: knots, zero: zeroIsValue, most: 102.2, sentinels: []float64{102.3}}), "speed"), "Knots."},
		{44, "course_deg", double, from(as(quantity{units: degrees, zero: zeroIsValue, most: below360, sentinels: []float64{360}}), "course"), "Course over ground, degrees."},
		{45, "heading_deg", double, from(as(quantity{units: degrees, zero: zeroIsValue, most: below360, sentinels: []float64{511}}), "heading"), "Degrees."},
		{46, "draught_m", double, from(asDraught, "draught", "currentdraught"), "Metres."},
		{47, "max_draught_m", double, from(asMaxDraught, "draught"), "Greatest draught that the service knows of, metres."},
		{48, "navigational_status", text, from(asStatus, "navigationalstatus"), "See navigational_statuses."},
		{49, "destination", text, from(asText, "destination"), "As the crew entered it, cleaned."},
		{50, "destination_unlocode", text, from(asLocode, "unlocodedestination"), "UN/LOCODE of the destination."},
		{51, "eta", instant, from(asFuture, "etautc"), "Estimated arrival."},
		{52, "last_port", text, from(asText, "lastport"), "Last port."},
		{53, "last_port_unlocode", text, from(asLocode, "unlocodelastport"), "UN/LOCODE of the last port."},
		{54, "departed_at", instant, from(asPast, "atdutc"), "Departure from the last port."},
		{55, "data_source", text, from(asLower, "datasource"), "The source that the service names for the position."},
		{56, "position_at_from", text, nil, "The key of the answer that position_at is from: positionReceived or, in an answer about the position alone, updateTime, when the service last changed its record. Null without position_at."},
	})
	Voyages = dataset("voyages", []column{ // whose values are those of the position in the same answer
		{30, "operation", text, nil, "The operation of the evidence: a lookup, or by-status."},
		{32, "updated_at", instant, nil, "When the service last updated its record, by its own account; it changes without other news, so it opens no version."},
		{id: 40, name: "position_at", typ: instant},
		{41, "destination", text, nil, "As the crew entered it, cleaned; raw has it as received."},
		{42, "locode", text, nil, "UN/LOCODE of the destination."},
		{43, "eta", instant, nil, "Estimated arrival at the destination."},
		{44, "last_port", text, nil, "Last port."},
		{45, "last_port_locode", text, nil, "UN/LOCODE of the last port."},
		{46, "departed_at", instant, nil, "Departure from the last port."},
		{47, "draught_m", double, nil, "Metres."},
		{48, "max_draught_m", double, nil, "Greatest draught that the service knows of, metres."},
		{49, "navigational_status", text, nil, "See navigational_statuses."},
	})

	RawAnswers = table("raw_answers", "operation entry", evidence, []column{
		{id: 3, name: "seen_at", typ: instant}, {id: 4, name: "vessel_id", typ: text}, snapshotDate,
		{id: 10, name: "operation", typ: text}, {id: 11, name: "asked", typ: text}, {id: 12, name: "body", typ: text},
	})

	Requests = table("requests", "entry", evidence, []column{
		snapshotDate, made(10, "operation", text), made(11, "parameters", text), made(12, "sent_at", instant),
		made(13, "received_at", instant), made(14, "http_status", integer),
		made(15, "credits", integer), made(16, "charge", text), made(17, "outcome", text),
		made(18, "rows", integer),
	})
	Coverage = table("coverage", "operation kind value", []column{
		made(1, "run_id", text), snapshotDate, made(10, "operation", text), made(11, "kind", text),
		made(12, "value", text),
		made(13, "pages", integer), made(14, "expected_rows", integer), made(15, "received_rows", integer),
		made(16, "state", text), made(17, "reason", text),
	}, searched)
	Issues = table("issues", "vessel_id entry dataset field reason raw_value", evidence, []column{
		made(4, "vessel_id", text), snapshotDate, made(10, "dataset", text), made(11, "field", text),
		made(12, "raw_value", text), made(13, "reason", text),
	})
)

// Tables lists the lake tables that a run writes, facts first.
var Tables = []Table{Listings, Sightings, Particulars, Engine, Management, Positions, Voyages, RawAnswers, Requests, Coverage, Issues}

// Comment says what a column of a dataset means, in one or two sentences.
type Comment struct{ Dataset, Column, Text string }

// Comments returns those of the columns that the warehouse keeps, by the dataset that has them there:
// who a vessel is belongs to registration, whichever answer says it.
func Comments() []Comment {
	var all []Comment
	for _, t := range Tables {
		for _, c := range t.own {
			switch isRegistered := slices.ContainsFunc(Listings.own, func(r column) bool { return r.name == c.name }); {
			case c.comment == "" || isRegistered && t.Name != Listings.Name:
			case isRegistered:
				all = append(all, Comment{ofRegistration, c.name, c.comment})
			default:
				all = append(all, Comment{t.Name, c.name, c.comment})
			}
		}
	}
	return all
}

// dataset returns the table of a dataset: its own columns between those of the vessel and raw and extra.
func dataset(name string, groups ...[]column) Table {
	own := slices.Concat(groups...)
	t := table(name, "vessel_id seen_at entry", evidence, identity, own, rawAndExtra)
	t.own, t.places = own, make(map[string]int, len(own))
	for i, c := range own {
		t.places[c.name] = i
	}
	return t
}

// table makes a schema of nullable columns, each with its Parquet field id. sort has the names of the
// columns that the rows are sorted by.
func table(name, sort string, groups ...[]column) Table {
	var fields []arrow.Field
	for _, group := range groups {
		for _, c := range group {
			id := arrow.NewMetadata([]string{"PARQUET:field_id"}, []string{strconv.Itoa(c.id)})
			fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true, Metadata: id})
		}
	}
	return Table{Name: name, Schema: arrow.NewSchema(fields, nil), Sort: strings.Fields(sort)}
}
