package transform

import "cmp"

// Reason is why a value or a record was not accepted as it came. Reasons are few and fixed, so that
// they can be counted. Parsers return one as their error.
type Reason string

// Error returns the reason as the issues table has it.
func (r Reason) Error() string { return string(r) }

// These are the reasons of issues.
const (
	NotJSON         Reason = "not json"
	NotUTF8         Reason = "not utf-8"
	UnexpectedShape Reason = "unexpected shape" // JSON, but not what the interface text promises
	NotARecord      Reason = "not a record"     // an item of a list that is not an object
	NoIdentity      Reason = "no identity"      // it has neither an IMO number nor an MMSI
	NoValues        Reason = "no values"        // an answer, or its part of a dataset, in which every field is empty or refused
	NotText         Reason = "not text"         // a boolean, list or object where text is promised
	NotSevenDigits  Reason = "not 7 digits"
	NotNineDigits   Reason = "not 9 digits"
	BadCheckDigit   Reason = "bad check digit"
	NotListed       Reason = "not in the list"
	NotANumber      Reason = "not a number"
	UnexpectedUnit  Reason = "unexpected unit"
	Zero            Reason = "zero" // of what no vessel has none of, such as a length
	OutOfBounds     Reason = "out of bounds"
	NotALocode      Reason = "not a locode"
	NotATime        Reason = "not a time"
	NoYear          Reason = "date without year"
	ISODisagrees    Reason = "country_iso disagrees"
	DigitsDisagree  Reason = "mmsi digits disagree"
	AnotherVessel   Reason = "another vessel" // the answer has another IMO number than the request
)

// These are not reasons of issues: they are for a column that is null, or accepted, although nothing
// is wrong.
const (
	absent  Reason = "absent"       // what the API writes for a missing value: null, raw not kept
	Filler  Reason = "filler"       // a placeholder such as IMO 1234567, or a zero that may mean none: null, raw kept
	noIssue        = Reason("none") // accepted
)

// These are the datasets that issues name.
const (
	ofRegistration = "registration"
	ofSighting     = "sighting"
	ofParticulars  = "particulars"
	ofEngine       = "engine"
	ofManagement   = "management"
	ofPosition     = "position"
	ofVoyage       = "voyage"
)

// LakeTables are the tables of the lake that have the rows of the datasets, and that issues of these are about.
var LakeTables = map[string]string{
	ofRegistration: Listings.Name, ofSighting: Sightings.Name, ofParticulars: Particulars.Name,
	ofEngine: Engine.Name, ofManagement: Management.Name, ofPosition: Positions.Name, ofVoyage: Voyages.Name,
}

// issue is a row of the issues table.
type issue struct {
	entry   int // number of the answer in its segment
	vessel  vesselID
	dataset string
	field   string // the column; empty when the issue is about the whole record or answer
	raw     string
	reason  Reason
}

// compareIssues compares issues by the order of the lake file.
func compareIssues(a, b issue) int {
	return cmp.Or(
		cmp.Compare(a.vessel, b.vessel), cmp.Compare(a.entry, b.entry), cmp.Compare(a.dataset, b.dataset),
		cmp.Compare(a.field, b.field), cmp.Compare(a.reason, b.reason), cmp.Compare(a.raw, b.raw),
	)
}
