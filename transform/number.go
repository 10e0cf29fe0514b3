package transform

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// quantity is how one kind of number is written, and which values it can have.
type quantity struct {
	units     []string // accepted after the number, in lower case without a full stop; no unit is always accepted
	zero      bool     // zero is a value; otherwise zero is missing
	least     float64
	most      float64
	sentinels []float64 // numbers that AIS sends for "not available"
}

// number matches a decimal number, with commas, apostrophes or spaces between thousands, and
// the unit after it.
var number = regexp.MustCompile(`^([+-]?)(\d{1,3}(?:[,'’ \x{a0}\x{202f}]\d{3})+|\d+)(\.\d+)?([eE][+-]?\d+)?\s*((?:[\p{L}°(].*)?)$`)

// thousands removes the separators between thousands.
var thousands = strings.NewReplacer(",", "", "'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")

// parse returns the value of a number with its unit. Its error is a Reason:
// absent, NotANumber, UnexpectedUnit, OutOfBounds, or Filler for an AIS sentinel.
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
	return n + 0, nil // turns minus zero into zero
}

// parseWhole is parse for a number without a fraction.
func (q quantity) parseWhole(s string) (int32, error) {
	n, err := q.parse(s)
	if err == nil && n != math.Trunc(n) {
		return 0, NotANumber
	}
	return int32(n), err
}
