package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Fleet is the current list of vessels, by flag, category and age.
type Fleet struct {
	Vessels, Things          int // things are beacons, buoys, platforms and aircraft
	Flags, Categories, Bands []Share
	Countries                int // flags in all
	Aged                     int // vessels whose year of building is known
}

// Share is a part of the fleet.
type Share struct {
	Name, Code string
	Count      int
	Percent    float64 // of the longest bar
	Other      bool    // the remainder, or unknown
	List       string  // the address of its vessels; empty in a file and for the remainder
	Words      string  // the number of an answer, as the answer has it
}

const maxFlags = 12

// ageBands name the bands of five years that fleet.sql counts by.
var ageBands = []string{"0–4 years", "5–9", "10–14", "15–19", "20–24", "25–29", "30–34", "35–39", "40 and more"}

func fleet(ctx context.Context, w *warehouse.Warehouse, date string) (*Fleet, error) {
	f := &Fleet{Bands: make([]Share, len(ageBands))}
	for i, name := range ageBands {
		f.Bands[i].Name = name
	}
	other := Share{Other: true}
	err := each(ctx, w, "fleet", func(r record) {
		s := Share{Name: r.Text(1), Code: r.Text(2), Count: r.Number(4)}
		switch what, band := r.Text(0), r.Number(3); {
		case what == "all":
			f.Vessels, f.Things = r.Number(4), r.Number(5)
		case s.Count == 0:
		case what == "category":
			f.Categories = append(f.Categories, s)
		case what == "age" && band >= 0:
			f.Bands[band].Count = s.Count
			f.Aged += s.Count
		case what == "flag" && s.Code == "":
			other.Count += s.Count
		case what == "flag" && len(f.Flags) < maxFlags:
			f.Countries++
			f.Flags = append(f.Flags, s)
		case what == "flag":
			f.Countries++
			other.Count += s.Count
		}
	}, date)
	if other.Count > 0 {
		other.Name = "all others and unknown"
		f.Flags = append(f.Flags, other)
	}
	for _, shares := range [][]Share{f.Flags, f.Categories, f.Bands} {
		scale(shares)
	}
	f.link(date)
	return f, err
}

// link gives each part of the fleet the address of its vessels. The bands of age are those of fleet.sql
// in the year of the night.
func (f *Fleet) link(date string) {
	fleet := func(filter url.Values) string {
		filter.Set("listed", "true")
		filter.Set("is_vessel", "true")
		return "/list/vessels?" + filter.Encode()
	}
	for i, s := range f.Flags {
		if !s.Other {
			f.Flags[i].List = fleet(url.Values{"flag": {s.Code}})
		}
	}
	for i, s := range f.Categories {
		f.Categories[i].List = fleet(url.Values{"category": {s.Name}})
	}
	night, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return
	}
	for i := range f.Bands {
		youngest, oldest := night.Year()-5*i, night.Year()-5*i-4
		if i == 0 {
			youngest++ // some are registered as built next year
		}
		filter := url.Values{"year_built.to": {strconv.Itoa(youngest)}}
		if i < len(f.Bands)-1 {
			filter.Set("year_built.from", strconv.Itoa(oldest))
		}
		f.Bands[i].List = fleet(filter)
	}
}

// scale sets the length of each bar as a percentage of the longest. The remainder has no bar: it
// would dwarf the others.
func scale(shares []Share) {
	longest := 1
	for _, s := range shares {
		if !s.Other {
			longest = max(longest, s.Count)
		}
	}
	for i, s := range shares {
		if !s.Other {
			shares[i].Percent = bar(s.Count, longest)
		}
	}
}

// Lane is what one operation did on a night.
type Lane struct {
	Operation                           string
	Requests, Answers, Limited, Credits int
	Others                              []Outcome // requests without data
}

// Outcome counts requests that ended in one way.
type Outcome struct {
	Name  string
	Count int
}

// lanes lists the work of each operation, the dearest first.
func lanes(ctx context.Context, w *warehouse.Warehouse, n Night, runs string) ([]Lane, error) {
	others := map[string][]Outcome{}
	err := each(ctx, w, "outcomes", func(r record) {
		others[r.Text(0)] = append(others[r.Text(0)], Outcome{r.Text(1), r.Number(2)})
	}, runs)
	var all []Lane
	for _, l := range n.Lanes {
		if l.Requests > 0 {
			all = append(all, Lane{l.Operation, l.Requests, l.Answers, l.Limited, l.Credits, others[l.Operation]})
		}
	}
	slices.SortFunc(all, func(a, b Lane) int {
		return cmp.Or(b.Credits-a.Credits, strings.Compare(a.Operation, b.Operation))
	})
	return all, err
}

// bar is a part of the whole in per cent, from 0 to 100.
func bar(part, whole int) float64 {
	return min(100, 100*float64(max(part, 0))/float64(cmp.Or(max(whole, 0), 1)))
}
