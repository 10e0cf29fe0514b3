package plan

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
)

// recheck is how long the check of a partition of the other cover is believed.
const recheck = 7 * 24 * time.Hour

// Inputs is everything that a plan is decided on.
type Inputs struct {
	Now     time.Time
	Since   time.Time // when the night's first run started that this one goes on from; zero if there is none
	Totals  []warehouse.Total
	Targets []warehouse.Target
	Refused map[string]bool    // IMO or MMSI numbers that the service did not know of late
	Rates   map[string]float64 // observed changes per vessel and day, by category; "" is the fleet's

	Balance              int  // of the key
	BalanceKnown         bool // whether the service told
	SpentDay, SpentMonth int  // by all jobs, since the day and the month began (UTC)
	SpentNight           int  // by all runs of the night

	LookedUp int                   // lookups of the night that this run goes on from
	Tonight  map[string]PastAnswer // what the runs of the night asked that this one goes on from, by request key
	Covers   string                // the kind of partition that their list pages through; empty where there is none
}

// Plan is what a run will ask, in order.
type Plan struct {
	Cover   []Partition // pages of the type/country search
	Checks  []Partition // first pages of the other side, to find vessels that the cover does not show
	Sweeps  []StatusSearch
	Lookups []string // IMO or MMSI numbers that are known before the run, most wanted first
	Skipped []journal.Partition
	Waiting []Search // left out for lack of credits, the most worth first: the run decides again

	Kept      int // credits that the searches leave to lookups
	Allowance allowance
	Due       int            // lookups that are due, with those that are left out
	Room      int            // lookups that the run has time and requests for, new vessels included
	capacity  map[string]int // requests that each lane can carry
	Price     []lanePrice
	LeftOut   []LeftOut
}

// sweep is one status search, and how it was covered before.
type StatusSearch struct {
	api.Sweep
	Expected int // vessels when it was last covered; -1 where unknown
	At       time.Time
	Unpaid   int // 1, or 0 if the night has its answer
}

// Partition is one unit of the type/country search: a type, a country, or one of each.
type Partition struct {
	Type, Country string
	Expected     int       // vessels when it was last covered completely; -1 where unknown
	at           time.Time // when that was
	Nights       float64   // how old what is known of it is, as far as that counts

	Pages  int // that it has by what is known before the run
	Unpaid int // those that the night has no answer to
	billed int // those of them that are expected to hold a vessel: a page without one is free
}

// Decide is the plan of a job. It asks nothing and looks at no clock.
func Decide(job Job, f Inputs, perMinute func(api.Operation) int) Plan {
	var d Plan
	totals := map[api.Partition]warehouse.Total{}
	for _, t := range f.Totals {
		totals[totalKey(api.Partition{Kind: t.Kind, Value: t.Value})] = t
	}
	d.Cover, d.Checks = cover(job.List, f.Covers, totals)
	whole := len(d.Cover)
	d.Cover = d.fresh(d.Cover, totals, f, job.List.MaxAge)
	if len(d.Cover) < whole {
		d.Checks = nil // what is not seen tonight cannot be compared
	}
	d.Checks = d.fresh(d.Checks, totals, f, recheck)
	d.Sweeps = sweeps(job.Sweep, totals)
	d.remaining(f)
	d.Lookups = lookups(job, f)
	d.fit(job, f, perMinute)
	return d
}

// cover returns the partitions that together show every listed vessel once, and those of
// the other side, whose totals tell whether a vessel without country, or without type, is
// missing. The cheaper side by the last totals covers, and through a whole night the one that it
// began with; with filters there is one side only.
func cover(l List, began string, totals map[api.Partition]warehouse.Total) (cover, checks []Partition) {
	types, countries := orAll(l.Types, api.Types), orAll(l.Countries, api.Countries)
	byType, byCountry := side(types, nil, totals), side(nil, countries, totals)
	switch {
	case l.By == "none":
		return nil, nil
	case len(l.Types) > 0 && len(l.Countries) > 0:
		return side(types, countries, totals), nil
	case len(l.Types) > 0:
		return byType, nil
	case len(l.Countries) > 0:
		return byCountry, nil
	case l.By == "type":
		return byType, nil
	case l.By == "country":
		return byCountry, nil
	case began == "type", began == "" && pagesOf(byType) < pagesOf(byCountry):
		return byType, byCountry
	}
	return byCountry, byType
}

