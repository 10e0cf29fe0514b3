package console

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// Forecast is what the verb forecast prints.
type Forecast struct {
	Job       string              `json:"job"`
	Made      time.Time           `json:"made"` // of the newest published run, whose data it begins with
	Run       string              `json:"run"`  // this run; "" if nothing is published
	Days      int                 `json:"nights"`
	Scenarios []ForecastScenario  `json:"scenarios"`
	Forecasts []forecast.Forecast `json:"-"` // of the scenarios
	Targets   []TargetAnswer      `json:"targets,omitempty"`
	Priors    []forecast.Prior    `json:"priors"` // what no history shows yet
	Scores    []forecast.Score    `json:"scores"` // of earlier forecasts
	Notes     []string            `json:"notes,omitempty"`
}

// ForecastScenario is the forecast of one scenario. The means are over its nights.
type ForecastScenario struct {
	Name            string           `json:"name"`
	PerRun          int              `json:"per_run"`   // cap of a night; 0 is none
	PerMonth        int              `json:"per_month"` // cap of a month; 0 is none
	CreditsPerNight float64          `json:"credits_per_night"`
	CreditsPerMonth float64          `json:"credits_per_month"` // of thirty days
	MinutesPerNight float64          `json:"minutes_per_night"`
	Complete        map[string]*int  `json:"nights_until_complete"` // by dataset; null if not within the forecast
	Nights          []forecast.Night `json:"nights"`                // the first is the state that it begins with
}

// TargetAnswer is the least budget that keeps a target.
type TargetAnswer struct {
	Scenario string `json:"scenario"`
	Target   string `json:"target"`
	Kept     bool   `json:"kept"` // false if no budget keeps it; the figures are then those without a cap
	PerMonth int    `json:"credits_per_month"`
	PerRun   int    `json:"per_run"`
	MaxAge   string `json:"max_age"` // the max_age of the lookups that it needs, as the configuration has it
	Own      bool   `json:"-"`       // it is that of the job
	Nights   int    `json:"nights"`  // after how many nights it is kept for the first time
}

// Describe fills in the scenarios.
func (f *Forecast) Describe(scenarios []forecast.Scenario) {
	for i, c := range scenarios {
		from := f.Forecasts[i]
		s := ForecastScenario{Name: c.Name, PerRun: c.Job.Budget, PerMonth: c.Job.PerMonth, Complete: map[string]*int{}, Nights: from.Nights}
		s.CreditsPerNight, s.MinutesPerNight = from.PerNight()
		s.CreditsPerMonth = from.PerMonth()
		for _, dataset := range forecast.Datasets(c.Job.Lookup) {
			s.Complete[dataset] = nil
			if n, ok := from.NightsUntilComplete(dataset); ok {
				s.Complete[dataset] = &n
			}
		}
		f.Scenarios = append(f.Scenarios, s)
	}
	f.Scores = NotNil(f.Scores)
}

