// Package transform turns the answers of a journal into rows of the lake. It is pure: it uses no
// clock, file, network or log, and its output does not depend on the order of maps, so the same
// entries give the same records on every day.
//
// # Tables of an answer
//
//	by-type page   listings     one row per vessel and MMSI
//	by-status      sightings    one row per vessel, status, zone and filter
//	particulars    particulars
//	info           particulars, engine, management, positions
//	location       positions
//	any            requests, coverage, issues
//
// # Values
//
// A parser returns a value, or a Reason why there is none. Then the column is null, `raw` keeps the text of the
// answer, and an issue counts the refusal. `raw` also keeps the text of a value that a rule changed (an underscore in
// a name, a company in lower case, another spelling of a flag). It does not keep a number with its unit or a time in
// one of the known layouts, because their columns say the same. What the API writes for a missing value becomes null,
// without `raw` and without an issue. Keys without a column are in `extra`.
//
// A record without an IMO number or MMSI, and an answer of another shape than the interface text
// promises, are issues as well: one bad record never costs the others.
//
// # Vessel ids
//
// A vessel_id follows from its row alone: IMO9218301 where the row has a valid IMO number, else
// MMSI306256000. The warehouse joins the ids that belong to one vessel.
package transform
