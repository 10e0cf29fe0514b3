package api

import (
	"cmp"
	"slices"
	"strings"
)

// Operation is one call of the API, with the price and the rate limit of its requests and the shape of its answers.
type Operation struct {
	Name      string // in the journal, the tables and the configuration: "by-status"
	Method    string
	Path      string // relative to the base URL
	Credits   int    // the most one request can cost
	PerMinute int    // the documented rate limit, in requests
	List      string // a search: the member of its answer that lists the vessels; empty for all others
	Paged     bool   // a search: its answer is a page, with the total of all pages
	OnlyFound bool   // it costs credits only if its answer has a vessel
	Names422  bool   // a value that it does not accept is a 422 that names those that it does, and no 400
	Raw       bool   // the interface documents no field of its answers, which are kept whole
	Ceiling   bool   // what a request costs is not documented: Credits is the most that the configuration allows for
	datasets  string // of a vessel, that its answer has; a text, so that operations can be compared
}

// The operations that fleetlake uses, with the prices and limits of the interface text.
var (
	ByStatus = Operation{Name: "by-status", Method: "POST", Path: "/get-vessels-by-navigational-status",
		Credits: 10, PerMinute: 15, List: "vessels", datasets: "sighting"}
	ByType = Operation{Name: "by-type", Method: "GET", Path: "/vessels-by-types-and-countries",
		Credits: 10, PerMinute: 50, List: "items", Paged: true, OnlyFound: true, Names422: true, datasets: "registration"}
	Info = Operation{Name: "info", Method: "GET", Path: "/get-vessel-info",
		Credits: 5, PerMinute: 15, datasets: "particulars engine management position voyage"}
	Location = Operation{Name: "location", Method: "GET", Path: "/get-vessel-location",
		Credits: 1, PerMinute: 15, datasets: "position voyage"} // its limit is not documented: this is that of info
	Particulars = Operation{Name: "particulars", Method: "GET", Path: "/get-vessel-particulars",
		Credits: 1, PerMinute: 50, datasets: "particulars"}
	Credits = Operation{Name: "credits", Method: "GET", Path: "/my-credits", Credits: 0, PerMinute: 50}
)

// Operations lists every operation, in the order of reports.
var Operations = []Operation{ByStatus, ByType, Info, Location, Particulars, Credits}

// PageSize is the number of vessels on a full page of the type/country search.
const PageSize = 100

// OperationNamed returns the operation with a name; false if there is none.
func OperationNamed(name string) (Operation, bool) {
	for _, o := range Operations {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// Named returns the operation that a journal entry names. A name that is none of Operations is one that the
// configuration of that run gave to an operation of the service whose answers are kept whole.
func Named(name string) Operation {
	if o, ok := OperationNamed(name); ok {
		return o
	}
	return Operation{Name: name, Raw: true}
}

// IsSearch reports whether the operation searches for vessels.
func (o Operation) IsSearch() bool { return o.List != "" }

// IsLookup reports whether the operation looks up one vessel.
func (o Operation) IsLookup() bool { return o.datasets != "" && !o.IsSearch() }

// Datasets lists what an answer of the operation says of a vessel; empty for the credits call.
func (o Operation) Datasets() []string { return strings.Fields(o.datasets) }

// Kind returns what an answer is about: "search" for several vessels, "lookup" for one, "raw" for what the interface
// does not document, "account" for none.
func (o Operation) Kind() string {
	switch {
	case o.Raw:
		return "raw"
	case o.IsSearch():
		return "search"
	case o.IsLookup():
		return "lookup"
	}
	return "account"
}

// Shares returns the part of a request's credits that each dataset of the operation counts for; together 1. Datasets
// that another lookup sells without the rest count together as much as they cost there, a position and its voyage half
// each, and those that none sells so share what is left.
func (o Operation) Shares() map[string]float64 {
	weights, rest := map[string]float64{}, float64(o.Credits)
	for _, sold := range Lookups {
		if !o.hasMoreThan(sold) {
			continue
		}
		for _, dataset := range sold.Datasets() {
			if _, known := weights[dataset]; !known { // the cheapest counts
				weights[dataset] = float64(sold.Credits) / float64(len(sold.Datasets()))
				rest -= weights[dataset]
			}
		}
	}
	unsold := len(o.Datasets()) - len(weights)
	sum := 0.0
	for _, dataset := range o.Datasets() {
		if _, sold := weights[dataset]; !sold {
			weights[dataset] = max(0, rest) / float64(unsold)
		}
		sum += weights[dataset]
	}
	for dataset, weight := range weights {
		if weights[dataset] = weight / sum; sum == 0 { // free of charge
			weights[dataset] = 1 / float64(len(weights))
		}
	}
	return weights
}

// hasMoreThan reports whether an answer has all datasets of another operation's, and further ones.
func (o Operation) hasMoreThan(other Operation) bool {
	mine, others := o.Datasets(), other.Datasets()
	return len(others) < len(mine) && !slices.ContainsFunc(others, func(dataset string) bool { return !slices.Contains(mine, dataset) })
}

// Has reports whether an answer of the operation has a dataset.
func (o Operation) Has(dataset string) bool { return slices.Contains(o.Datasets(), dataset) }

// Searches lists the operations that search for vessels, in the order in which they get credits: those whose total
// prices the pages that follow go first.
var Searches = func() []Operation {
	all := slices.DeleteFunc(slices.Clone(Operations), func(o Operation) bool { return !o.IsSearch() })
	slices.SortStableFunc(all, func(a, b Operation) int {
		switch {
		case a.Paged == b.Paged:
			return 0
		case a.Paged:
			return -1
		}
		return 1
	})
	return all
}()

// Lookups lists the operations that look up one vessel, the cheapest first, and of one price the faster first.
var Lookups = func() []Operation {
	all := slices.DeleteFunc(slices.Clone(Operations), func(o Operation) bool { return !o.IsLookup() })
	slices.SortStableFunc(all, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Credits, b.Credits), cmp.Compare(b.PerMinute, a.PerMinute))
	})
	return all
}()

// StandsAlone reports whether a request is a question by itself, whose refusal is an answer: a lookup, or one of which
// the interface documents nothing. A search that is refused says nothing of its vessels.
func (o Operation) StandsAlone() bool { return o.IsLookup() || o.Raw }

// IsLookup reports whether the operation with a name looks up one vessel; false for an unknown name.
func IsLookup(operation string) bool {
	o, ok := OperationNamed(operation)
	return ok && o.IsLookup()
}
