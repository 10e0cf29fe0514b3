package lists

import (
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// isLabel reports whether the numbers of a column are names, which nobody adds.
func isLabel(column string) bool {
	return strings.HasPrefix(column, "year") || column == "imo" || column == "entry"
}

// grouped is a whole number with its thousands apart, unless it is a name.
func grouped(column string, n int) string {
	if isLabel(column) {
		return strconv.Itoa(n)
	}
	return wording.Count(n)
}

// decimals is a number with its thousands apart; places keep all of their digits.
func decimals(column string, n float64) string {
	if column == "latitude" || column == "longitude" || n > -1000 && n < 1000 {
		return wording.Value(n)
	}
	return strings.TrimSuffix(wording.Decimals(n), ".00")
}
