package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
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
		now := value{text: printable(wording.Value(v)), from: *one.From, to: a.last, seen: a.last}
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
			one.Title += fmt.Sprintf(", gone by %s (%s)", longDay(s.Missing), s.Proof)
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
		words := statusWords(e.Status)
		if zone := zoneName(e.Zone); zone != "" {
			words += ", " + zone
		}
		spans = append(spans, span(a, *e.FirstSeen, *e.LastSeen, words, "s-"+e.Status))
	}
	return spans
}

// statusWords is a navigational status as people write it.
func statusWords(value string) string {
	for _, s := range statusNames {
		if s.Value == value {
			return s.Name
		}
	}
	return value
}

// zoneName is a world zone as the map names it.
func zoneName(value string) string {
	for _, z := range zoneMap {
		if z.Value == value {
			return z.Name
		}
	}
	return value
}

// Track is where a vessel was, on a strip of the globe. It is in degrees: x eastward, y southward.
type Track struct {
	X, Y, Width, Height float64
	Lines               []Line
	Paths               []string // runs of positions, cut where they cross the date line
	Spots               []Spot
	Words               string // for screen readers
}

// Line is a meridian or a parallel.
type Line struct{ X1, Y1, X2, Y2 float64 }

// Spot is one position.
type Spot struct {
	X, Y  float64
	Title string
	Last  bool
}

// The smallest part of the globe that a track is drawn on, and the distance of its lines, in degrees.
const leastDegrees, grid = 24, 10

func track(p history.Positions) *Track {
	if len(p.Track) == 0 {
		return nil
	}
	t := &Track{}
	var path string
	for i, point := range p.Track {
		x, y := point.Longitude, -point.Latitude
		if i > 0 && math.Abs(x-p.Track[i-1].Longitude) > 180 {
			t.Paths, path = append(t.Paths, path), ""
		}
		path += fmt.Sprintf("%.3f,%.3f ", x, y)
		spot := Spot{X: x, Y: y, Last: i == len(p.Track)-1, Title: fmt.Sprintf("%.3f %.3f", point.Latitude, point.Longitude)}
		if point.At != nil {
			spot.Title = wording.Minute(point.At) + ": " + spot.Title
		}
		t.Spots = append(t.Spots, spot)
	}
	t.Paths = append(t.Paths, path)
	t.frame()
	last := t.Spots[len(t.Spots)-1]
	t.Words = fmt.Sprintf("%s, the latest at %s", wording.Counted(p.Count, "position"), last.Title)
	return t
}

// frame cuts the part of the globe around the positions.
func (t *Track) frame() {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range t.Spots {
		x0, x1, y0, y1 = math.Min(x0, s.X), math.Max(x1, s.X), math.Min(y0, s.Y), math.Max(y1, s.Y)
	}
	widen := func(a, b, least, end float64) (float64, float64) {
		more := math.Max(b-a+4, least)
		middle := (a + b) / 2
		return math.Max(-end, middle-more/2), math.Min(end, middle+more/2)
	}
	x0, x1 = widen(x0, x1, 2*leastDegrees, 180)
	y0, y1 = widen(y0, y1, leastDegrees, 90)
	t.X, t.Y, t.Width, t.Height = x0, y0, x1-x0, y1-y0
	for x := math.Ceil(x0/grid) * grid; x <= x1; x += grid {
		t.Lines = append(t.Lines, Line{x, y0, x, y1})
	}
	for y := math.Ceil(y0/grid) * grid; y <= y1; y += grid {
		t.Lines = append(t.Lines, Line{x0, y, x1, y})
	}
}
