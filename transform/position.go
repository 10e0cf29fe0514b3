package transform

import (
	"math"
	"regexp"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Units and bounds of the values in a position.
var (
	degrees   = []string{"°", "deg"}
	knots     = []string{"kn", "kt", "kts", "knots"}
	below360  = math.Nextafter(360, 0)
	draughtOf = quantity{units: metres, most: 50}
)

// Keys of the service for when a position was observed, and for when it last changed its record.
const (
	receivedKey = "positionReceived"
	updatedKey  = "updateTime"
)

// voyageKeys are the keys about the voyage that have no column: they are in `extra` of positions
// and not of particulars, because they change every day.
var voyageKeys = map[string]bool{"currentdraught": true, "distance": true, "ports": true, "predictedeta": true, "time": true}

// draughtForm is a draught with the maximum draught: "13.3 m. ( max 16.0)".
var draughtForm = regexp.MustCompile(`^([^(]*)\(\s*max\.?\s*([^()]*)\)$`)

// asDraught accepts the current draught.
func asDraught(s string, at *answer) (any, error) {
	if m := draughtForm.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		s = m[1]
	}
	return as(draughtOf)(s, at)
}

// asMaxDraught accepts the maximum draught in brackets. asDraught reports a fault before them.
func asMaxDraught(s string, at *answer) (any, error) {
	m := draughtForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return nil, absent
	}
	return as(draughtOf)(m[2], at)
}

// otherStatuses has the statuses of AIS that cannot be searched for, by their labels.
var otherStatuses = map[string]string{
	"not under command": "not-under-command", "ais-sart": "ais-sart", "ais-sart is active": "ais-sart",
}

// asStatus accepts the label of a navigational status.
func asStatus(s string, _ *answer) (any, error) {
	if api.IsMissing(s) {
		return nil, absent
	}
	label := strings.ToLower(cleanText(s))
	if status, ok := statusByLabel[label]; ok {
		return status, nil
	}
	if status, ok := otherStatuses[label]; ok {
		return status, nil
	}
	return nil, NotListed
}

// asLocode accepts a UN/LOCODE: a country and three letters or digits, in any case, with or without the
// blank or hyphen after the country that the standard writes.
func asLocode(s string, _ *answer) (any, error) {
	if missingText(s) {
		return nil, absent
	}
	code := strings.ToUpper(locodeSeparators.Replace(cleanText(s)))
	if !locodeForm.MatchString(code) || flagByCode[code[:2]] == 0 && code[:2] != atSea {
		return nil, NotALocode
	}
	return code, nil
}

// locodeForm is a UN/LOCODE without separators. atSea is its country for installations in no country's waters.
var (
	locodeSeparators = strings.NewReplacer(" ", "", "-", "", "_", "")
	locodeForm       = regexp.MustCompile(`^[A-Z]{2}[A-Z0-9]{3}$`)
)

const atSea = "XZ"

// clearHalfPosition clears a position of which one coordinate is missing, or that is 0/0, which a
// receiver without a fix sends. It returns the raw values that it cleared.
func clearHalfPosition(r *record, position valueRow) []member {
	lat, lon := position.get("latitude"), position.get("longitude")
	if lat == nil && lon == nil {
		return nil
	}
	if lat != nil && lon != nil && (lat != 0.0 || lon != 0.0) {
		return nil
	}
	var cleared []member
	for _, name := range []string{"latitude", "longitude"} {
		if position.get(name) != nil {
			cleared = append(cleared, *r.find(position.column(name).rule.keys...))
			position.set(name, nil)
		}
	}
	return cleared
}

// observed reports whether a row has a value about the position or the voyage. The time at which the
// service changed its record is not one.
func observed(position valueRow) bool {
	for i, v := range position.values {
		if v != nil && position.table.own[i].name != "updated_at" {
			return true
		}
	}
	return false
}

// updatedAlone gives a position without a time the one at which the service changed its record: an answer about the
// position alone has no other news. A time that was refused stays unknown, because the update may be days later.
func (r valueRow) updatedAlone(answer *record) {
	if m := answer.find(jsontext.Fold(receivedKey)); m != nil {
		if s, ok := m.value.Text(); !ok || !api.IsMissing(s) {
			return
		}
	}
	if at := r.get("updated_at"); at != nil {
		r.set("position_at", at)
		r.set("position_at_from", updatedKey)
	}
}
