// Package transform turns the answers of a journal into rows of the lake. It is pure: no
// clock, no file, no network, no log, and no order of a map in what it makes, so that the
// same entries give the same records on every day.
//
// # What becomes of an answer
//
//	by-type page   listings     one row per vessel and MMSI
//	by-status      sightings    one row per vessel, status, zone and filter
//	particulars    particulars
//	info           particulars, engine, management, positions
//	location       positions
//	any            requests, coverage, issues
//
// # What becomes of a value
//
// A parser gives the value, or says why not with a Reason. Then the column is null, `raw`
// keeps what came, and an issue counts it. A value that a rule changed (an underscore in a
// name, another spelling of a flag) has its raw form in `raw` too. A number with its unit
// and a time in one of its forms say the same as their columns, and have not. What the API
// writes for nothing is null without a trace. Keys that no column has are in `extra`.
//
// A record that names no vessel, and an answer that is not what was promised, are issues as
// well: one bad record never costs the others.
//
// # What vessels are called
//
// A vessel_id is evidence of its row alone: IMO9218301 where the row has a valid IMO number,
// else MMSI306256000. To join the two is the warehouse's business.
package transform
