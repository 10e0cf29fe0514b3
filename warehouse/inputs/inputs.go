// Package inputs is what the published warehouse knows that the next nights are planned by: vessels, the
// sizes of partitions, and how often values change. These are values alone, so that a plan is decided, and
// tested, without a database. It keeps nothing, and a crash leaves nothing.
package inputs

import (
	"strconv"
	"time"
)

// Target is a vessel that can be looked up, and when each dataset was last seen (UTC); zero if
// never.
type Target struct {
	VesselID string
	IMO      int // 0 is none
	MMSI     string
	IsVessel bool // also if unknown
	Category string
	Listed   bool
	AgeBand  int // by year of build: 1 is less than five years old, 2 less than ten, and so on; 0 is unknown

	// When each dataset was last seen; zero if never. Of one of which the last answers had no value, it is
	// the later moment from which on it is asked for again.
	ParticularsAt, EngineAt, ManagementAt, PositionAt time.Time

	ChangedAt time.Time // the start of the open version of its registration
	FirstSeen time.Time
	Versions  int // of its registration, within a week of the newest

	MissingSince time.Time // midnight of the first night whose list missed it, while a lookup by its IMO number can prove it gone; zero for none

	Name, Flag, VesselType string
	Status, Zone           string // navigational status and world zone, as last known
}

// Seen is when a dataset that lookups answer with was last seen: never, if no table has it.
func (t *Target) Seen(dataset string) *time.Time {
	switch dataset {
	case "particulars":
		return &t.ParticularsAt
	case "engine":
		return &t.EngineAt
	case "management":
		return &t.ManagementAt
	case "position":
		return &t.PositionAt
	}
	return &time.Time{}
}

// Number is what a lookup of the vessel asks by: the IMO number, which stays with the hull, else the MMSI.
func (t *Target) Number() string {
	if t.IMO != 0 {
		return strconv.Itoa(t.IMO)
	}
	return t.MMSI
}

// Total is the number of vessels in the latest complete coverage of a partition; Operation, Kind
// and Value name it.
type Total struct {
	Operation, Kind, Value string
	Rows                   int
	At                     time.Time // the start of the run that covered it
}

// Span is what the answers about the vessels of one group show of how often a dataset changes while
// their registrations stay as they are.
type Span struct {
	Dataset        string // registration, particulars, engine or management, or as Turnover names stays
	Category, Flag string
	AgeBand        int     // as of a Target
	Unchanged      float64 // vessel-days from one answer to a later one with the same values
	Changes        int     // pairs of successive answers that differ
	Within         float64 // days between the two answers of such a pair, on average
	Signals        int     // changes of a registration between two answers with the dataset
	Followed       int     // those whose second answer differs from the first
}

// PartlyListed is a partition of the list that was never covered completely.
type PartlyListed struct {
	Kind, Value        string
	Expected, Received int // vessels that it reported, and those of its answers
}

// Asked is when a request of an operation was last answered, by its canonical parameters.
type Asked struct {
	Operation, Parameters string
	At                    time.Time
}

// Bulk is what the last answers of the bulk location search had.
type Bulk int

const (
	BulkUntried  Bulk = iota // there is none yet, or it is time to try again
	BulkLocates              // positions of vessels
	BulkIsOpaque             // nothing that is read as one, or the last run got no answer
)
