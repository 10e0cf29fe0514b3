package schedules

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// parser takes the five fields of crontab and the names such as @daily; no seconds.
var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// everyHour is the hour field of an expression that leaves no hour out.
const everyHour = 1<<24 - 1

// Schedule is a cron expression in a time zone.
type Schedule struct {
	spec *cron.SpecSchedule // in UTC, where it meets no daylight saving
	loc  *time.Location
}

// Parse reads a cron expression whose times are meant in loc. It refuses an expression that
// never fires, a zone inside the expression (it is configured beside it), and intervals,
// which begin when a process starts and so have no slots that could be missed.
func Parse(expression string, loc *time.Location) (Schedule, error) {
	expression = strings.TrimSpace(expression)
	if strings.Contains(expression, "TZ=") { // robfig/cron panics on a zone without fields
		return Schedule{}, fmt.Errorf("cron %q: time zone inside, expected it beside the expression", expression)
	}
	parsed, err := parser.Parse(expression)
	if err != nil {
		return Schedule{}, fmt.Errorf("cron %q: %w", expression, reworded(err))
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return Schedule{}, fmt.Errorf("cron %q: interval, expected times of day", expression)
	}
	spec.Location = time.UTC
	s := Schedule{spec: spec, loc: loc}
	if s.tick(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Schedule{}, fmt.Errorf("cron %q: never fires", expression)
	}
	return s, nil
}

// reworded takes the parser's "failed to" out of its messages.
func reworded(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), "failed to parse int from", "no number:"))
}

// tick returns the next reading of the clock after civil that matches, or zero if there is
// none. The parser's own search ends after five years; 29 February can be eight away.
func (s Schedule) tick(civil time.Time) time.Time {
	for range 3 {
		if next := s.spec.Next(civil); !next.IsZero() {
			return next
		}
		civil = civil.AddDate(5, 0, 0)
	}
	return time.Time{}
}

// Next returns the first slot after a moment, in the schedule's zone, or zero if there is none.
func (s Schedule) Next(after time.Time) time.Time {
	if s.spec.Hour&everyHour == everyHour {
		return s.nextReading(after)
	}
	civil := wall(after, s.loc)
	for {
		civil = s.tick(civil)
		if civil.IsZero() {
			return civil
		}
		if t, ok := instant(civil, s.loc); ok && t.After(after) {
			return t
		}
	}
}

// nextReading returns the first moment after another at which the clock of the zone reads a matching
// time, through each change of its offset.
func (s Schedule) nextReading(after time.Time) time.Time {
	at, civil := after.In(s.loc), wall(after, s.loc)
	for {
		_, end := at.ZoneBounds()
		_, offset := at.Zone()
		next := s.tick(civil)
		if next.IsZero() {
			return next
		}
		t := next.Add(-time.Duration(offset) * time.Second)
		if end.IsZero() || t.Before(end) {
			return t.In(s.loc)
		}
		at = end.In(s.loc)
		civil = wall(at, s.loc).Add(-time.Nanosecond) // the change itself may be a slot
	}
}

// Slots returns the slots after one moment up to and including another.
func (s Schedule) Slots(from, to time.Time) []time.Time {
	var slots []time.Time
	for t := s.Next(from); !t.IsZero() && !t.After(to); t = s.Next(t) {
		slots = append(slots, t)
	}
	return slots
}

// Upcoming returns the next n slots after a moment.
func (s Schedule) Upcoming(after time.Time, n int) []time.Time {
	var slots []time.Time
	for t := s.Next(after); len(slots) < n && !t.IsZero(); t = s.Next(t) {
		slots = append(slots, t)
	}
	return slots
}
