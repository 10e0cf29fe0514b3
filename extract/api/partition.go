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
// reads both from the canonical parameters. It returns false for lookups, which have no partition,
// and for searches without a filter.
func PartitionOf(operation, parameters string) (p Partition, page int, ok bool) {
	q, err := url.ParseQuery(parameters)
	if err != nil {
		return p, 0, false
	}
	switch operation {
	case ByStatus.Name:
		return Partition{KindStatus, statusValue(q)}, 1, true
	case ByType.Name:
		p = ListPartition(strings.TrimSpace(q.Get("type_specific")), strings.TrimSpace(q.Get("country")))
		return p, PositiveOr(q.Get("page"), 1), p.Value != ""
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

// PositiveOr returns a whole number from 1 that fits 32 bits, or the other number where the text
// is none. Page numbers, totals and page sizes are read by it.
func PositiveOr(text string, other int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= math.MaxInt32 {
		return n
	}
	return other
}
