package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
)

// Series is a number over the nights, oldest first.
type Series struct {
	Title, List string // List is the address of what the newest number counts; may be empty
	Points      []SeriesPoint
}

// SeriesPoint is the number of one night. A night without a number is not known, which is not zero.
type SeriesPoint struct {
	Date  string
	Value float64
	Known bool
	Usual *Usual // of the nights before; nil if there are too few
}

// Usual is the middle half of the numbers of the nights before, and their median.
type Usual struct{ Low, Median, High float64 }

// usualNights is how many nights before a night say what is usual, of which at least leastUsual must be known.
const usualNights, leastUsual = 28, 3

// addUsual adds to each night what was usual on the nights before it.
func (s *Series) addUsual() {
	for i := range s.Points {
		var before []float64
		for _, p := range s.Points[max(0, i-usualNights):i] {
			if p.Known {
				before = append(before, p.Value)
			}
		}
		if len(before) >= leastUsual {
			slices.Sort(before)
			s.Points[i].Usual = &Usual{quantile(before, .25), quantile(before, .5), quantile(before, .75)}
		}
	}
}

// quantile interpolates between sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// LineChart is a series as a picture. Its box is 10 units wide per night and 100 high, and is stretched;
// its text is HTML.
type LineChart struct {
	ID, Title, List, Value, Description, Top, First, Last string
	Width                                                 int
	Lines, Bands                                          []string // runs of known nights
	Dots                                                  []Bar
}

// lineChart draws a series.
func lineChart(id string, s Series) LineChart {
	c := LineChart{ID: id, Title: s.Title, List: s.List, Width: perNight * len(s.Points), Value: "not known"}
	most := 1
	for _, p := range s.Points {
		if p.Known {
			most = max(most, int(math.Ceil(p.Value)))
		}
		if p.Usual != nil {
			most = max(most, int(math.Ceil(p.Usual.High)))
		}
	}
	top := ceiling(most)
	c.Top = wording.Count(top)
	if n := len(s.Points); n > 0 {
		c.First, c.Last = shown.ShortDay(s.Points[0].Date), shown.ShortDay(s.Points[n-1].Date)
	}
	y := func(v float64) float64 { return chartHeight * (1 - v/float64(top)) }
	known := func(p SeriesPoint) bool { return p.Known }
	for _, run := range runsOf(s.Points, known) {
		var line []string
		for _, i := range run {
			p := s.Points[i]
			line = append(line, fmt.Sprintf("%.1f,%.2f", middle(i), y(p.Value)))
			c.Dots = append(c.Dots, Bar{X: middle(i) - 1.5, Y: y(p.Value) - 1.5, Width: 3, Height: 3, Title: p.words()})
			c.Value = numberWords(p.Value)
		}
		c.Lines = append(c.Lines, strings.Join(line, " "))
	}
	for _, run := range runsOf(s.Points, func(p SeriesPoint) bool { return p.Usual != nil }) {
		var upper, lower []string
		for _, i := range run {
			upper = append(upper, fmt.Sprintf("%.1f,%.2f", middle(i), y(s.Points[i].Usual.High)))
			lower = append(lower, fmt.Sprintf("%.1f,%.2f", middle(i), y(s.Points[i].Usual.Low)))
		}
		slices.Reverse(lower)
		c.Bands = append(c.Bands, strings.Join(append(upper, lower...), " "))
	}
	c.Description = s.describe()
	return c
}

// middle is where a night stands on the axis.
func middle(i int) float64 { return perNight * (float64(i) + 0.5) }

// runsOf groups the nights that follow each other and have something.
func runsOf(points []SeriesPoint, has func(SeriesPoint) bool) (runs [][]int) {
	for i, p := range points {
		switch {
		case !has(p):
		case i > 0 && has(points[i-1]):
			runs[len(runs)-1] = append(runs[len(runs)-1], i)
		default:
			runs = append(runs, []int{i})
		}
	}
	return runs
}

// words is the number of a night, and what is usual.
func (p SeriesPoint) words() string {
	words := "not known"
	if p.Known {
		words = numberWords(p.Value)
	}
	if p.Usual != nil {
		words += fmt.Sprintf(", usually %s to %s", wording.Decimals(p.Usual.Low), wording.Decimals(p.Usual.High))
	}
	return shown.LongDay(p.Date) + ": " + words
}

// describe says the latest number to those who do not see the picture; the table has all.
func (s Series) describe() string {
	if len(s.Points) == 0 {
		return "No night."
	}
	return s.Points[len(s.Points)-1].words() + "."
}

// SeriesPage is a page of pictures over the nights.
type SeriesPage struct {
	Title, About string
	Charts       []LineChart
	Nights       []SeriesNight // the newest first
	Names        []string
	Links        []shown.Field // further pages: name and address
	Map          *WorldMap     // where the vessels are; nil if no position is known
}

// SeriesNight is a line of the table of the pictures.
type SeriesNight struct {
	Date   string
	Values []string
}

// seriesPage draws series over the same nights.
func seriesPage(title, about string, all []Series) *SeriesPage {
	p := &SeriesPage{Title: title, About: about}
	for i, s := range all {
		p.Charts = append(p.Charts, lineChart(fmt.Sprintf("series-%d", i), s))
		p.Names = append(p.Names, s.Title)
	}
	if len(all) == 0 {
		return p
	}
	for i := range slices.Backward(all[0].Points) {
		night := SeriesNight{Date: all[0].Points[i].Date}
		for _, s := range all {
			value := "–"
			if s.Points[i].Known {
				value = numberWords(s.Points[i].Value)
			}
			night.Values = append(night.Values, value)
		}
		p.Nights = append(p.Nights, night)
	}
	return p
}

// numberWords writes a number for people: a whole one with its thousands apart.
func numberWords(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return wording.Count(int(v))
	}
	return wording.Decimals(v)
}
