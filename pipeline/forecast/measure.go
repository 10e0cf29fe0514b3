package forecast

import (
	"math"
	"time"
)

// ages counts the vessels by the age of a dataset in hours.
type ages struct {
	count []int
	known int
	worst int
}

// mostHours is the age from which on all ages are the same: ten years.
const mostHours = 10 * 366 * 24

// measure returns how complete and fresh the data is at a time.
func (f *fleet) measure(at time.Time) (vessels int, measures []Measure) {
	now := f.minutes(at)
	for d, dataset := range f.datasets {
		a := ages{count: f.hours()}
		truth, all := 0.0, 0
		for i := range f.targets {
			if !f.counts(i) {
				continue
			}
			all++
			seen := f.seen[d][i]
			if seen == never {
				continue
			}
			minutes := max(0, now-seen)
			a.add(int(minutes+30) / 60)
			right := math.Exp(-float64(f.perDay[d][i]) * float64(minutes) / (24 * 60))
			if f.state[i]&outdated != 0 {
				right *= f.stays[d]
			}
			truth += right
		}
		vessels = all
		m := Measure{Dataset: dataset, Median: a.quantile(.5), P90: a.quantile(.9), Worst: float64(a.worst) / 24}
		if all > 0 {
			m.Fresh = float64(a.upTo(f.maxAge)) / float64(all)
			m.Known, m.True = float64(a.known)/float64(all), truth/float64(all)
		}
		measures = append(measures, m)
	}
	if len(f.datasets) == 0 {
		vessels = f.listed
	}
	return vessels, measures
}

// hours returns zeros to count ages in.
func (f *fleet) hours() []int {
	if f.counter == nil {
		f.counter = make([]int, mostHours+1)
	}
	clear(f.counter)
	return f.counter
}

func (a *ages) add(hours int) {
	hours = min(hours, mostHours)
	a.count[hours]++
	a.known++
	a.worst = max(a.worst, hours)
}

// upTo counts the known ages of so many hours at most.
func (a *ages) upTo(hours int) (n int) {
	for _, of := range a.count[:min(a.worst, hours)+1] {
		n += of
	}
	return n
}

// quantile returns the age in days that a share of the known ages does not exceed; 0 if none is known.
func (a *ages) quantile(q float64) float64 {
	rank := int(math.Ceil(q * float64(a.known)))
	for hours, n := range a.count[:a.worst+1] {
		if rank -= n; rank <= 0 {
			return float64(hours) / 24
		}
	}
	return 0
}
