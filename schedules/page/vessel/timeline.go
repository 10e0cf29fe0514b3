package vessel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

// Timeline is who a vessel was when, as a picture. Its rows share one axis; places and widths are in
// per cent of it.
type Timeline struct {
	Ticks []Tick
	Rows  []Row
}

// Tick is a date on the axis.
type Tick struct {
	X     float64
	Label string
	End   bool // the label ends at the tick, because the picture does
}

// Row is one kind of fact over time.
type Row struct {
	Name  string
	Spans []Span
}

// Span is a fact that lasted. What was not seen since is fainter.
type Span struct {
	X, Width float64
	Label    string
	Title    string
	Class    string
}

// Shapes of the picture, in per cent.
const (
	leastSpan = 0.6
	leastAxis = 24 * time.Hour
	maxTicks  = 4
	maxSpans  = 200 // of a row, the newest
)

// timelineColumns are the facts of a vessel that the picture has, by dataset.
var timelineColumns = []struct{ dataset, column, name string }{
	{"registration", "name", "Name"}, {"registration", "country", "Flag"}, {"registration", "mmsi", "MMSI"}, {"registration", "vessel_type", "Type"},
	{"management", "registered_owner", "Owner"}, {"management", "manager", "Manager"}, {"management", "class_society", "Class"},
}

// axis places moments between the first and the last.
type axis struct{ first, last time.Time }

func (a axis) at(t time.Time) float64 {
	return math.Min(100, math.Max(0, 100*float64(t.Sub(a.first))/float64(a.last.Sub(a.first))))
}

// timeline draws the life of a vessel as it was seen; nil if nothing has a time.
func timeline(v history.Vessel) *Timeline {
	a, ok := lifeOf(v)
	if !ok {
		return nil
	}
	t := &Timeline{Ticks: ticks(a)}
	for _, c := range timelineColumns {
		for _, d := range v.Datasets {
			if d.Name == c.dataset {
				t.add(c.name, columnSpans(a, d, c.column))
			}
		}
	}
	t.add("On the list", staySpans(a, v.Stays))
	t.add("Status and zone", episodeSpans(a, v.Episodes))
	return t
}

func (t *Timeline) add(name string, spans []Span) {
	if len(spans) > 0 {
		t.Rows = append(t.Rows, Row{name, spans[max(0, len(spans)-maxSpans):]})
	}
}

// lifeOf returns the axis from the first observation of a vessel to its last, or false without one.
func lifeOf(v history.Vessel) (a axis, ok bool) {
	var times []time.Time
	for _, d := range v.Datasets {
		for _, one := range d.Versions {
			for _, t := range []*time.Time{one.From, one.To, one.LastSeen} {
				if t != nil {
					times = append(times, *t)
				}
			}
		}
	}
	for _, s := range v.Stays {
		times = append(times, night(s.From), night(s.Last))
	}
	for _, e := range v.Episodes {
		if e.FirstSeen != nil && e.LastSeen != nil {
			times = append(times, *e.FirstSeen, *e.LastSeen)
		}
	}
	times = slices.DeleteFunc(times, time.Time.IsZero)
	if len(times) == 0 {
		return axis{}, false
	}
	a = axis{slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)}
	if a.last.Sub(a.first) < leastAxis {
		a.last = a.first.Add(leastAxis)
	}
	return a, true
}

// night is the beginning of a date; zero if it is none.
func night(date string) time.Time {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}
	}
	return t
}

// ticks divides the axis evenly.
func ticks(a axis) (all []Tick) {
	days := int(a.last.Sub(a.first).Hours()/24) + 1
	n := min(maxTicks, max(2, days)) - 1
	layout := "2 Jan"
	if a.first.Year() != a.last.Year() {
		layout = "2 Jan 2006"
	}
	for i := range n + 1 {
		t := a.first.Add(a.last.Sub(a.first) * time.Duration(i) / time.Duration(n))
		all = append(all, Tick{X: a.at(t), Label: t.UTC().Format(layout), End: i == n})
	}
	return all
}

// columnSpans draws the values of a column: versions with the same value are one span.
func columnSpans(a axis, d history.Dataset, column string) (spans []Span) {
	type value struct {
		text           string
		from, to, seen time.Time
	}
	var values []value
	for _, one := range d.Versions {
		v, known := one.Values[column]
		if !known || one.From == nil {
			continue
		}
		now := value{text: shown.Printable(wording.Value(v)), from: *one.From, to: a.last, seen: a.last}
		if one.To != nil {
			now.to = *one.To
			now.seen = now.to
		} else if one.LastSeen != nil {
			now.seen = *one.LastSeen
		}
		if n := len(values); n > 0 && values[n-1].text == now.text && !now.from.After(values[n-1].to) {
			values[n-1].to, values[n-1].seen = now.to, now.seen
			continue
		}
		values = append(values, now)
	}
	for i, v := range values {
		class := fmt.Sprintf("v-%d", i%2)
		spans = append(spans, span(a, v.from, later(v.seen, v.from), v.text, class))
		if v.seen.Before(v.to) {
			s := span(a, v.seen, v.to, "", class+" faint")
			s.Title = fmt.Sprintf("%s: not seen since %s", v.text, day(v.seen))
			spans = append(spans, s)
		}
	}
	return spans
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// span places what lasted from one moment to another.
func span(a axis, from, to time.Time, label, class string) Span {
	s := Span{X: a.at(from), Width: math.Max(leastSpan, a.at(to)-a.at(from)), Label: label, Class: class}
	s.X = math.Min(s.X, 100-leastSpan)
	s.Width = math.Min(s.Width, 100-s.X)
	s.Title = fmt.Sprintf("%s: %s to %s", label, day(from), day(to))
	return s
}

func staySpans(a axis, stays []history.Stay) (spans []Span) {
	for _, s := range stays {
		from, to, words := night(s.From), night(cmp.Or(s.To, s.Last)), "listed"
		if from.IsZero() || to.IsZero() {
			continue
		}
		one := span(a, from, to.AddDate(0, 0, 1), words, "v-0")
		one.Title = fmt.Sprintf("listed: %s to %s", day(from), day(to))
		if s.Absent != "" {
			one.Title += fmt.Sprintf(", gone by %s (%s)", shown.LongDay(s.Missing), s.Proof)
		}
		spans = append(spans, one)
	}
	return spans
}

// episodeSpans draws the stays in a status and zone, oldest first; the colours are those of the map.
func episodeSpans(a axis, episodes []history.Episode) (spans []Span) {
	for _, e := range slices.Backward(episodes) {
		if e.FirstSeen == nil || e.LastSeen == nil {
			continue
		}
		words := shown.StatusName(e.Status)
		if zone := shown.ZoneName(e.Zone); zone != "" {
			words += ", " + zone
		}
		spans = append(spans, span(a, *e.FirstSeen, *e.LastSeen, words, "s-"+e.Status))
	}
	return spans
}
