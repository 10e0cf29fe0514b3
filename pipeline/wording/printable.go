package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Printable writes control and formatting characters as escapes: names come from radio, and must not
// move the cursor of a terminal.
func Printable(s string) string { return escaped(s, Hidden) }

// PrintableLines is Printable for a text of several lines, such as an error of DuckDB that marks a place.
func PrintableLines(s string) string {
	return escaped(s, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) })
}

func escaped(s string, hidden func(rune) bool) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Hidden reports whether a character has no shape of its own, and could move a cursor.
func Hidden(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// Bytes formats an amount of data: 999 bytes, 1.2 kB, 3.4 MB, 5.6 GB.
func Bytes(n int64) string {
	switch f := float64(n); {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", f/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", f/1e6)
	default:
		return fmt.Sprintf("%.1f GB", f/1e9)
	}
}

// WithReason appends a reason in parentheses, if there is one.
func WithReason(words, reason string) string {
	if reason == "" {
		return words
	}
	return words + " (" + reason + ")"
}
