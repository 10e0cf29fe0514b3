package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// Curve is what budgets of a job buy, the least first.
type Curve struct {
	Points []Point
	Knee   int // the index of the point after which more credits buy the least more; below 0 if there is none
}

// Point is what one budget buys.
type Point struct {
	Name     string // "as configured", "no cap" or ""
	PerRun   int    // cap of a night; 0 is none
	PerMonth float64
	Fresh    float64 // mean over the wanted datasets, as are the others
	Known    float64
	True     float64
	Last     Night
}

// shares are the budgets of a curve, as shares of what a night without a cap spends.
var shares = []float64{1. / 16, 1. / 8, 1. / 4, 3. / 8, 1. / 2, 3. / 4}

// Draw forecasts a job with several budgets, one after the other, because it runs beside a harvest.
func Draw(ctx context.Context, s State, base Scenario) (Curve, Forecast, error) {
	c := Curve{Knee: -1}
	simulated := func(name string, perRun int, job plan.Job) (Forecast, error) {
		with := base
		with.Job = job
		with.Job.Budget = perRun
		f, err := simulate(ctx, s, with, len(base.Nights))
		c.Points = append(c.Points, pointOf(name, with.Job, f))
		return f, err
	}
	free := base.Job
	free.PerDay, free.PerMonth = 0, 0
	most, err := simulated("no cap", 0, free)
	for _, share := range shares {
		if err != nil {
			return c, Forecast{}, err
		}
		credits, _ := most.PerNight()
		_, err = simulated("", max(1, int(share*credits)), free)
	}
	if err != nil {
		return c, Forecast{}, err
	}
	configured, err := simulate(ctx, s, base, 0)
	if err != nil {
		return c, Forecast{}, err
	}
	c.Points = append(c.Points, pointOf("as configured", base.Job, configured))
	slices.SortStableFunc(c.Points, func(a, b Point) int { return cmp.Compare(math.Round(a.PerMonth), math.Round(b.PerMonth)) })
	c.Knee = knee(c.Points)
	return c, configured, nil
}

// pointOf summarizes the last night of a forecast.
func pointOf(name string, job plan.Job, f Forecast) Point {
	p := Point{Name: name, PerRun: job.Budget, PerMonth: f.PerMonth(), Last: f.Last()}
	for _, dataset := range job.Lookup.Want {
		if m, ok := p.Last.Of(dataset); ok {
			of := float64(len(job.Lookup.Want))
			p.Fresh, p.Known, p.True = p.Fresh+m.Fresh/of, p.Known+m.Known/of, p.True+m.True/of
		}
	}
	return p
}

// leastBend is how far a curve must be above its chord, as a share of its height, to have a knee.
const leastBend = 0.1

// knee returns the index of the point that is farthest above the line from the first to the last point;
// below 0 if the points are nearly on it.
func knee(points []Point) int {
	best, most := -1, leastBend
	first, last := points[0], points[len(points)-1]
	width, height := last.PerMonth-first.PerMonth, last.Fresh-first.Fresh
	if width <= 0 || height <= 0 {
		return -1
	}
	for i, p := range points {
		if above := (p.Fresh-first.Fresh)/height - (p.PerMonth-first.PerMonth)/width; above > most+1e-9 {
			best, most = i, above
		}
	}
	return best
}
