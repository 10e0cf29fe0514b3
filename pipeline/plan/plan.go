package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// recheck is how long the check of a partition stays valid.
const recheck = 7 * 24 * time.Hour

// Inputs is everything that Decide takes into account beside the job.
type Inputs struct {
	Now     time.Time
	Since   time.Time // start of the night's first run that this run resumes; zero if there is none
	Totals  []inputs.Total
	Targets []inputs.Target
	Refused map[string]bool // IMO or MMSI numbers that are not looked up, since the service recently did not know them
	Rates   Rates

	// Answered are the numbers of lookups with an answer of all that the job wants, within Lookup.WatchAge. An
	// answer about a vessel that nothing else has named, or that has another number by now, is known by
	// the number alone that was asked for.
	Answered map[int]bool

	Balance      int  // credits of the API key
	BalanceKnown bool // whether the service reported the balance
	Spent        credits.Spent

	Vessels   [][]string           // of each of the job's Asks: the numbers that it asks about
	NoVessels []string             // of each: why its vessels are not known; empty if they are
	Asked     map[string]time.Time // when a question was last answered, by request key; of a bulk question by operation and number
	Bulk      inputs.Bulk          // what answers of the bulk location search are known to have

	LookedUp int                   // lookups of the runs that this run resumes
	Tonight  map[string]PastAnswer // answers to the runs that this run resumes, by request key
	Covers   string                // kind of the partitions that those runs list by; "" if there are none
}

// Plan is the requests of a run in order, their price, and what is left out.
type Plan struct {
	Cover   []Partition // pages of the type/country search
	Checks  []Partition // first pages by the other kind, to find vessels that the cover does not list
	Sweeps  []StatusSearch
	Lookups []string // IMO or MMSI numbers that are known before the run, the highest score first

	// Further are the numbers after those of Lookups, as many as the lane can carry: searches that cost less
	// than their price pay for them, and lookups that find no vessel.
	Further []string

	// Positions are the numbers of watched vessels of which nothing but the position is due: the cheapest
	// operation answers with it alone. They come before the other lookups, the longest wait first.
	Positions []string

	Questions []Questions // of the job's Asks, in their order, and of InBulk: they come before everything else
	InBulk    []string    // numbers whose positions a bulk location search asks for, and no lookup

	due     dueLookups
	Skipped []journal.Partition
	Waiting []Search // left out for lack of credits, the most valuable first: the run decides again as prices become known

	Freed        []Purchase // searches of Waiting that the night is expected to buy with what others leave
	FreedLookups int        // lookups of Further that it is expected to make

	asked     int // credits of the questions
	Kept      int // credits that the searches leave to lookups
	Allowance credits.Allowance
	Due       int                   // lookups that are due, including those that are left out
	Room      int                   // lookups that the run has time and requests for, new vessels included
	capacity  map[string]int        // requests that each lane can carry
	room      map[api.Operation]int // requests that the lanes of the two searches can carry
	Price     []lanePrice
	LeftOut   []LeftOut
}

// StatusSearch is one status search, and what is known of its last coverage.
type StatusSearch struct {
	api.Sweep
	Expected  int // vessels when it was last covered; -1 if unknown
	WorldRows int // of a zone that the interface does not require: vessels of the same search without a zone when that was last covered; 0 if unknown
	At        time.Time
	Unpaid    int // 1, or 0 if a run of the night has its answer
}

// Partition is one unit of the type/country search: a type, a country, or one of each.
type Partition struct {
	Type, Country string
	Expected      int       // vessels when it was last covered completely; -1 if unknown
	at            time.Time // when that was
	Nights        float64   // age of its last coverage in nights, at most MostNights

	Pages  int // pages that it is expected to have
	Unpaid int // pages that no run of the night has an answer to
	billed int // unpaid pages that are expected to list a vessel: a page without one is free
}

// Decide makes the plan of a job. perMinute returns the rate limit of an operation.
func Decide(job Job, f Inputs, perMinute func(api.Operation) int) Plan {
	var d Plan
	totals := map[api.Partition]inputs.Total{}
	for _, t := range f.Totals {
		totals[totalKey(api.Partition{Kind: t.Kind, Value: t.Value})] = t
	}
	d.Cover, d.Checks = cover(job.List, f.Covers, totals)
	whole := len(d.Cover)
	d.Cover = d.fresh(d.Cover, totals, f, job.List.MaxAge, Pages)
	if len(d.Cover) < whole {
		d.Checks = nil // a check compares with the whole cover
	}
	d.Checks = d.fresh(d.Checks, totals, f, recheck, func(int) int { return 1 })
	d.Sweeps = sweeps(job.Sweep, totals)
	if job.Sweep.Every > 0 {
		d.notDue(f, job.Sweep.Every)
	}
	d.countUnpaid(f)
	d.due = due(job, f)
	d.fit(job, f, perMinute)
	return d
}

