package transform

import "strings"

// IMO is a ship's permanent number. Its last digit is a check digit over the other six. Zero
// is no number.
type IMO uint32

// parseIMO returns an IMO number. Its errors are Reasons: absent or Filler for what the API and
// crews write for "none", because the check digit alone would accept 0000000, 1234567 and 9876543;
// else NotSevenDigits or BadCheckDigit.
func parseIMO(s string) (IMO, error) {
	s = strings.TrimSpace(s)
	switch s {
	case "0000000", "1234567", "9876543":
		return 0, Filler
	}
	if missingText(s) {
		return 0, absent
	}
	n, ok := digits(s)
	if !ok || len(s) != 7 || n < 1_000_000 {
		return 0, NotSevenDigits
	}
	sum := uint32(0)
	for i := range 6 {
		sum += uint32(s[i]-'0') * uint32(7-i)
	}
	if sum%10 != n%10 {
		return 0, BadCheckDigit
	}
	return IMO(n), nil
}

// digits returns the number of up to nine decimal digits.
func digits(s string) (uint32, bool) {
	if len(s) == 0 || len(s) > 9 {
		return 0, false
	}
	n := uint32(0)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + uint32(s[i]-'0')
	}
	return n, true
}
