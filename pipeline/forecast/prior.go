package forecast

import (
	"fmt"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// Sources of priors.
const (
	sourceOfFleet = "UNCTADstat, merchant fleet of 100 gross tons and more at the start of 2024"
	sourceOfChurn = "assumed: as the fleet of UNCTADstat grows by 3 % a year and ships last some 30 years"
	assumption    = "assumed; the first nights replace it"
	sourceOfPrice = "interface text of the service"
)

// worldFleet is how many vessels are assumed to exist.
const worldFleet = 109_000

// Unknown returns the state before the first night: a fleet that no search has listed, with the priors
// that a forecast of it is made with.
func Unknown(now time.Time) State {
	churn, priors := LearnChurn(History{})
	rate := func(dataset string) string {
		return fmt.Sprintf("%.1g", plan.Rates{}.PerDay(dataset, inputs.Target{}))
	}
	priors = append([]Prior{
		{"vessels", fmt.Sprint(worldFleet), sourceOfFleet},
		{"vessels by country, type, status and zone", "the n-th of them has 1/n of the vessels of the first",
			"assumed: a rank-size rule; the pages of a list hardly depend on it"},
		{"vessels with a navigational status", fmt.Sprintf("%.0f %%", 100*shareWithStatus), assumption},
		{"changes of particulars, engine and management", rate("particulars") + ", " + rate("engine") + " and " +
			rate("management") + " per vessel and day", assumption},
		{"price of a request", prices() + " credits", sourceOfPrice},
	}, priors...)
	return State{Now: now, Churn: churn, Unlisted: worldFleet, Priors: priors}
}

// prices lists what a request of each operation costs.
func prices() string {
	var all []string
	for _, o := range api.Operations {
		if o.Credits > 0 {
			all = append(all, fmt.Sprintf("%s %d", o.Name, o.Credits))
		}
	}
	return strings.Join(all, ", ")
}
