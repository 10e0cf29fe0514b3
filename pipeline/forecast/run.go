package forecast

import (
	"context"
	"runtime"

	"github.com/sourcegraph/conc/pool"
)

// Forecast is what a scenario is expected to bring.
type Forecast struct {
	Scenario string  `json:"scenario"`
	Nights   []Night `json:"nights"` // the first is the state that the forecast begins with
}

// Run simulates scenarios from the same state, as many at the same time as there are processors, and returns their
// forecasts in the order of the scenarios.
func Run(ctx context.Context, s State, scenarios []Scenario) ([]Forecast, error) {
	all := make([]Forecast, len(scenarios))
	err := each(ctx, len(scenarios), func(ctx context.Context, i int) (err error) {
		all[i], err = simulate(ctx, s, scenarios[i], 0)
		return err
	})
	return all, err
}

// each calls f with 0 to n-1, as many at the same time as there are processors, and returns the first error.
func each(ctx context.Context, n int, f func(context.Context, int) error) error {
	workers := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0)).WithContext(ctx).WithCancelOnError().WithFirstError()
	for i := range n {
		workers.Go(func(ctx context.Context) error { return f(ctx, i) })
	}
	return workers.Wait()
}

// simulate simulates one scenario. Its nights before the one numbered from, counted from 1, are not
// measured.
func simulate(ctx context.Context, s State, c Scenario, from int) (Forecast, error) {
	m := newSimulation(s, c)
	f := Forecast{Scenario: c.Name, Nights: make([]Night, 1, len(c.Nights)+1)}
	f.Nights[0].At = s.Now
	f.Nights[0].Vessels, f.Nights[0].Datasets = m.measure(s.Now)
	for i, at := range c.Nights {
		if err := ctx.Err(); err != nil {
			return Forecast{}, err
		}
		n := m.night(at)
		n.Vessels = m.listed
		if i+1 >= from {
			n.Vessels, n.Datasets = m.measure(at)
		}
		f.Nights = append(f.Nights, n)
	}
	return f, nil
}

// Last returns the state after the last night.
func (f Forecast) Last() Night { return f.Nights[len(f.Nights)-1] }

// shareOfAll is the share of the ships that counts as all: a few are new each night, and some are not
// known to the service under any number.
const shareOfAll = 0.99

// NightsUntilComplete returns after how many nights a dataset is known of 99 of 100 ships, 0 if it is so
// now; false if not within the forecast.
func (f Forecast) NightsUntilComplete(dataset string) (nights int, ok bool) {
	for i, n := range f.Nights {
		if m, has := n.Of(dataset); has && m.Known >= shareOfAll {
			return i, true
		}
	}
	return 0, false
}

// PerNight returns the mean credits and minutes of a night.
func (f Forecast) PerNight() (credits, minutes float64) {
	nights := f.Nights[1:]
	for _, n := range nights {
		credits, minutes = credits+float64(n.Credits), minutes+n.Minutes
	}
	of := float64(max(1, len(nights)))
	return credits / of, minutes / of
}

// PerMonth returns the credits of thirty days at the mean of the forecast.
func (f Forecast) PerMonth() float64 {
	credits, _ := f.PerNight()
	nights := f.Nights[1:]
	if len(nights) < 2 {
		return 30 * credits
	}
	days := f.Last().At.Sub(nights[0].At).Hours() / 24
	return credits * float64(len(nights)-1) / days * 30
}
