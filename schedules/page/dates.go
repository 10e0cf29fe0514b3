package page

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/warehouse"
)

// nightPage leads to the page of a night by its date: to that of the last run of the date.
func (s *site) nightPage(w http.ResponseWriter, r *http.Request) {
	date := r.PathValue("date")
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		s.notFound(w, r)
		return
	}
	run := ""
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error {
		return each(ctx, file, "run_of_night", func(r record) { run = r.Text(0) }, date)
	})
	switch {
	case err != nil && !errors.Is(err, warehouse.ErrNone):
		s.cannotRead(w, err)
	case run == "":
		s.say(w, http.StatusNotFound, "No run covers "+shown.LongDay(date), "The status page and the list of runs have the nights that there are.")
	default:
		http.Redirect(w, r, "/runs/"+run, http.StatusSeeOther)
	}
}

// How many nights and how many flags and categories the pictures over time have.
const seriesNights, seriesParts = 120, 12

// zonePage serves what vessels did in one zone over the nights, against what is usual there.
func (s *site) zonePage(w http.ResponseWriter, r *http.Request) {
	zone := r.PathValue("zone")
	if !slices.ContainsFunc(zonesOfMap, func(z Zone) bool { return z.Value == zone }) {
		s.notFound(w, r)
		return
	}
	var all []Series
	var where *WorldMap
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) (err error) {
		if where, err = mapOf(ctx, file, zone, "the zone"); err != nil {
			return err
		}
		return each(ctx, file, "zone_series", func(r record) {
			if n := len(all); n == 0 || all[n-1].Title != shown.StatusName(r.Text(0)) {
				all = append(all, Series{Title: shown.StatusName(r.Text(0)), List: "/list/episodes?" + url.Values{"world_zone": {zone}, "navigational_status": {r.Text(0)}, "is_vessel": {"true"}}.Encode()})
			}
			last := &all[len(all)-1]
			last.Points = append(last.Points, SeriesPoint{Date: r.Text(1), Value: float64(r.Number(2)), Known: r.Yes(3)})
		}, zone, seriesNights)
	})
	if err != nil {
		s.cannotRead(w, err)
		return
	}
	for i := range all {
		all[i].addUsual()
	}
	p := seriesPage(shown.ZoneName(zone), "Vessels in the zone, by night and status. The band has the middle half of the 28 nights before. A gap is a night without a complete search, and does not mean zero.", all)
	p.Map = where
	p.Links = []shown.Field{{Name: "Waiting by category", Value: "/list/zone_congestion?world_zone=" + zone}, {Name: "Arrivals", Value: "/list/arrivals?world_zone=" + zone}, {Name: "Departures", Value: "/list/departures?world_zone=" + zone}}
	s.sendSeries(w, p)
}

// fleetPage serves the listed fleet over the nights, by flag and by category.
func (s *site) fleetPage(w http.ResponseWriter, r *http.Request) {
	var all []Series
	var where *WorldMap
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) (err error) {
		if where, err = mapOf(ctx, file, "", "the fleet"); err != nil {
			return err
		}
		last := ""
		return each(ctx, file, "fleet_series", func(r record) {
			if key := r.Text(0) + " " + r.Text(1); key != last || len(all) == 0 {
				last = key
				all = append(all, fleetSeries(r.Text(0), r.Text(1), r.Text(2)))
			}
			one := &all[len(all)-1]
			one.Points = append(one.Points, SeriesPoint{Date: r.Text(3), Value: float64(r.Number(4)), Known: true})
		}, seriesNights, seriesParts)
	})
	if err != nil {
		s.cannotRead(w, err)
		return
	}
	p := seriesPage("The fleet over the nights", "Listed vessels in all, by category and by flag, whether or not they were seen that night. Beacons and buoys do not count.", all)
	p.Map = where
	s.sendSeries(w, p)
}

// fleetSeries names a part of the fleet, and where its vessels are listed.
func fleetSeries(byWhat, value, country string) Series {
	filter := url.Values{"listed": {"true"}, "is_vessel": {"true"}}
	title := "All vessels"
	switch byWhat {
	case "flag":
		title = cmp.Or(country, value)
		filter.Set("flag", value)
	case "category":
		title = value
		filter.Set("category", value)
	}
	return Series{Title: title, List: "/list/vessels?" + filter.Encode()}
}

func (s *site) sendSeries(w http.ResponseWriter, p *SeriesPage) {
	send(w, http.StatusOK, s.page(view{Kind: "series", Title: p.Title, Version: s.Version, Now: s.Now(), Series: p}))
}
