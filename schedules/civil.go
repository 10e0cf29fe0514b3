package schedules

import "time"

// DateLayout is how a snapshot date is written.
const DateLayout = "2006-01-02"

// furthest is more than any zone was ever ahead of UTC.
const furthest = 16 * time.Hour

// wall returns what a clock in loc reads at t, as a UTC time: a calendar without gaps.
func wall(t time.Time, loc *time.Location) time.Time {
	t = t.In(loc)
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// instant returns the first moment at which a clock in loc reads civil, a UTC time as wall
// gives it. A reading that the zone skips stands for the first moment after the gap or, where
// that is already the next date, for the last second before it. It reports false for a date
// that the zone skips altogether.
//
// The instants of increasing readings never decrease, which Next relies on.
func instant(civil time.Time, loc *time.Location) (time.Time, bool) {
	at := civil.Add(-furthest).In(loc)
	for {
		start, end := at.ZoneBounds()
		_, offset := at.Zone()
		t := civil.Add(-time.Duration(offset) * time.Second).In(loc)
		switch {
		case t.Before(start):
			return besideGap(civil, start.In(loc))
		case end.IsZero() || t.Before(end):
			return t, true
		}
		at = end.In(loc)
	}
}

// besideGap returns the moment next to the gap that ends at resumed with the date of civil.
func besideGap(civil, resumed time.Time) (time.Time, bool) {
	date := civil.Format(DateLayout)
	for _, t := range []time.Time{resumed, resumed.Add(-time.Second)} {
		if t.Format(DateLayout) == date {
			return t, true
		}
	}
	return time.Time{}, false
}
