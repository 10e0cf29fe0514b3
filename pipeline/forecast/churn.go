package forecast

import "fmt"

// History is what the list has shown since it was first complete.
type History struct {
	VesselDays float64 // known vessels times the days since the list was first complete
	Arrived    int     // vessels that were listed for the first time
	Left       int     // vessels that left it in the first half of this time and have not come back: of the others, many do
	Changed    int     // changes of a registration that it reported
}

// assumedChurn is the churn of a fleet that nothing is known of, and how many vessel-days of observation
// it weighs as much as: one day of a small fleet outweighs it.
var assumedChurn = Churn{Arrive: 0.0001, Leave: 0.0001, Change: 0.0007}

const weightOfPrior = 1000

// LearnChurn returns the churn that a history has shown. The assumed churn counts as a thousand
// vessel-days beside it, so that a history of one quiet night does not mean that nothing ever happens.
// It returns the assumption as a prior where it weighs more than the history.
func LearnChurn(h History) (c Churn, priors []Prior) {
	learn := func(events int, of, assumed float64) float64 {
		return (float64(events) + weightOfPrior*assumed) / (of + weightOfPrior)
	}
	c = Churn{Arrive: learn(h.Arrived, h.VesselDays, assumedChurn.Arrive),
		Leave:  learn(h.Left, h.VesselDays/2, assumedChurn.Leave),
		Change: learn(h.Changed, h.VesselDays, assumedChurn.Change)}
	if h.VesselDays < weightOfPrior {
		priors = []Prior{{"arrivals and departures", fmt.Sprintf("%.4f and %.4f per vessel and day",
			assumedChurn.Arrive, assumedChurn.Leave), sourceOfChurn},
			{"changes of name, flag or MMSI", fmt.Sprintf("%.4f per vessel and day", assumedChurn.Change), assumption}}
	}
	return c, priors
}
