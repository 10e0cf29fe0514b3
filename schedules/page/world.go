package page

import (
	"context"
	"math"
	"slices"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// World is where the vessels were and what they did, by the searches by status.
type World struct {
	Statuses []Status // in the order of the filter, those with zones first
	Zones    []Zone   // as zones.txt lists them, what it does not know last
	Total    int
}

// Status is one navigational status in all zones.
type Status struct {
	Value, Name string
	Count       int
	Zoned       bool
	Asked       bool // some search asked for it
	Gaps        bool // a search of the latest night was not complete
}

// Zone is one tile of the map.
type Zone struct {
	Value, Name, Region string
	Column, Row         int // on the map; 0 if the table does not know the zone
	Total, Level        int // the level tints the tile: 0 is empty, 5 the fullest
	Parts               []Part
	SeenOn              string // the oldest night that a count is from
	Gaps                bool
}

// Part is a status within a zone. From and Share place it in a stacked bar, in per cent.
type Part struct {
	Status
	Level       int
	From, Share float64
}

// zonesOfMap are the zones of the map without vessels, and statusesOfFilter the statuses.
var (
	zonesOfMap = func() (all []Zone) {
		for _, z := range shown.Zones {
			all = append(all, Zone{Value: z.Value, Name: z.Name, Region: z.Region, Column: z.Column, Row: z.Row})
		}
		return all
	}()
	statusesOfFilter = func() (all []Status) {
		for _, s := range shown.Statuses {
			all = append(all, Status{Value: s.Value, Name: s.Name})
		}
		return all
	}()
)

// cell is one row of zones.sql.
type cell struct {
	status, zone, seenOn string
	vessels              int
	complete             bool
}

func world(ctx context.Context, w *warehouse.Warehouse, date string) (*World, error) {
	var cells []cell
	err := each(ctx, w, "zones", func(r record) {
		cells = append(cells, cell{r.Text(0), r.Text(1), r.Text(3), r.Number(2), r.Yes(4)})
	}, date)
	if err != nil || len(cells) == 0 {
		return nil, err
	}
	return layOut(cells), nil
}

// layOut puts the counts on the map.
func layOut(cells []cell) *World {
	w := &World{Zones: slices.Clone(zonesOfMap)}
	statuses := slices.Clone(statusesOfFilter)
	for _, c := range cells {
		w.Total += c.vessels
		s := place(&statuses, func(s Status) bool { return s.Value == c.status }, Status{Value: c.status, Name: c.status})
		s.Count, s.Asked = s.Count+c.vessels, true
		s.Gaps = s.Gaps || !c.complete
		if c.zone == "" {
			continue
		}
		s.Zoned = true
		z := place(&w.Zones, func(z Zone) bool { return z.Value == c.zone }, Zone{Value: c.zone, Name: c.zone, Region: "Elsewhere"})
		z.Total += c.vessels
		z.Gaps = z.Gaps || !c.complete
		if z.SeenOn == "" || c.seenOn < z.SeenOn {
			z.SeenOn = c.seenOn
		}
		z.Parts = append(z.Parts, Part{Status: Status{Value: c.status, Name: s.Name, Count: c.vessels}})
	}
	for _, s := range statuses {
		if s.Asked {
			w.Statuses = append(w.Statuses, s)
		}
	}
	w.shade(statuses)
	return w
}

// Worldwide lists the statuses that are searched for without a zone.
func (w *World) Worldwide() []Status {
	return slices.DeleteFunc(slices.Clone(w.Statuses), func(s Status) bool { return s.Zoned })
}

// place finds an element, or appends one.
func place[T any](all *[]T, is func(T) bool, fresh T) *T {
	i := slices.IndexFunc(*all, is)
	if i < 0 {
		i = len(*all)
		*all = append(*all, fresh)
	}
	return &(*all)[i]
}

// shade gives each tile its levels and its bar, with the statuses in the order of the filter.
func (w *World) shade(order []Status) {
	most, mostOf := 0, map[string]int{}
	for _, z := range w.Zones {
		most = max(most, z.Total)
		for _, p := range z.Parts {
			mostOf[p.Value] = max(mostOf[p.Value], p.Count)
		}
	}
	rank := func(p Part) int { return slices.IndexFunc(order, func(s Status) bool { return s.Value == p.Value }) }
	for i := range w.Zones {
		z := &w.Zones[i]
		z.Level = level(z.Total, most)
		slices.SortFunc(z.Parts, func(a, b Part) int { return rank(a) - rank(b) })
		from := 0.0
		for j := range z.Parts {
			p := &z.Parts[j]
			p.Level, p.From, p.Share = level(p.Count, mostOf[p.Value]), from, bar(p.Count, z.Total)
			from += p.Share
		}
	}
}

// levels is the number of tints.
const levels = 5

// level is the tint of a count: by the square root, because most vessels are in a few zones.
func level(count, most int) int {
	if count <= 0 || most <= 0 {
		return 0
	}
	return max(1, int(math.Ceil(levels*math.Sqrt(float64(count)/float64(most))-1e-9)))
}
