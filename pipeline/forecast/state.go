package forecast

import (
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// State is what is stored when a forecast is made. A forecast does not change it.
type State struct {
	Now     time.Time // of the newest published run; the ages of night 0 are those at this time
	Run     string    // the newest published run; "" if nothing is published
	Targets []inputs.Target
	Totals  []inputs.Total
	Refused map[string]bool // IMO or MMSI numbers that the service recently did not know
	Rates   plan.Rates
	Churn   Churn

	SpentDay, SpentMonth int // credits since the day and the month of SpentAt began (UTC)
	SpentAt              time.Time

	Unlisted int                   // vessels that exist, or are assumed to, and that no search has listed yet
	Partly   []inputs.PartlyListed // partitions that were never covered completely, whose vessels are known
	Priors   []Prior               // what is assumed because no history shows it; empty with a long history

	Spent []RunSpent // of the job's runs, the newest first

	Vessels [][]string           // of each of the job's questions: the numbers that it asks about, now and on every later night
	Asked   map[string]time.Time // when questions were last answered; see plan.Inputs
	Bulk    inputs.Bulk
}

// RunSpent is the credits of a past run.
type RunSpent struct {
	Started time.Time
	Credits int
}

// Churn is how the list changes, per listed vessel and day.
type Churn struct {
	Arrive float64 `json:"arrive"` // vessels that are listed for the first time
	Leave  float64 `json:"leave"`  // vessels that are not listed any more
	Change float64 `json:"change"` // changes of a registration that the list reports
}

// Prior is an assumption, with its source.
type Prior struct {
	What   string `json:"what"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Scenario is a job to forecast, with the limits of the service.
type Scenario struct {
	Name   string         // what differs from the configuration; "as configured" if nothing does
	Job    plan.Job       // its Floor is not applied: a forecast does not know which credits will be bought
	Limits map[string]int // requests per minute by operation name; the documented limit where absent
	Nights []time.Time    // the starts of the runs to simulate, in their order
}

// PerMinute returns the rate limit of an operation.
func (s Scenario) PerMinute(o api.Operation) int {
	if n := s.Limits[o.Name]; n > 0 {
		return n
	}
	return o.PerMinute
}

// Datasets lists the datasets that the lookups of a job answer with and that jobs can want; nil without lookups.
func Datasets(l plan.Lookup) []string {
	if len(l.Want) == 0 {
		return nil
	}
	return slices.DeleteFunc(l.Operation().Datasets(), func(dataset string) bool { return dataset == plan.Voyage })
}

// Night is what a forecast expects of one run, and of the data after it.
type Night struct {
	At       time.Time `json:"at"`      // start of the run; of night 0, the state that the forecast begins with
	Vessels  int       `json:"vessels"` // ships that are listed; the measures are of these
	Datasets []Measure `json:"datasets"`
	Credits  int       `json:"credits"`
	Spending Spending  `json:"spending"`
	Requests int       `json:"requests"`
	Minutes  float64   `json:"minutes"` // of the busiest lane
	Waiting  int       `json:"waiting"` // lookups that were due and not made
	Covered  Covered   `json:"-"`
}

// Spending is the credits of a night by what they are spent on.
type Spending struct {
	Questions int `json:"questions"` // at the price or the ceiling of each, with those of the bulk location search
	List      int `json:"list"`
	Sweep     int `json:"sweep"`
	Lookups   int `json:"lookups"`
}

// Measure is how complete and how fresh one dataset is. Shares are of all listed ships, ages in days, of
// the ships whose dataset is known.
type Measure struct {
	Dataset string  `json:"dataset"`
	Known   float64 `json:"known"` // share, 0 to 1
	Fresh   float64 `json:"fresh"` // share that is known and not older than the job's max_age and a day, 0 to 1
	True    float64 `json:"true"`  // expected share that is known and as in reality, 0 to 1
	Median  float64 `json:"median_days"`
	P90     float64 `json:"p90_days"`
	Worst   float64 `json:"worst_days"`
}

// Of returns the measure of a dataset; false if the night has none.
func (n Night) Of(dataset string) (Measure, bool) {
	for _, m := range n.Datasets {
		if m.Dataset == dataset {
			return m, true
		}
	}
	return Measure{}, false
}