// side makes a partition of each type, of each country, or of each pair.
func side(types, countries []string, totals map[api.Partition]warehouse.Total) []Partition {
	var ps []Partition
	for _, t := range orAll(types, []string{""}) {
		for _, c := range orAll(countries, []string{""}) {
			p := Partition{Type: t, Country: c, Expected: -1}
			if last, ok := totals[totalKey(p.Name())]; ok {
				p.Expected, p.at = last.Rows, last.At
			}
			ps = append(ps, p)
		}
	}
	return ps
}

// pagesOf is what a cover costs, in pages. A partition that was never seen counts as one.
func pagesOf(ps []Partition) int {
	n := 0
	for _, p := range ps {
		n += Pages(p.Expected)
	}
	return n
}

// Pages is the number of pages that so many vessels fill; 1 where the number is unknown.
func Pages(total int) int {
	if total < 0 {
		return 1
	}
	return (total + api.PageSize - 1) / api.PageSize
}

// fresh drops the partitions that were covered completely of late, and notes them. What the
// night itself covered stays: its answers are in the journal and are not asked for again.
func (d *Plan) fresh(ps []Partition, totals map[api.Partition]warehouse.Total, f Inputs, age time.Duration) []Partition {
	return slices.DeleteFunc(ps, func(p Partition) bool {
		last, ok := totals[totalKey(p.Name())]
		tonight := !f.Since.IsZero() && !last.At.Before(f.Since)
		if !ok || tonight || !last.At.After(f.Now.Add(-age)) {
			return false
		}
		e := p.Entry()
		e.Skipped = "covered at " + last.At.UTC().Format(time.RFC3339)
		d.Skipped = append(d.Skipped, e)
		return true
	})
}

// sweeps multiplies statuses, zones and filters.
func sweeps(s Sweep, totals map[api.Partition]warehouse.Total) []StatusSearch {
	var all []StatusSearch
	for _, name := range s.Statuses {
		zones := []string{""}
		if status, ok := api.StatusNamed(name); ok && status.Zoned {
			zones = s.Zones
		}
		for _, zone := range zones {
			for _, typ := range orAll(s.VesselTypes, []string{""}) {
				for _, laden := range orAll(s.Laden, []string{""}) {
					for _, order := range orAll(s.ForOrder, []string{""}) {
						w := StatusSearch{Sweep: api.Sweep{Status: name, Zone: zone, VesselType: typ, Laden: laden, ForOrder: order}, Expected: -1}
						if last, ok := totals[totalKey(w.Partition())]; ok {
							w.Expected, w.At = last.Rows, last.At
						}
						all = append(all, w)
					}
				}
			}
		}
	}
	return all
}

// Operation is the cheapest one that tells all that is wanted.
func (l Lookup) Operation() api.Operation {
	switch {
	case !slices.ContainsFunc(l.Want, func(w string) bool { return w != "particulars" }):
		return api.Particulars
	case !slices.ContainsFunc(l.Want, func(w string) bool { return w != "position" }):
		return api.Location
	}
	return api.Info
}

// SeenAt is when the last of the wanted datasets was seen; zero if one never was.
func SeenAt(l Lookup, t warehouse.Target) time.Time {
	at := map[string]time.Time{"particulars": t.ParticularsAt, "engine": t.EngineAt, "management": t.ManagementAt, "position": t.PositionAt}
	oldest := at[l.Want[0]]
	for _, want := range l.Want[1:] {
		if at[want].Before(oldest) {
			oldest = at[want]
		}
	}
	return oldest
}

// AskFor is the number to look a vessel up by: the IMO, which stays with the hull, else the MMSI.
func AskFor(t warehouse.Target) string {
	if t.IMO != 0 {
		return strconv.Itoa(int(t.IMO))
	}
	return t.MMSI
}

// kind and value name a partition as the journal and the coverage table do.
// name is what coverage and totals call the partition.
func (p Partition) Name() api.Partition { return api.ListPartition(p.Type, p.Country) }

func (p Partition) Entry() journal.Partition {
	return journal.Partition{Operation: api.ByType.Name, Kind: p.Name().Kind, Value: p.Name().Value, Expected: p.Expected}
}

func (s StatusSearch) Entry() journal.Partition {
	return journal.Partition{Operation: api.ByStatus.Name, Kind: api.KindStatus, Value: s.String(), Expected: s.Expected}
}

// totalKey is a partition as totals are kept by: the service compares values without case.
func totalKey(p api.Partition) api.Partition {
	return api.Partition{Kind: p.Kind, Value: strings.ToLower(p.Value)}
}

func orAll(some, all []string) []string {
	if len(some) > 0 {
		return some
	}
	return all
}

// Page asks for a page of the partition.
func (p Partition) Page(n int) api.Request { return api.Page(p.Type, p.Country, n) }
