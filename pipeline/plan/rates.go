package plan

import "github.com/fleetlake/fleetlake/warehouse"

// Rates is how often each dataset of a vessel changes while its registration stays as it is. The zero
// value has no observation, and answers with the rates that are assumed without one.
type Rates struct {
	observed map[string]map[string]float64 // changes per vessel and day, by dataset and category; "" is the whole fleet
}

// NewRates returns the rates that were observed, in changes per vessel and day, by dataset and by
// category of vessel. The category "" is the whole fleet.
func NewRates(observed map[string]map[string]float64) Rates { return Rates{observed} }

// positionRate is the assumed number of changes of a position per vessel and day.
const positionRate = 1.0

// PerDay returns how often a dataset of a vessel changes, per day, while its registration stays as it is.
func (r Rates) PerDay(dataset string, t warehouse.Target) float64 {
	if dataset == "position" {
		return positionRate
	}
	if rate, ok := r.observed[dataset][t.Category]; ok {
		return rate
	}
	return r.observed[dataset][""]
}
