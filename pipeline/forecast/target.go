package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// Target is a goal for one measure of one dataset, such as "particulars p90 <= 30d".
type Target struct {
	Dataset    string
	Measure    string  // known, true, median, p90 or worst
	Comparison string  // <=, <, >= or >
	Value      float64 // a share from 0 to 1, or days
}

// Words of a target.
var (
	shareMeasures = []string{"known", "true"}
	ageMeasures   = []string{"median", "p90", "worst"}
	comparisons   = []string{"<=", ">=", "<", ">"}
)

// String returns the target as ParseTarget reads it.
func (t Target) String() string {
	value := strconv.FormatFloat(t.Value, 'f', -1, 64) + "d"
	if slices.Contains(shareMeasures, t.Measure) {
		value = strconv.FormatFloat(math.Round(1e6*t.Value)/1e4, 'f', -1, 64) + "%"
	}
	return strings.Join([]string{t.Dataset, t.Measure, t.Comparison, value}, " ")
}

// TargetError says what is wrong with the text of a target, and where.
type TargetError struct {
	Text   string
	At     int // in bytes
	Reason string
}

// Error shows the text with a caret below the place, and the reason.
func (e *TargetError) Error() string {
	return fmt.Sprintf("%s\n%s^ %s", e.Text, strings.Repeat(" ", len([]rune(e.Text[:e.At]))), e.Reason)
}

// ParseTarget reads a dataset, a measure, a comparison and a value, separated by blanks. Its error is a
// *TargetError.
func ParseTarget(text string) (t Target, err error) {
	p := targetParser{text: text}
	t.Dataset = p.word(plan.Datasets, "a dataset: "+strings.Join(plan.Datasets, ", "))
	t.Measure = p.word(append(append([]string{}, shareMeasures...), ageMeasures...), "a measure: known, true, median, p90 or worst")
	t.Comparison = p.word(comparisons, "a comparison: <=, <, >= or >")
	at := p.blanks()
	value := strings.TrimSpace(p.text[at:])
	if p.err == nil {
		t.Value, p.err = p.value(at, value, slices.Contains(shareMeasures, t.Measure))
	}
	return t, p.err
}

type targetParser struct {
	text string
	at   int
	err  error
}

// blanks skips blanks and returns where the next word begins.
func (p *targetParser) blanks() int {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	return p.at
}

// word reads one of some words. A comparison may touch the words beside it.
func (p *targetParser) word(known []string, expected string) string {
	at := p.blanks()
	if p.err != nil {
		return ""
	}
	symbol := func(i int) bool { return strings.ContainsRune("<>=", rune(p.text[i])) }
	for p.at < len(p.text) && p.text[p.at] != ' ' && symbol(p.at) == symbol(at) {
		p.at++
	}
	word := p.text[at:p.at]
	if !slices.Contains(known, word) {
		p.err = &TargetError{p.text, at, "expected " + expected}
	}
	return word
}

