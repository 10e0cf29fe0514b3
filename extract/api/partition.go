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

// Partition is one unit of coverage: what a search shows as a whole. Kind and Value name it for
// ever, in the journal's plans and in the tables.
type Partition struct {
	Kind  string
	Value string // "Panama", "Container Ship|Panama", "moored/north-sea?laden=ballast"
}

// ListPartition is the partition of the type/country search with these filters, of which one may be
// empty.
func ListPartition(typ, country string) Partition {
	switch {
	case typ != "" && country != "":
		return Partition{KindTypeAndCountry, typ + "|" + country}
	case typ != "":
		return Partition{KindType, typ}
	}
	return Partition{KindCountry, country}
}

// Partition is the partition of a sweep.
func (s Sweep) Partition() Partition { return Partition{KindStatus, s.String()} }

// PartitionOf reads which partition a search asks for from its canonical parameters, and the page of
// it. It returns false for lookups, which have none, and for searches without a filter.
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
		return p, pageNumber(q.Get("page")), p.Value != ""
	}
	return p, 0, false
}

// statusValue is the value of the partition of a status search.
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

// pageNumber reads a page number; what is none is the first page.
func pageNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n <= math.MaxInt32 {
		return n
	}
	return 1
}