// WriteForecast prints a forecast for people. Its errors are those of the writer.
func WriteForecast(w io.Writer, f Forecast) error {
	last := f.Scenarios[0].Nights[len(f.Scenarios[0].Nights)-1]
	from := "no history: it begins with the priors below"
	if f.Run != "" {
		from = "from the data of " + f.Made.UTC().Format("2006-01-02 15:04")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s until %s, %s\n", f.Job, last.At.UTC().Format(time.DateOnly), from)
	for _, t := range f.Targets {
		fmt.Fprintln(&b, t.words(f.Days))
	}
	b.WriteString(f.table())
	b.WriteString("\n")
	for _, p := range f.Priors {
		fmt.Fprintf(&b, "prior     %s: %s (%s)\n", p.What, p.Value, p.Source)
	}
	for _, s := range f.Scores {
		fmt.Fprintf(&b, "scored    %s\n", ScoreWords(s))
	}
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "note      %s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// words is the answer to a target.
func (t TargetAnswer) words(days int) string {
	prefix := ""
	if t.Scenario != "as configured" {
		prefix = t.Scenario + ": "
	}
	if !t.Kept {
		return fmt.Sprintf("%sno budget keeps %s within %s: without a cap, the limits of the service and the deadline of the job decide", prefix, t.Target, wording.Counted(days, "night"))
	}
	when := "and is kept now"
	if t.Nights > 0 {
		when = "reached after " + wording.Counted(t.Nights, "night")
	}
	age := ""
	if !t.Own {
		age = " and lookup.max_age " + t.MaxAge
	}
	return fmt.Sprintf("%s%s takes %s credits a month: budget.per_run %s%s, %s", prefix, t.Target, wording.Count(t.PerMonth), wording.Count(t.PerRun), age, when)
}

// table has a line for each scenario and dataset, after what is stored now.
func (f Forecast) table() string {
	t := NewTable("scenario", "ships", "credits a night", "a month", "minutes", "dataset", "known", "true", "median", "p90", "worst", "complete after")
	row := func(name string, n forecast.Night, night, month, minutes string, m forecast.Measure, complete string) {
		t.AppendRow([]any{name, wording.Count(n.Vessels), night, month, minutes, m.Dataset, Percent(m.Known), Percent(m.True), Days(m.Median, m.Known), Days(m.P90, m.Known), Days(m.Worst, m.Known), complete})
	}
	for _, m := range f.Scenarios[0].Nights[0].Datasets {
		row("now", f.Scenarios[0].Nights[0], "", "", "", m, "")
	}
	for _, s := range f.Scenarios {
		night, month, minutes := wording.Count(int(math.Round(s.CreditsPerNight))), wording.Count(int(math.Round(s.CreditsPerMonth))), wording.Count(int(math.Ceil(s.MinutesPerNight)))
		last := s.Nights[len(s.Nights)-1]
		if len(last.Datasets) == 0 {
			t.AppendRow([]any{s.Name, wording.Count(last.Vessels), night, month, minutes, "no lookups", "", "", "", "", "", ""})
		}
		for _, m := range last.Datasets {
			row(s.Name, last, night, month, minutes, m, CompleteWords(s.Complete[m.Dataset]))
		}
	}
	return t.Render()
}

// CompleteWords says after how many nights a dataset is complete.
func CompleteWords(nights *int) string {
	switch {
	case nights == nil:
		return "later"
	case *nights == 0:
		return "complete"
	}
	return wording.Counted(*nights, "night")
}

// Percent prints a share with one decimal; only all is 100 %.
func Percent(share float64) string {
	tenths := math.Round(1000 * share)
	if tenths == 1000 && share < 1 {
		tenths = 999
	}
	return fmt.Sprintf("%.1f %%", tenths/10)
}

// Days prints an age; a dash if nothing is known.
func Days(days, known float64) string {
	switch {
	case known == 0:
		return "–"
	case days < 9.95:
		return fmt.Sprintf("%.1f d", days)
	}
	return fmt.Sprintf("%.0f d", days)
}

// ScoreWords compares an earlier forecast with what came.
func ScoreWords(s forecast.Score) string {
	words := fmt.Sprintf("the forecast of %s: %s credits since, %s were expected (%s)", s.Made.UTC().Format(time.DateOnly), wording.Count(s.Spent), wording.Count(s.Expected), Off(float64(s.Expected), float64(s.Spent)))
	for _, d := range s.Datasets {
		words += fmt.Sprintf("; %s known %s, expected %s, median %s, expected %s", d.Shown.Dataset, Percent(d.Shown.Known), Percent(d.Expected.Known), Days(d.Shown.Median, d.Shown.Known), Days(d.Expected.Median, d.Expected.Known))
	}
	if s.Changed {
		words += "; the job or the limits have changed since"
	}
	return words
}

// Off prints how far an expected value is from the real one.
func Off(expected, real float64) string {
	if real == 0 {
		return fmt.Sprintf("%.0f too many", expected)
	}
	return fmt.Sprintf("off by %.1f %%", 100*math.Abs(expected-real)/real)
}
