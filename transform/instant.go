package transform

import (
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// These are the layouts in which times come. A fraction of a second may follow the seconds.
var (
	timeLayouts = []string{
		"Jan 2, 2006 15:04", "Jan 2, 2006 15:04:05", "January 2, 2006 15:04", "January 2, 2006 15:04:05",
		"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00",
		"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z0700",
	}
	yearlessLayouts = []string{
		"Jan 2, 15:04", "Jan 2, 15:04:05", "Jan 2 15:04", "Jan 2 15:04:05", "January 2, 15:04", "2 Jan 15:04", "2 Jan, 15:04",
		"Jan 2", "January 2", "2 Jan", "01-02 15:04",
	}
)

// A time outside these bounds is refused: before 1990 the API cannot have seen a ship, and
// after the year 9999 no engine that reads Parquet can represent it.
var (
	earliestTime = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	latestTime   = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

// parseTime returns a time in UTC; a text without an offset is UTC. It never guesses a year:
// a text without one is NoYear. Other refusals are absent, OutOfBounds and NotATime.
func parseTime(s string) (time.Time, error) {
	if api.IsMissing(s) {
		return time.Time{}, absent
	}
	s = cleanText(s)
	s = strings.TrimSuffix(s, " UTC")
	for _, form := range timeLayouts {
		t, err := time.Parse(form, s)
		if err != nil {
			continue
		}
		if t.Before(earliestTime) || t.After(latestTime) {
			return time.Time{}, OutOfBounds
		}
		return t.UTC(), nil
	}
	for _, form := range yearlessLayouts {
		if _, err := time.Parse(form, s); err == nil {
			return time.Time{}, NoYear
		}
	}
	return time.Time{}, NotATime
}
