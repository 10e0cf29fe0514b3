package plan

import "time"

// Job is what a run does: what it lists, sweeps and looks up, and what it may spend.
type Job struct {
	Name     string
	Location *time.Location // the snapshot date is the civil date here
	Deadline time.Duration  // no new request later than this after the start; 0 is none
	Budget   int            // the most credits a run may spend; 0 is no cap
	PerDay   int            // and all runs of a day together (UTC); 0 is no cap
	PerMonth int            // and of a month
	Floor    int            // the balance that is left alone
	List     List
	Sweep    Sweep
	Lookup   Lookup
}

// List is the part of a job that pages through the type/country search.
type List struct {
	By        string        // "cheapest", "type", "country" or "none"
	Types     []string      // only these types; empty is all
	Countries []string      // only these countries; empty is all
	MaxAge    time.Duration // a partition covered completely within this time is not asked again
}

// Sweep is the part of a job that searches navigational statuses over world zones. Each
// filter multiplies the requests by its number of values; empty means unfiltered.
type Sweep struct {
	Statuses    []string // empty is no sweep
	Zones       []string // for the statuses that need one
	VesselTypes []string
	Laden       []string
	ForOrder    []string
}

// Lookup is the part of a job that asks for single vessels.
type Lookup struct {
	Want        []string      // datasets: particulars, engine, management, position; empty is no lookups
	MaxAge      time.Duration // a vessel looked up within this time is not asked again
	Watch       []string      // IMO or MMSI numbers that come first
	MaxRequests int           // 0 is no limit of its own
}

// Datasets lists what Lookup.Want may hold.
var Datasets = []string{"particulars", "engine", "management", "position"}
