package plan

import (
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

// Job configures a run: what it lists, sweeps and looks up, and how much it may spend.
type Job struct {
	Name     string
	Location *time.Location // the time zone of the snapshot date
	Deadline time.Duration  // no new request is sent later than this after the start; 0 is no deadline
	Budget   int            // the most credits that the runs of a night may spend; 0 is no cap
	PerDay   int            // the most credits that all runs of a day may spend (UTC); 0 is no cap
	PerMonth int            // the most credits that all runs of a month may spend (UTC); 0 is no cap
	Floor    int            // the balance that a run never goes below; 0 is no floor
	List     List
	Sweep    Sweep
	Lookup   Lookup
	Asks     []Ask
}

// List is the part of a job that pages through the type/country search.
type List struct {
	By        string        // "cheapest", "type", "country" or "none"
	Types     []string      // empty is all types
	Countries []string      // empty is all countries
	MaxAge    time.Duration // a partition that was covered completely within this time is skipped
}

// Sweep is the part of a job that searches navigational statuses over world zones. Each
// filter multiplies the requests by its number of values; an empty filter is not applied.
type Sweep struct {
	Statuses    []string // empty turns the sweep off
	Zones       []string // world zones, for the statuses that need one
	VesselTypes []string
	Laden       []string
	ForOrder    []string
	Every       time.Duration // a search that was made within this time is skipped; 0 skips none
	Auto        bool          // each search is made when it is worth its credits; Every is 0 then
}

// Lookup is the part of a job that requests single vessels.
type Lookup struct {
	Want        []string      // names of Datasets; empty turns lookups off
	MaxAge      time.Duration // a vessel that was looked up within this time is skipped
	Watch       []string      // IMO or MMSI numbers of vessels that come first
	WatchedOnly bool          // no other vessels are looked up
	MaxRequests int           // the most lookups in a night; 0 is no limit beside the caps

	Bulk *api.RawOperation // the bulk location search, which asks for up to api.MostInBulk positions; nil if there is none
}

// Voyage is the dataset that comes with each position: no lookup sells one without the other, so that a job who wants
// the position has both.
const Voyage = "voyage"

// Datasets lists the values of Lookup.Want: what lookups answer with, but for Voyage.
var Datasets = func() (all []string) {
	for _, o := range api.Operations {
		for _, dataset := range o.Datasets() {
			if o.IsLookup() && dataset != Voyage && !slices.Contains(all, dataset) {
				all = append(all, dataset)
			}
		}
	}
	return all
}()

// PositionAlone is the cheapest operation that answers with the position, by which those of watched vessels are bought.
var PositionAlone = Lookup{Want: []string{"position"}}.Operation()

// Caps returns what the job may spend.
func (j Job) Caps() credits.Caps {
	return credits.Caps{PerNight: j.Budget, PerDay: j.PerDay, PerMonth: j.PerMonth, Floor: j.Floor}
}