// value reads a share such as 95% or 0.95, or an age such as 30d or 12h.
func (p *targetParser) value(at int, text string, share bool) (float64, error) {
	number, unit, by := text, "", 1.0
	for _, u := range []struct {
		suffix string
		by     float64
		share  bool
	}{{"%", 100, true}, {"d", 1, false}, {"h", 24, false}} {
		if n, ok := strings.CutSuffix(text, u.suffix); ok && u.share == share {
			number, unit, by = n, u.suffix, u.by
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case share && (err != nil || !(n >= 0) || n/by > 1):
		return 0, &TargetError{p.text, at, "expected a share of the ships, such as 95% or 0.95"}
	case !share && (err != nil || unit == "" || !(n >= 0) || math.IsInf(n, 0)):
		return 0, &TargetError{p.text, at, "expected an age, such as 30d or 12h"}
	}
	return n / by, nil
}

// Fits returns an error if the lookups do not answer with the target's dataset.
func (t Target) Fits(l plan.Lookup) error {
	if all := Datasets(l); !slices.Contains(all, t.Dataset) {
		return fmt.Errorf("the job looks up %s, and not %s; jobs.NAME.lookup.want asks for %s",
			cmp.Or(strings.Join(all, ", "), "nothing"), t.Dataset, t.Dataset)
	}
	return nil
}

// Kept reports whether a night keeps the target. An age that no ship has, because nothing is known, keeps
// none.
func (t Target) Kept(n Night) bool {
	m, ok := n.Of(t.Dataset)
	if !ok || m.Known == 0 && slices.Contains(ageMeasures, t.Measure) {
		return false
	}
	value := map[string]float64{"known": m.Known, "true": m.True, "median": m.Median, "p90": m.P90, "worst": m.Worst}[t.Measure]
	switch t.Comparison {
	case "<=":
		return value <= t.Value
	case "<":
		return value < t.Value
	case ">=":
		return value >= t.Value
	}
	return value > t.Value
}

// maxAge returns the max_age with which a job can keep the target: its own, or a night less than the age
// that the target allows.
func (t Target) maxAge(own time.Duration) time.Duration {
	if !slices.Contains(ageMeasures, t.Measure) || t.Comparison[0] != '<' {
		return own
	}
	return min(own, time.Duration(max(0, t.Value-1)*24*float64(time.Hour)))
}

// keptFor is how many nights at the end of a forecast must keep a target: a month of them, or a third of
// a short forecast. Those before are the way there.
func keptFor(nights int) int { return max(1, min(30, nights/3)) }

// ErrOutOfReach reports that no budget keeps a target within a forecast.
var ErrOutOfReach = errors.New("no budget keeps the target")

// Least is the least budget that keeps a target.
type Least struct {
	PerMonth int           // credits
	PerRun   int           // PerMonth spread over the nights
	MaxAge   time.Duration // of the job's lookups: a vessel that is due later than the target says would be too old with any budget
	Nights   int           // after how many of them the target is kept for the first time; 0 if it is kept now
	Forecast Forecast      // with this budget
}

// reached fills in when the target is kept for the first time.
func (l Least) reached(ctx context.Context, s State, c Scenario, t Target) (Least, error) {
	c.Job.Budget = l.PerRun
	f, err := simulate(ctx, s, c, 0)
	l.Forecast, l.MaxAge = f, c.Job.Lookup.MaxAge
	for i, n := range f.Nights {
		if l.Nights = i; t.Kept(n) {
			break
		}
	}
	return l, err
}

// LeastBudget finds the least credits a month, spread evenly over the nights, with which the last nights of a
// scenario keep a target, to 2 %. If the max_age of the job is too long for it, it uses a shorter one. Each round
// tries as many budgets at the same time as there are processors. It returns ErrOutOfReach with the forecast without
// a cap if even that does not keep the target; its other error is that of ctx.
func LeastBudget(ctx context.Context, s State, c Scenario, t Target) (Least, error) {
	free := c
	free.Job.Budget, free.Job.PerDay, free.Job.PerMonth, free.Job.Lookup.MaxAge = 0, 0, 0, t.maxAge(c.Job.Lookup.MaxAge)
	from := len(c.Nights) - keptFor(len(c.Nights)) + 1
	f, err := simulate(ctx, s, free, from)
	if err != nil {
		return Least{}, err
	}
	most := mostSpent(f)
	best := Least{PerMonth: most * perMonth(c.Nights), PerRun: most, Forecast: f}
	if !t.keptBy(f, from) {
		best, err = best.reached(ctx, s, free, t)
		return best, cmp.Or(err, ErrOutOfReach)
	}
	low, high := 0, most // no budget is known to be too little
	for ratio := 1.02; high-low > 1 && float64(high) > ratio*float64(low); {
		tries := between(low, high, runtime.GOMAXPROCS(0)+1)
		scenarios := make([]Forecast, len(tries))
		if err := each(ctx, len(tries), func(ctx context.Context, i int) (err error) {
			with := free
			with.Job.Budget = tries[i]
			scenarios[i], err = simulate(ctx, s, with, from)
			return err
		}); err != nil {
			return Least{}, err
		}
		for i, perRun := range tries {
			if t.keptBy(scenarios[i], from) {
				high, best = perRun, Least{PerMonth: perRun * perMonth(c.Nights), PerRun: perRun, Forecast: scenarios[i]}
				break
			}
			low = perRun
		}
	}
	return best.reached(ctx, s, free, t)
}

// between returns budgets that divide a range: by equal factors if it is wide.
func between(low, high, parts int) (all []int) {
	for i := 1; i < parts; i++ {
		n := low + (high-low)*i/parts
		if least := max(low, 1); high > 4*least {
			least = max(least, high/1000)
			n = int(float64(least) * math.Pow(float64(high)/float64(least), float64(i)/float64(parts)))
		}
		if n = min(max(n, low+1), high-1); len(all) == 0 || n > all[len(all)-1] {
			all = append(all, n)
		}
	}
	return all
}

// keptBy reports whether the nights of a forecast from one on keep the target.
func (t Target) keptBy(f Forecast, from int) bool {
	for _, n := range f.Nights[max(1, from):] {
		if !t.Kept(n) {
			return false
		}
	}
	return true
}

// mostSpent returns the credits of the dearest night.
func mostSpent(f Forecast) (most int) {
	for _, n := range f.Nights[1:] {
		most = max(most, n.Credits)
	}
	return most
}

// perMonth returns how many nights there are in thirty days, by the distance of those that are given.
func perMonth(nights []time.Time) int {
	if len(nights) < 2 {
		return 30
	}
	days := nights[len(nights)-1].Sub(nights[0]).Hours() / 24
	return max(1, int(math.Ceil(30*float64(len(nights)-1)/days-1e-6)))
}

func countOf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Spread returns the job with a budget for a month that is spread evenly over its nights: a cap of the
// month alone would be spent in the first nights.
func Spread(job plan.Job, perMonthCredits int, nights []time.Time) plan.Job {
	job.PerMonth = perMonthCredits
	job.Budget = max(1, perMonthCredits/perMonth(nights))
	return job
}
