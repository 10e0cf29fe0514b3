package transform

import "cmp"

// Reason says why a value or a record was not accepted as it came. Reasons are few and
// fixed, so that they can be counted.
type Reason string

func (r Reason) Error() string { return string(r) }

// The reasons that issues have.
const (
	NotJSON         Reason = "not json"
	NotUTF8         Reason = "not utf-8"
	UnexpectedShape Reason = "unexpected shape" // JSON, and not what the interface text promises
	NotARecord      Reason = "not a record"     // an item of a list that is not an object
	NoIdentity      Reason = "no identity"      // neither an IMO number nor an MMSI
	NotText         Reason = "not text"         // a boolean, list or object where text is promised
	NotSevenDigits  Reason = "not 7 digits"
	NotNineDigits   Reason = "not 9 digits"
	BadCheckDigit   Reason = "bad check digit"
	NotListed       Reason = "not in the list"
	NotANumber      Reason = "not a number"
	UnexpectedUnit  Reason = "unexpected unit"
	OutOfBounds     Reason = "out of bounds"
	NotATime        Reason = "not a time"
	NoYear          Reason = "date without year"
	ISODisagrees    Reason = "country_iso disagrees"
	DigitsDisagree  Reason = "mmsi digits disagree"
	AnotherVessel   Reason = "another vessel" // the answer is about an IMO number that was not asked for
)

// These are no issues: they tell the caller what kind of nothing a value is.
const (
	absent  Reason = "absent"       // what the API writes for nothing: null, and no trace
	Filler  Reason = "filler"       // what stands in for a value, like IMO 1234567: null, raw kept
	noIssue        = Reason("none") // accepted
)

// The datasets that issues name.
const (
	ofRegistration = "registration"
	ofSighting     = "sighting"
	ofParticulars  = "particulars"
	ofEngine       = "engine"
	ofManagement   = "management"
	ofPosition     = "position"
)

// issue is a row of the issues table.
type issue struct {
	entry   int
	vessel  vesselID
	dataset string
	field   string // our column; empty when the record or the answer is meant
	raw     string
	reason  Reason
}

// compareIssues puts issues in the order of the lake file.
func compareIssues(a, b issue) int {
	return cmp.Or(
		cmp.Compare(a.vessel, b.vessel), cmp.Compare(a.entry, b.entry), cmp.Compare(a.dataset, b.dataset),
		cmp.Compare(a.field, b.field), cmp.Compare(a.reason, b.reason), cmp.Compare(a.raw, b.raw),
	)
}
