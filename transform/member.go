package transform

import (
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// member is a key of an object with its value.
type member struct {
	key    string
	folded string // the key in one style
	value  jsontext.Value
	used   bool // a column or an issue has its value
}

// appendObject appends members as a JSON object with sorted keys; of equal keys it keeps the
// last. It sorts the members in place.
func appendObject(b []byte, members []member) []byte {
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	b = append(b, '{')
	for i, m := range members {
		if i+1 < len(members) && members[i+1].key == m.key {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(jsontext.AppendText(b, m.key), ':'), m.value.Raw...)
	}
	return append(b, '}')
}
