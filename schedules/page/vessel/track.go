package vessel

import (
	"fmt"
	"math"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse/history"
)

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
		if point.At != nil || point.SeenAt != nil {
			spot.Title = wording.PositionTime(point.At, point.SeenAt) + ": " + spot.Title
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
