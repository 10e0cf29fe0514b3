package shown

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// Difference compares two counts in words: 12 more, 3 fewer, as many as before.
func Difference(now, before int) string {
	switch {
	case now > before:
		return wording.Count(now-before) + " more than before"
	case now < before:
		return wording.Count(before-now) + " fewer than before"
	}
	return "as many as before"
}

// Ago formats an age or a wait in its largest unit.
func Ago(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= 2*u.size || u.name == "minute" && d >= u.size {
			return wording.Counted(int(d/u.size), u.name)
		}
	}
	return "less than a minute"
}

// Since writes when something was or will be, seen from now.
func Since(at, now time.Time) string {
	if d := at.Sub(now); d > 0 {
		return "in " + Ago(d)
	}
	return Ago(now.Sub(at)) + " ago"
}

// Clock formats a time of day in UTC, moment a day with its time, machineTime an RFC 3339 time.
func Clock(t time.Time) string { return t.UTC().Format("15:04") }

func Moment(t time.Time) string { return t.UTC().Format("Mon 2 Jan, 15:04") }

func MachineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// LongDay formats a date for people. What is no date stays as it is.
func LongDay(date string) string { return dayAs(date, "Monday 2 January 2006") }

func ShortDay(date string) string { return dayAs(date, "2 Jan") }

func dayAs(date, layout string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format(layout)
}

// Lower makes the first letter lower case, for use within a sentence.
func Lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// Sentence makes a clause a sentence. Nothing stays nothing.
func Sentence(clause string) string {
	if clause == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(r)) + clause[n:] + "."
}

func TrimDot(s string) string { return strings.TrimRight(s, ". ") }

// absolute matches paths of this machine, after what can stand before one in a sentence. A
// single segment is left: the service's own paths look like it.
var absolute = regexp.MustCompile(`(^|[\s"'(=\[,:` + "`" + `])(?:(?:/[^/\s"'():;,` + "`" + `]+){2,}/?|[A-Za-z]:\\[^\s"']+|\\\\[^\s"']+)`)

// Sanitize removes the paths of this machine from a text, and control characters that would hide or
// reverse the text around them. The data directory may be empty.
func Sanitize(text, dir string) string {
	if whole, err := filepath.Abs(dir); err == nil && dir != "" && len(whole) > 1 {
		text = strings.ReplaceAll(text, whole, "DATA")
	}
	text = absolute.ReplaceAllStringFunc(text, func(path string) string {
		lead := absolute.FindStringSubmatch(path)[1]
		last := strings.FieldsFunc(path[len(lead):], func(r rune) bool { return r == '/' || r == '\\' })
		if len(last) == 0 { // backslashes alone
			return lead + "…"
		}
		return lead + "…/" + last[len(last)-1]
	})
	return Printable(text)
}

// Printable removes control characters and those that nobody sees, such as the marks that change the direction
// of a text. The two joiners stay: some scripts need them.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != 0x200C && r != 0x200D, r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
}

// maxShortened is the length of the longest text of a client that a page repeats, in characters.
const maxShortened = 40

// Shortened cuts a text that a client sent to a length that a page can show.
func Shortened(text string) string {
	text = Printable(strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > maxShortened {
		return string(runes[:maxShortened]) + "…"
	}
	return text
}

// units are what the ends of the names of columns stand for.
var units = map[string]string{"_m": " (m)", "_t": " (t)", "_m3": " (m³)", "_kw": " (kW)", "_kn": " (kn)", "_deg": " (°)"}

// FieldName writes the name of a column in words: deadweight_t is deadweight (t).
func FieldName(column string) string {
	if at := strings.LastIndexByte(column, '_'); at >= 0 && units[column[at:]] != "" {
		return strings.ReplaceAll(column[:at], "_", " ") + units[column[at:]]
	}
	return strings.ReplaceAll(column, "_", " ")
}

// Field is a value with its name in words.
type Field struct{ Name, Value string }

// RunID matches the id of a run.
var RunID = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{4,16}$`)
