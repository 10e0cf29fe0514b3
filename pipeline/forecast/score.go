package forecast

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Record is a forecast as it is kept, so that the nights that follow can be compared with it.
type Record struct {
	Made     time.Time     `json:"made"`     // of the run whose data it began with
	Run      string        `json:"run"`      // this run
	Job      string        `json:"job"`      //
	Settings string        `json:"settings"` // hash of the job and the limits
	Nights   []RecordNight `json:"nights"`
}

// RecordNight is what a kept forecast expects of a night.
type RecordNight struct {
	At       time.Time `json:"at"`
	Spent    int       `json:"spent"` // credits since the forecast was made
	Datasets []Measure `json:"datasets"`
}

// Settings returns the hash of what a scenario's forecast depends on besides the state.
func (c Scenario) Settings() string {
	c.Job.Location, c.Job.Name = nil, ""
	text := fmt.Sprintf("%+v", c.Job)
	for _, name := range slices.Sorted(maps.Keys(c.Limits)) {
		text += fmt.Sprintf(" %s=%d", name, c.Limits[name])
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// The nights that a record keeps: all of the first two weeks, then one a week.
const keptDaily, keptWeekly = 14, 7

// Keep returns the record of a forecast.
func Keep(s State, c Scenario, f Forecast) Record {
	r := Record{Made: s.Now, Run: s.Run, Job: c.Job.Name, Settings: c.Settings()}
	spent := 0
	for i, n := range f.Nights {
		spent += n.Credits
		if i <= keptDaily || i%keptWeekly == 0 || i == len(f.Nights)-1 {
			r.Nights = append(r.Nights, RecordNight{n.At, spent, rounded(n.Datasets)})
		}
	}
	return r
}

func rounded(all []Measure) []Measure {
	round := func(x float64) float64 { return math.Round(1e4*x) / 1e4 }
	out := make([]Measure, len(all))
	for i, m := range all {
		out[i] = Measure{m.Dataset, round(m.Known), round(m.Fresh), round(m.True), round(m.Median), round(m.P90), round(m.Worst)}
	}
	return out
}

// Line is the line of a record in the file of the kept forecasts, with a check of its bytes.
func (r Record) Line() ([]byte, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("a line of a forecast: %w", err)
	}
	return durable.CheckedLine(append(line, '\n')), nil
}

// ParseRecords reads records, one a line of JSON. Lines that are no record, such as the last one after a
// crash, are counted and left out.
func ParseRecords(text []byte) (all []Record, damaged int) {
	for line := range bytes.Lines(text) {
		var r Record
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case !durable.LineIntact(line), json.Unmarshal(line, &r) != nil, len(r.Nights) == 0:
			damaged++
		default:
			all = append(all, r)
		}
	}
	return all, damaged
}

// Score compares a kept forecast with what the newest night shows.
type Score struct {
	Made     time.Time      `json:"made"`
	Nights   float64        `json:"nights"`  // ahead
	Changed  bool           `json:"changed"` // the job or the limits have changed since
	Expected int            `json:"expected_credits"`
	Spent    int            `json:"spent_credits"`
	Datasets []DatasetScore `json:"datasets"`
}

// DatasetScore compares a dataset.
type DatasetScore struct {
	Expected Measure `json:"expected"`
	Shown    Measure `json:"shown"` // its True is not observed, but expected anew
}

// horizons are how many days ahead a forecast is compared with what came.
var horizons = []float64{1, 7, 30, 90}

// Scores compares the kept forecasts of a job with the first night of a new one, which is what is stored
// now: for each horizon the record that was made nearest to so many days before.
func Scores(s State, c Scenario, now Night, records []Record) (scores []Score) {
	used := map[time.Time]bool{}
	for _, days := range horizons {
		var best *Record
		off := 0.35 * days
		for i := range records {
			r := &records[i]
			ago := now.At.Sub(r.Made).Hours() / 24
			if r.Job == c.Job.Name && ago > 0 && math.Abs(ago-days) <= off &&
				!now.At.After(r.Nights[len(r.Nights)-1].At.Add(12*time.Hour)) {
				best, off = r, math.Abs(ago-days)
			}
		}
		if best != nil && !used[best.Made] {
			used[best.Made] = true
			scores = append(scores, score(s, c, now, *best))
		}
	}
	return scores
}

func score(s State, c Scenario, now Night, r Record) Score {
	expected := r.on(now.At)
	sc := Score{Made: r.Made, Nights: now.At.Sub(r.Made).Hours() / 24, Changed: r.Settings != c.Settings(),
		Expected: expected.Spent}
	for _, run := range s.Spent {
		if run.Started.After(r.Made) && !run.Started.After(now.At) {
			sc.Spent += run.Credits
		}
	}
	for _, m := range expected.Datasets {
		if shown, ok := now.Of(m.Dataset); ok {
			sc.Datasets = append(sc.Datasets, DatasetScore{m, shown})
		}
	}
	return sc
}

// on returns what a record expects at a time, between two nights in proportion.
func (r Record) on(at time.Time) RecordNight {
	i := sort.Search(len(r.Nights), func(i int) bool { return !r.Nights[i].At.Before(at) })
	if i == 0 || i == len(r.Nights) {
		return r.Nights[min(i, len(r.Nights)-1)]
	}
	a, b := r.Nights[i-1], r.Nights[i]
	part := float64(at.Sub(a.At)) / float64(b.At.Sub(a.At))
	if len(a.Datasets) != len(b.Datasets) {
		return b
	}
	mid := func(x, y float64) float64 { return x + part*(y-x) }
	n := RecordNight{At: at, Spent: int(mid(float64(a.Spent), float64(b.Spent)))}
	for d, m := range b.Datasets {
		was := a.Datasets[d]
		n.Datasets = append(n.Datasets, Measure{m.Dataset, mid(was.Known, m.Known), mid(was.Fresh, m.Fresh),
			mid(was.True, m.True), mid(was.Median, m.Median), mid(was.P90, m.P90), mid(was.Worst, m.Worst)})
	}
	return n
}
