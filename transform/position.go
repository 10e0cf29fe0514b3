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

// clearHalfPosition clears a position that is half, or where nothing is: 0/0 is what a receiver
// without a fix sends. It returns the raw values that were given up.
func clearHalfPosition(r *record, position valueRow) []member {
	lat, lon := position.get("latitude"), position.get("longitude")
	if lat == nil && lon == nil {
		return nil
	}
	if lat != nil && lon != nil && (lat != 0.0 || lon != 0.0) {
		return nil
	}
	var given []member
	for _, name := range []string{"latitude", "longitude"} {
		if position.get(name) != nil {
			given = append(given, *r.find(position.column(name).rule.keys...))
			position.set(name, nil)
		}
	}
	return given
}

// observed reports whether a row says anything about where a ship is or goes. When the service
// touched its record is no observation.
func observed(position valueRow) bool {
	for i, v := range position.values {
		if v != nil && position.table.own[i].name != "updated_at" {
			return true
		}
	}
	return false
}
