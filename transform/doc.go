// Package transform turns the answers of a journal into rows of the lake. It is pure: it uses no
// clock, file, network or log, and no map order shows in its output, so the same entries give the
// same records on every day.
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
// A parser returns a value, or a Reason why there is none. Then the column is null, `raw` keeps
// the text of the answer, and an issue counts the refusal. A value that a rule changed (an
// underscore in a name, another spelling of a flag) keeps its text in `raw` too. A number with its
// unit and a time in one of its layouts say the same as their columns, so `raw` does not keep
// them. What the API writes for a missing value is null, without `raw` and without an issue. Keys
// for which there is no column are in `extra`.
//
// A record that names no vessel, and an answer whose shape is not the promised one, are issues as
// well: one bad record never costs the others.
//
// # Vessel ids
//
// A vessel_id is the evidence of its row alone: IMO9218301 where the row has a valid IMO number,
// else MMSI306256000. The warehouse joins the ids that belong to one vessel.
package transform
