package shown

import (
	"math"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// mostDecimals is how many decimals a number of at least 1 has before it is rounded to two; a file has all.
const mostDecimals = 6

// Number writes a number for people: its thousands apart, and without an exponent. What is no number stays
// as it is. Years and other small numbers stay whole.
func Number(text string) string {
	text = strings.TrimSuffix(text, ".0")
	if strings.ContainsAny(text, "eE") {
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) && math.Abs(f) < 1e15 {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	if _, rest, _ := strings.Cut(text, "."); len(rest) > mostDecimals {
		if f, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(f) >= 1 {
			text = strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0")
			text = strings.TrimSuffix(text, ".")
		}
	}
	whole, rest, _ := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	if len(digits) < 5 || strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return text
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return text
	}
	text = strings.TrimSuffix(whole, digits) + wording.Count(n)
	if rest != "" {
		text += "." + rest
	}
	return text
}
