package api

import (
	"math"
	"net/url"
	"strconv"
	"strings"
)

// Kinds of partitions.
const (
	KindType           = "type"
	KindCountry        = "country"
	KindTypeAndCountry = "type+country"
	KindStatus         = "status"
)

// RefusedValue is a value that is in no list of accepted values: a search by it is refused, with the lists.
const RefusedValue = "?accepted-values"

// Partition is one unit of coverage: the vessels that one search finds, on all its pages. Kind and
// Value identify it in the journal's plans and in the tables, and never change.
type Partition struct {
	Kind  string
	Value string // "Panama", "Container Ship|Panama", "moored/north-sea?laden=ballast"
}

// ListPartition returns the partition of the type/country search with these filters, of which one
// may be empty.
func ListPartition(typ, country string) Partition {
	switch {
	case typ != "" && country != "":
		return Partition{KindTypeAndCountry, typ + "|" + country}
	case typ != "":
		return Partition{KindType, typ}
	}
	return Partition{KindCountry, country}
}

// Partition returns the partition of a sweep.
func (s Sweep) Partition() Partition { return Partition{KindStatus, s.String()} }

// PartitionOf returns the partition that a search requests, and the number of the page, from 1. It
// reads both from the canonical parameters. It returns false for lookups, which have no partition, for
// searches without a filter, and for the search by RefusedValue, which is of no vessels.
func PartitionOf(operation, parameters string) (p Partition, page int, ok bool) {
	q, err := url.ParseQuery(parameters)
	if err != nil {
		return p, 0, false
	}
	switch o, _ := OperationNamed(operation); {
	case o.Has("sighting"):
		return Partition{KindStatus, statusValue(q)}, 1, true
	case o.Has("registration"):
		if q.Get("country") == RefusedValue {
			return p, 0, false
		}
		p = ListPartition(strings.TrimSpace(q.Get("type_specific")), strings.TrimSpace(q.Get("country")))
		return p, positiveOr(q.Get("page"), 1), p.Value != ""
	}
	return p, 0, false
}

// statusValue returns the value of the partition of a status search.
func statusValue(q url.Values) string {
	value := q.Get("navigational_status")
	if zone := q.Get("world_zone"); zone != "" {
		value += "/" + zone
	}
	q.Del("navigational_status")
	q.Del("world_zone")
	if filters := q.Encode(); filters != "" {
		value += "?" + filters
	}
	return value
}

// Sweep returns the status search that a partition names: what Sweep.Partition has written. It returns
// false for a partition of another kind, and for a value that no status search has.
func (p Partition) Sweep() (Sweep, bool) {
	place, filters, _ := strings.Cut(strings.TrimSpace(p.Value), "?")
	q, err := url.ParseQuery(filters)
	if p.Kind != KindStatus || err != nil {
		return Sweep{}, false
	}
	status, zone, _ := strings.Cut(place, "/")
	s := SweepOf(q)
	s.Status, s.Zone = status, zone
	known := s.Request().Parameters
	for key := range q {
		if !known.Has(key) {
			return Sweep{}, false
		}
	}
	return s, status != ""
}

// Canonical returns the partition as PartitionOf spells it: without blanks around the value, and the
// filters of a status search in their order.
func (p Partition) Canonical() Partition {
	p.Value = strings.TrimSpace(p.Value)
	if s, ok := p.Sweep(); ok {
		return s.Partition()
	}
	return p
}

// positiveOr returns a whole number from 1 that fits 32 bits, or the other number where the text
// is none. Page numbers, totals and page sizes are read by it.
func positiveOr(text string, other int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= math.MaxInt32 {
		return n
	}
	return other
}