// cover returns the partitions that together list every vessel once, by type or by country, and
// the checks: the partitions by the other kind, whose totals reveal vessels without a country or
// without a type. It covers by the cheaper kind according to the last totals, unless an earlier run of
// the night already chose (began). With filters there are no checks.
func cover(l List, began string, totals map[api.Partition]inputs.Total) (cover, checks []Partition) {
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
func side(types, countries []string, totals map[api.Partition]inputs.Total) []Partition {
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

// pagesOf is the cost of a cover in pages. A partition of unknown size counts as one page.
func pagesOf(ps []Partition) int {
	n := 0
	for _, p := range ps {
		n += Pages(p.Expected)
	}
	return n
}

// Pages returns how many pages a number of vessels fills; 1 if the number is unknown (below 0).
func Pages(total int) int {
	if total < 0 {
		return 1
	}
	return (total + api.PageSize - 1) / api.PageSize
}

// fresh drops the partitions that were covered completely within age, and records them as skipped.
// Those that the night itself covered stay: the journal has their answers, and they cost nothing. What
// another job covered meanwhile is dropped, since the night would pay for it. pages returns how many
// pages cover a number of vessels.
func (d *Plan) fresh(ps []Partition, totals map[api.Partition]inputs.Total, f Inputs, age time.Duration,
	pages func(vessels int) int) []Partition {
	return slices.DeleteFunc(ps, func(p Partition) bool {
		last, ok := totals[totalKey(p.Name())]
		tonight := !f.Since.IsZero() && !last.At.Before(f.Since) && f.has(p, max(1, pages(last.Rows)))
		if !ok || tonight || !last.At.After(f.Now.Add(-age)) {
			return false
		}
		e := p.Entry()
		e.Skipped = "covered at " + last.At.UTC().Format(time.RFC3339)
		d.Skipped = append(d.Skipped, e)
		return true
	})
}

// balance returns the balance; nil if it is not known.
func (f Inputs) balance() *int {
	if !f.BalanceKnown {
		return nil
	}
	return &f.Balance
}

// has reports whether the night has the answers to the first pages of a partition.
func (f Inputs) has(p Partition, pages int) bool {
	for n := range pages {
		if _, ok := f.Tonight[p.Page(n+1).Key()]; !ok {
			return false
		}
	}
	return true
}

// sweeps returns a search for each combination of status, zone and filters. A status that needs no zone is searched
// for in each zone of a job that wants some, and at once in the whole world by one that wants all: 3 requests
// instead of 123.
func sweeps(s Sweep, totals map[api.Partition]inputs.Total) []StatusSearch {
	var all []StatusSearch
	for _, name := range s.Statuses {
		zones := s.Zones
		if status, ok := api.StatusNamed(name); ok && !status.Zoned && (len(zones) == 0 || len(zones) == len(api.Zones)) {
			zones = []string{""}
		}
		for _, zone := range zones {
			for _, typ := range orAll(s.VesselTypes, []string{""}) {
				for _, laden := range orAll(s.Laden, []string{""}) {
					for _, order := range orAll(s.ForOrder, []string{""}) {
						w := StatusSearch{Sweep: api.Sweep{Status: name, Zone: zone, VesselType: typ, Laden: laden,
							ForOrder: order}, Expected: -1}
						if last, ok := totals[totalKey(w.Partition())]; ok {
							w.Expected, w.At = last.Rows, last.At
						}
						if world, ok := w.World(); ok {
							w.WorldRows = totals[totalKey(world.Partition())].Rows
						}
						all = append(all, w)
					}
				}
			}
		}
	}
	return all
}

// PositionsAlone reports whether the position of a watched vessel is bought alone when nothing else of it
// is due: the job wants it beside other datasets, and the operation that answers with all costs more.
func (l Lookup) PositionsAlone() bool {
	return len(l.Watch) > 0 && slices.Contains(l.Want, "position") && l.Operation() != PositionAlone
}

// Operation returns the cheapest operation that answers with every wanted dataset. It panics for a dataset that no
// operation has, which the configuration refuses.
func (l Lookup) Operation() api.Operation { return l.Operations()[0] }

// Operations returns the operations that answer with every wanted dataset, the cheapest first.
func (l Lookup) Operations() []api.Operation {
	return slices.DeleteFunc(slices.Clone(api.Lookups), func(o api.Operation) bool {
		return slices.ContainsFunc(l.Want, func(dataset string) bool { return !o.Has(dataset) })
	})
}

// SeenAt returns when the oldest of the wanted datasets was observed; zero if one never was.
func SeenAt(l Lookup, t inputs.Target) time.Time { return oldestOf(l.Want, &t) }

func oldestOf(wanted []string, t *inputs.Target) time.Time {
	oldest := *t.Seen(wanted[0])
	for _, want := range wanted[1:] {
		if at := t.Seen(want); at.Before(oldest) {
			oldest = *at
		}
	}
	return oldest
}

// Name identifies the partition in the coverage and totals tables.
func (p Partition) Name() api.Partition { return api.ListPartition(p.Type, p.Country) }

// Entry is the partition as the plan in the journal records it.
func (p Partition) Entry() journal.Partition {
	return journal.Partition{Operation: api.ByType.Name, Kind: p.Name().Kind, Value: p.Name().Value, Expected: p.Expected}
}

// Entry is the search as the plan in the journal records it.
func (s StatusSearch) Entry() journal.Partition {
	return journal.Partition{Operation: api.ByStatus.Name, Kind: api.KindStatus, Value: s.String(), Expected: s.Expected, World: s.WorldRows}
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

// Page returns the request for a page of the partition, counted from 1.
func (p Partition) Page(n int) api.Request { return api.Page(p.Type, p.Country, n) }
