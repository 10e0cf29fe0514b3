package transform

// The units in which the API writes the particulars. The bounds of the numbers are well
// beyond the largest ship that ever sailed.
var (
	metres = []string{"m", "metre", "metres", "meter", "meters"}
	tonnes = []string{"t", "dwt", "tonnes", "tons"}
	cubic  = []string{"m³", "m3", "cbm"}
)

// capacity accepts the volume of a kind of tank or hold. Most vessels have none of most kinds, for which the
// service writes zero, as it does for what it does not know.
var capacity = as(quantity{units: cubic, most: 2_000_000})

// asYearBuilt accepts the year of a ship that sails, or is on order.
func asYearBuilt(s string, at *answer) (any, error) {
	return asWhole(quantity{zero: zeroIsFault, least: 1800, most: float64(at.year + 2)})(s, at)
}
