package transform

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// quantity is how one kind of number is written and what it can be.
type quantity struct {
	units     []string // in lower case, without a full stop; a number may always stand alone
	zero      bool     // zero is a value; else it is nothing
	least     float64
	most      float64
	sentinels []float64 // what AIS sends for "not available"
}

// number is a decimal number, with thousands set apart by commas, apostrophes or spaces,
// and what stands behind it.
var number = regexp.MustCompile(`^([+-]?)(\d{1,3}(?:[,'’ \x{a0}\x{202f}]\d{3})+|\d+)(\.\d+)?([eE][+-]?\d+)?\s*((?:[\p{L}°(].*)?)$`)

var thousands = strings.NewReplacer(",", "", "'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")

// parse reads a number with its unit.
func (q quantity) parse(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if missing(s) {
		return 0, absent
	}
	m := number.FindStringSubmatch(s)
	if m == nil {
		return 0, NotANumber
	}
	n, err := strconv.ParseFloat(m[1]+thousands.Replace(m[2])+m[3]+m[4], 64)
	if err != nil {
		return 0, NotANumber
	}
	if unit := strings.ToLower(strings.TrimRight(m[5], ". ")); unit != "" && !slices.Contains(q.units, unit) {
		return 0, UnexpectedUnit
	}
	switch {
	case n == 0 && !q.zero:
		return 0, absent
	case slices.Contains(q.sentinels, n):
		return 0, Filler
	case n < q.least || n > q.most:
		return 0, OutOfBounds
	}
	return n + 0, nil // minus zero is zero
}

// parseWhole reads a number that has no fraction.
func (q quantity) parseWhole(s string) (int32, error) {
	n, err := q.parse(s)
	if err == nil && n != math.Trunc(n) {
		return 0, NotANumber
	}
	return int32(n), err
}
