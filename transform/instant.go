package transform

import (
	"strings"
	"time"
)

// The forms in which times come. A fraction of a second may follow the seconds.
var (
	timeForms = []string{
		"Jan 2, 2006 15:04", "Jan 2, 2006 15:04:05", "January 2, 2006 15:04", "January 2, 2006 15:04:05",
		"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00",
		"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700",
	}
	yearlessForms = []string{
		"Jan 2, 15:04", "Jan 2, 15:04:05", "Jan 2 15:04", "Jan 2 15:04:05", "January 2, 15:04", "2 Jan 15:04", "2 Jan, 15:04",
		"Jan 2", "January 2", "2 Jan", "01-02 15:04",
	}
)

// Times before the API can have seen a ship are no times; after the year 9999 no engine
// that reads Parquet knows them.
var (
	earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

// ParseTime reads a time. All are UTC unless they carry another offset. A year that is not
// written is never guessed.
func ParseTime(s string) (time.Time, error) {
	if missing(s) {
		return time.Time{}, absent
	}
	s = CleanText(s)
	s = strings.TrimSuffix(s, " UTC")
	for _, form := range timeForms {
		t, err := time.Parse(form, s)
		if err != nil {
			continue
		}
		if t.Before(earliest) || t.After(latest) {
			return time.Time{}, OutOfBounds
		}
		return t.UTC(), nil
	}
	for _, form := range yearlessForms {
		if _, err := time.Parse(form, s); err == nil {
			return time.Time{}, NoYear
		}
	}
	return time.Time{}, NotATime
}
