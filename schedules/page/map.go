package page

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/warehouse"
)

// coast is the coastlines, which no night changes. Maps show it as a picture, so that a browser loads it once.
var coast = mustRead("templates/coast.svg")

func serveCoast(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "private, max-age=86400")
	w.Write(coast) // a client that disconnected needs no answer
}

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
	if zone != "" {
		m.frame()
	}
	m.Words = fmt.Sprintf("Where %s of %s are whose position is known, by the coastlines of Natural Earth.", wording.Counted(total, "listed vessel"), where)
	return m, nil
}

// frame cuts the part of the globe around the cells. One on both sides of the date line is the whole globe.
func (m *WorldMap) frame() {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, c := range m.Cells {
		x0, x1, y0, y1 = math.Min(x0, c.X), math.Max(x1, c.X+m.Cell), math.Min(y0, c.Y), math.Max(y1, c.Y+m.Cell)
	}
	height := math.Max(y1-y0+4, leastMap)
	width := math.Max(x1-x0+4, 2*height)
	if width > 200 {
		m.Cell = zoneCell
		return
	}
	m.X, m.Y, m.Width, m.Height = (x0+x1-width)/2, (y0+y1-height)/2, width, height
}
