package transform

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

// quantity is how one kind of number is written, and which values it can have.
type quantity struct {
	units     []string // accepted after the number, in lower case without a full stop; no unit is always accepted
	zero      zero     // what zero means
	least     float64
	most      float64
	sentinels []float64 // numbers that AIS sends for "not available"
}

// zero is what the number zero means.
type zero int

const (
	zeroIsNothing zero = iota // the vessel has none of it, or the service does not know: null, raw kept
	zeroIsValue               // as of a speed
	zeroIsFault               // no vessel can have it: an issue
)

// number matches a decimal number, with commas, apostrophes or spaces between thousands, and
// the unit after it.
var number = regexp.MustCompile(`^([+-]?)(\d{1,3}(?:[,'’ \x{a0}\x{202f}]\d{3})+|\d+)(\.\d+)?([eE][+-]?\d+)?\s*((?:[\p{L}°(].*)?)$`)

// thousands removes the separators between thousands.
var thousands = strings.NewReplacer(",", "", "'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")

// parse returns the value of a number with its unit. Its error is a Reason:
// absent, NotANumber, UnexpectedUnit, OutOfBounds, Zero where it is a fault, or Filler for an AIS sentinel
// and for a zero that is nothing.
func (q quantity) parse(s string) (float64, error) {
	s = strings.TrimSpace(s)
	if api.IsMissing(s) {
		return 0, absent
	}
	digits, unit, ok := splitPlain(s)
	if !ok {
		digits, unit, ok = splitNumber(s)
	}
	n, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil {
		return 0, NotANumber
	}
	if unit = strings.ToLower(strings.TrimRight(unit, ". ")); unit != "" && !slices.Contains(q.units, unit) {
		return 0, UnexpectedUnit
	}
	switch {
	case n == 0 && q.zero == zeroIsFault:
		return 0, Zero
	case n == 0 && q.zero == zeroIsNothing:
		return 0, Filler
	case slices.Contains(q.sentinels, n):
		return 0, Filler
	case n < q.least || n > q.most:
		return 0, OutOfBounds
	}
	return n + 0, nil // turns minus zero into zero
}

// splitNumber splits a text into a number without separators and the unit after it. It returns false for a
// text that is no number.
func splitNumber(s string) (digits, unit string, ok bool) {
	m := number.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1] + thousands.Replace(m[2]) + m[3] + m[4], m[5], true
}

// splitPlain is splitNumber for the form of nearly all numbers, which it splits without a regular
// expression: perhaps a minus, digits, perhaps a fraction, and perhaps a space and a unit of ASCII letters. It returns
// false for any other text.
func splitPlain(s string) (digits, unit string, ok bool) {
	sign := 0
	if s[:min(1, len(s))] == "-" {
		sign = 1
	}
	i := sign + countDigits(s[sign:])
	if i == sign {
		return "", "", false
	}
	if i < len(s) && s[i] == '.' {
		n := countDigits(s[i+1:])
		if n == 0 {
			return "", "", false
		}
		i += 1 + n
	}
	digits, unit = s[:i], s[i:]
	if unit == "" {
		return digits, "", true
	}
	if unit = unit[1:]; s[i] != ' ' || unit == "" {
		return "", "", false
	}
	for j := range len(unit) {
		if c := unit[j] | 0x20; c < 'a' || c > 'z' {
			return "", "", false
		}
	}
	return digits, unit, true
}

// countDigits returns how many digits a text begins with.
func countDigits(s string) (n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// parseWhole is parse for a number without a fraction.
func (q quantity) parseWhole(s string) (int32, error) {
	n, err := q.parse(s)
	if err == nil && n != math.Trunc(n) {
		return 0, NotANumber
	}
	return int32(n), err
}
