package page

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
)

// Forecast is what budgets of a job are expected to buy, from what is stored now.
type Forecast struct {
	Made       time.Time // of the newest published run; of the computation if nothing is published
	Known      bool      // false if nothing is published
	Curve      forecast.Curve
	Configured forecast.Forecast
	Priors     []forecast.Prior
	Scores     []forecast.Score
}

// ForecastPage is the page of a job's forecast.
type ForecastPage struct {
	Job     string
	Jobs    []shown.Field // the other jobs: name and address
	Nights  int
	Until   string
	Waiting bool   // it is being computed
	Problem string // why there is none
	*Forecast
	Chart  *BudgetChart
	Rows   []BudgetRow
	Scored []string
}

// BudgetRow is a line of the table of budgets.
type BudgetRow struct {
	PerMonth, PerRun, Name, Fresh, Known, True, Median, P90, Minutes string
	Knee                                                             bool
}

// BudgetChart is freshness against credits a month. Its box is 100 high and stretched; its text is HTML.
type BudgetChart struct {
	Description, Value, Last string
	Fresh, Known             string // points of lines
	Dots                     []Bar
	Knee                     float64 // from the left, below 0 if there is none
	KneeWords                string
}

// budgetWidth is the width of the box of a budget chart.
const budgetWidth = 600

// forecastPage serves what budgets buy. The first request for a published file and a job starts the
// computation and does not wait for it.
func (s *site) forecastPage(w http.ResponseWriter, r *http.Request) {
	jobs := s.ForecastJobs
	p := &ForecastPage{Job: r.FormValue("job")}
	for i, job := range jobs {
		if p.Job == "" && i == 0 || job == p.Job {
			p.Job = job
			continue
		}
		p.Jobs = append(p.Jobs, shown.Field{Name: job, Value: "/forecast?job=" + url.QueryEscape(job)})
	}
	if len(p.Jobs) == len(jobs) {
		s.notFound(w, r)
		return
	}
	f, err := s.Config.Forecast(p.Job)
	switch {
	case err != nil:
		p.Problem = s.sanitize(err.Error())
	case f == nil:
		p.Waiting = true
	default:
		p.fill(f)
	}
	refresh := 0
	if p.Waiting {
		refresh = 2
		mayFetch(w)
	}
	v := view{Refresh: refresh, Kind: "forecast", Title: "Forecast", Version: s.Version, Now: s.Now(), Forecast: p}
	send(w, http.StatusOK, s.page(v))
}

// fill puts a forecast into words and pictures.
func (p *ForecastPage) fill(f *Forecast) {
	p.Forecast = f
	p.Nights = len(f.Configured.Nights) - 1
	p.Until = shown.LongDay(f.Configured.Last().At.UTC().Format(time.DateOnly))
	for i, b := range f.Curve.Points {
		row := BudgetRow{PerMonth: credits(b.PerMonth), PerRun: wording.Count(b.PerRun), Name: b.Name, Fresh: percent(b.Fresh), Known: percent(b.Known), True: percent(b.True),
			Minutes: wording.Count(int(math.Ceil(b.Last.Minutes))), Knee: i == f.Curve.Knee}
		if b.PerRun == 0 {
			row.PerRun = "none"
		}
		var median, p90 []string
		for _, m := range b.Last.Datasets {
			median, p90 = append(median, fmt.Sprintf("%.0f", m.Median)), append(p90, fmt.Sprintf("%.0f", m.P90))
		}
		row.Median, row.P90 = strings.Join(oneIfAlike(median), ", "), strings.Join(oneIfAlike(p90), ", ")
		p.Rows = append(p.Rows, row)
	}
	for _, s := range f.Scores {
		p.Scored = append(p.Scored, scoreWords(s))
	}
	p.Chart = budgetChart(f.Curve)
}

// oneIfAlike returns one value if all are the same.
func oneIfAlike(values []string) []string {
	for _, v := range values {
		if v != values[0] {
			return values
		}
	}
	return values[:min(1, len(values))]
}

func credits(n float64) string { return wording.Count(int(math.Round(n))) }

func percent(share float64) string { return fmt.Sprintf("%.1f %%", math.Floor(1000*share)/10) }

// budgetChart draws a curve from 0 credits to the most that a month can spend. It returns nil without
// lookups, which have no freshness.
func budgetChart(c forecast.Curve) *BudgetChart {
	most := c.Points[len(c.Points)-1]
	if most.PerMonth <= 0 || len(most.Last.Datasets) == 0 {
		return nil
	}
	chart := &BudgetChart{Last: credits(most.PerMonth) + " credits a month", Knee: -1, Value: percent(most.Fresh)}
	x := func(p forecast.Point) float64 { return budgetWidth * p.PerMonth / most.PerMonth }
	y := func(share float64) float64 { return chartHeight * (1 - share) }
	var fresh, known []string
	for i, p := range c.Points {
		fresh, known = append(fresh, fmt.Sprintf("%.1f,%.2f", x(p), y(p.Fresh))), append(known, fmt.Sprintf("%.1f,%.2f", x(p), y(p.Known)))
		words := fmt.Sprintf("%s credits a month: %s fresh, %s known", credits(p.PerMonth), percent(p.Fresh), percent(p.Known))
		class := "spot"
		if p.Name == "as configured" {
			words, class = words+", as configured", "spot here"
			chart.Value = percent(p.Fresh)
		}
		if i == c.Knee {
			chart.Knee, chart.KneeWords = x(p), words
		}
		chart.Dots = append(chart.Dots, Bar{X: min(max(x(p)-2, 0), budgetWidth-4), Y: y(p.Fresh) - 2, Width: 4, Height: 4, Class: class, Title: words})
	}
	chart.Fresh, chart.Known = strings.Join(fresh, " "), strings.Join(known, " ")
	chart.Description = fmt.Sprintf("From %s fresh at %s credits a month to %s at %s.", percent(c.Points[0].Fresh), credits(c.Points[0].PerMonth), percent(most.Fresh), credits(most.PerMonth))
	if chart.KneeWords != "" {
		chart.Description += " The knee: " + chart.KneeWords + "."
	}
	return chart
}

// scoreWords compares an earlier forecast with what came.
func scoreWords(s forecast.Score) string {
	words := fmt.Sprintf("Made on %s: %s credits since, %s were expected", shown.LongDay(s.Made.UTC().Format(time.DateOnly)), wording.Count(s.Spent), wording.Count(s.Expected))
	for _, d := range s.Datasets {
		words += fmt.Sprintf("; %s known %s, expected %s; median age %.0f days, expected %.0f", d.Shown.Dataset, percent(d.Shown.Known), percent(d.Expected.Known), d.Shown.Median, d.Expected.Median)
	}
	if s.Changed {
		words += "; the job or the limits have changed since"
	}
	return words + "."
}
