package page

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
)

// coast is the coastlines, which no night changes. Maps show it as a picture, so that a browser loads it once.
var coast = mustRead("templates/coast.svg")

// WorldMap is where vessels are, counted by cells. It is in degrees: x eastward, y southward.
type WorldMap struct {
	X, Y, Width, Height, Cell float64
	Cells                     []MapCell
	Words                     string // for those who do not see it
}

// MapCell is a cell with vessels; the level tints it.
type MapCell struct {
	X, Y         float64
	Level, Count int
	Title        string
}

// Sizes of the cells of the whole map and of that of a zone, and of the smallest part of the globe on it, in degrees.
const worldCell, zoneCell, leastMap = 2.0, 0.5, 24.0

// mapOf reads where the listed vessels of a zone are, or all; nil if no position is known.
func mapOf(ctx context.Context, w *warehouse.Warehouse, zone, where string) (*WorldMap, error) {
	m := &WorldMap{X: -180, Y: -80, Width: 360, Height: 140, Cell: worldCell}
	if zone != "" {
		m.Cell = zoneCell
	}
	total, most := 0, 0
	err := each(ctx, w, "map", func(r record) {
		n := r.Number(2)
		total, most = total+n, max(most, n)
		west, south := float64(r.Number(0))*m.Cell, float64(r.Number(1))*m.Cell
		m.Cells = append(m.Cells, MapCell{X: west, Y: -south - m.Cell, Count: n, Title: fmt.Sprintf("%s near %.1f %.1f", wording.Counted(n, "vessel"), south+m.Cell/2, west+m.Cell/2)})
	}, zone, m.Cell)
	if err != nil || total == 0 {
		return nil, err
	}
	for i, c := range m.Cells {
		m.Cells[i].Level = level(c.Count, most)
	}
	m.Words = fmt.Sprintf("The last known positions of %s of %s.", wording.Counted(total, "listed vessel"), where)
	if zone != "" {
		if elsewhere := m.frame(); elsewhere > 0 {
			m.Words += fmt.Sprintf(" The positions of %s are older, and outside this part of the globe.", wording.Counted(elsewhere, "vessel"))
		}
	}
	return m, nil
}

// frame cuts the part of the globe around most of the vessels, and returns how many are elsewhere: a position can be older
// than what says that a vessel is in the zone.
func (m *WorldMap) frame() (elsewhere int) {
	x0, x1 := m.most(func(c MapCell) float64 { return c.X })
	y0, y1 := m.most(func(c MapCell) float64 { return c.Y })
	height := math.Max(2*(y1-y0)+m.Cell, leastMap)
	width := math.Max(2*(x1-x0)+m.Cell, 2*height)
	if width > 180 { // it lies on both sides of the date line
		return 0
	}
	m.X, m.Y, m.Width, m.Height = (x0+x1-width)/2, (y0+y1-height)/2, width, height
	m.Cells = slices.DeleteFunc(m.Cells, func(c MapCell) bool {
		out := c.X < m.X || c.X+m.Cell > m.X+width || c.Y < m.Y || c.Y+m.Cell > m.Y+height
		if out {
			elsewhere += c.Count
		}
		return out
	})
	return elsewhere
}

// most is where the middle half of the vessels begin and end, on one axis.
func (m *WorldMap) most(at func(MapCell) float64) (first, last float64) {
	var all []float64
	for _, c := range m.Cells {
		for range c.Count {
			all = append(all, at(c))
		}
	}
	slices.Sort(all)
	return quantile(all, .25), quantile(all, .75)
}
