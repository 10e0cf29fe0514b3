package transform

import (
	"math"
	"regexp"
	"strings"
)

// What AIS sends where it knows nothing is a number of its own.
var (
	degrees   = []string{"°", "deg"}
	knots     = []string{"kn", "kt", "kts", "knots"}
	below360  = math.Nextafter(360, 0)
	draughtOf = quantity{units: metres, most: 50}
)

// positionRules are the columns of positions.
var positionRules = []rule{
	{"updated_at", []string{"updatetime"}, asPast},
	{"position_at", []string{"positionreceived"}, asPast},
	{"latitude", []string{"latitude"}, as(quantity{units: degrees, zero: true, least: -90, most: 90, sentinels: []float64{91}})},
	{"longitude", []string{"longitude"}, as(quantity{units: degrees, zero: true, least: -180, most: 180, sentinels: []float64{181}})},
	{"speed_kn", []string{"speed"}, as(quantity{units: knots, zero: true, most: 102.2, sentinels: []float64{102.3}})},
	{"course_deg", []string{"course"}, as(quantity{units: degrees, zero: true, most: below360, sentinels: []float64{360}})},
	{"heading_deg", []string{"heading"}, as(quantity{units: degrees, zero: true, most: below360, sentinels: []float64{511}})},
	{"draught_m", []string{"draught", "currentdraught"}, asDraught},
	{"max_draught_m", []string{"draught"}, asGreatestDraught},
	{"navigational_status", []string{"navigationalstatus"}, asStatus},
	{"destination", []string{"destination"}, asText},
	{"destination_unlocode", []string{"unlocodedestination"}, asText},
	{"eta", []string{"etautc"}, asFuture},
	{"last_port", []string{"lastport"}, asText},
	{"last_port_unlocode", []string{"unlocodelastport"}, asText},
	{"departed_at", []string{"atdutc"}, asPast},
	{"data_source", []string{"datasource"}, asLower},
}

// The places of the coordinates and of updated_at, which alone is no observation.
const (
	updatedAt = 0
	latitude  = 2
	longitude = 3
)

// voyageKeys are keys without a column that speak of the voyage: they stand in `extra` of
// positions, since they move every day, and not of particulars.
var voyageKeys = map[string]bool{"currentdraught": true, "distance": true, "ports": true, "predictedeta": true, "time": true}

// draughtForm is a draught and the greatest: "13.3 m. ( max 16.0)".
var draughtForm = regexp.MustCompile(`^([^(]*)\(\s*max\.?\s*([^()]*)\)$`)

// asDraught accepts the draught now.
func asDraught(s string, at *answer) (any, error) {
	if m := draughtForm.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		s = m[1]
	}
	return as(draughtOf)(s, at)
}

// asGreatestDraught accepts what stands in brackets behind the draught. A fault before them
// is the draught's.
func asGreatestDraught(s string, at *answer) (any, error) {
	m := draughtForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return nil, absent
	}
	return as(draughtOf)(m[2], at)
}

// asLower accepts a word that comes in several casings.
func asLower(s string, _ *answer) (any, error) {
	if missing(s) {
		return nil, absent
	}
	return strings.ToLower(CleanText(s)), nil
}

// otherStatuses are what AIS knows beside the nine that can be searched for. An empty one
// says that the ship does not tell.
var otherStatuses = map[string]string{
	"not under command": "not-under-command", "ais-sart": "ais-sart", "ais-sart is active": "ais-sart",
	"undefined": "", "not defined": "", "not available": "", "unknown": "",
}

// asStatus accepts the label of a navigational status.
func asStatus(s string, _ *answer) (any, error) {
	if missing(s) {
		return nil, absent
	}
	label := strings.ToLower(CleanText(s))
	if status, ok := statusByLabel[label]; ok {
		return status, nil
	}
	status, ok := otherStatuses[label]
	switch {
	case !ok:
		return nil, NotListed
	case status == "":
		return nil, Filler
	}
	return status, nil
}

// pair clears a position that is half, or where nothing is: 0/0 is what a receiver without
// a fix sends. It returns the raw values that were given up.
func pair(r *record, values []any) []member {
	lat, lon := values[latitude], values[longitude]
	if lat == nil && lon == nil {
		return nil
	}
	if lat != nil && lon != nil && (lat != 0.0 || lon != 0.0) {
		return nil
	}
	var given []member
	for _, i := range []int{latitude, longitude} {
		if values[i] != nil {
			given = append(given, *r.find(positionRules[i].keys...))
			values[i] = nil
		}
	}
	return given
}

// observed reports whether values tell anything about where a ship is or goes.
func observed(values []any) bool {
	for i, v := range values {
		if v != nil && i != updatedAt {
			return true
		}
	}
	return false
}
