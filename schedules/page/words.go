package page

import (
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// difference compares two counts in words: 12 more, 3 fewer, as many as before.
func difference(now, before int) string {
	switch {
	case now > before:
		return wording.Count(now-before) + " more than before"
	case now < before:
		return wording.Count(before-now) + " fewer than before"
	}
	return "as many as before"
}

// ago formats an age or a wait in its largest unit.
func ago(d time.Duration) string {
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

// since writes when something was or will be, seen from now.
func since(at, now time.Time) string {
	if d := at.Sub(now); d > 0 {
		return "in " + ago(d)
	}
	return ago(now.Sub(at)) + " ago"
}

// clock formats a time of day in UTC, moment a day with its time, machineTime an RFC 3339 time.
func clock(t time.Time) string { return t.UTC().Format("15:04") }

func moment(t time.Time) string { return t.UTC().Format("Mon 2 Jan, 15:04") }

func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// longDay formats a date for people. What is no date stays as it is.
func longDay(date string) string { return dayAs(date, "Monday 2 January 2006") }

func shortDay(date string) string { return dayAs(date, "2 Jan") }

func dayAs(date, layout string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format(layout)
}

// lower makes the first letter lower case, for use within a sentence.
func lower(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}

// sentence makes a clause a sentence. Nothing stays nothing.
func sentence(clause string) string {
	if clause == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(r)) + clause[n:] + "."
}

func trimDot(s string) string { return strings.TrimRight(s, ". ") }

// absolute matches paths of this machine, after what can stand before one in a sentence. A
// single segment is left: the service's own paths look like it.
var absolute = regexp.MustCompile(`(^|[\s"'(=\[,:` + "`" + `])(?:(?:/[^/\s"'():;,` + "`" + `]+){2,}/?|[A-Za-z]:\\[^\s"']+|\\\\[^\s"']+)`)

// sanitize removes the paths of this machine from a text, and control characters that would hide or
// reverse the text around them.
func (s *site) sanitize(text string) string { return sanitize(text, s.Dir) }

func sanitize(text, dir string) string {
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
	return printable(text)
}

// printable removes control characters and those that nobody sees, such as the marks that change the direction
// of a text. The two joiners stay: some scripts need them.
func printable(text string) string {
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
