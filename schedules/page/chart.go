package page

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
)

// Chart is a bar chart over the nights. Its box is 10 units wide per night and 100 high, and is
// stretched to the available width. It contains no text, which would be stretched too: titles and
// axes are HTML.
type Chart struct {
	ID, Title   string
	Value       string // the latest, in words
	Description string // for screen readers
	Top         string // the value at the top of the chart
	First, Last string // the dates at the ends
	Width       int
	Bars        []Bar
	Line        float64 // of a cap, from the top; below 0 is none
}

// Bar is one rectangle.
type Bar struct {
	X, Y, Width, Height float64
	Class, Title        string
}

const perNight, chartHeight, barWidth = 10, 100, 7.6

// bars draws a chart of one value a night.
func bars(id, title string, line []Day, limit int, value func(Day) int, words func(int) string) Chart {
	c := frame(id, title, line)
	most := limit
	for _, d := range line {
		most = max(most, value(d))
	}
	top := ceiling(most)
	c.Top = words(top)
	if limit > 0 {
		c.Line = chartHeight * (1 - float64(limit)/float64(top))
	}
	for i, d := range line {
		if d.Nights == 0 {
			c.Bars = append(c.Bars, absent(i, d))
			continue
		}
		n := value(d)
		height := chartHeight * float64(max(n, 0)) / float64(top)
		c.Bars = append(c.Bars, Bar{X: left(i), Y: chartHeight - height, Width: barWidth, Height: height,
			Class: d.State, Title: fmt.Sprintf("%s: %s (%s)", shown.LongDay(d.Date), words(n), d.State)})
		c.Value = words(n)
	}
	c.Description = describe(line, func(d Day) string { return words(value(d)) })
	return c
}

// chartStates is the order of the stack, the best at the bottom.
var chartStates = []string{"complete", "skipped", "partial", leftOut, "suspect", "failed"}

// stack draws the coverage: each night is a full column, divided by state.
func stack(line []Day) Chart {
	c := frame("coverage", "Coverage", line)
	c.Top = "all partitions"
	say := func(d Day) string {
		return fmt.Sprintf("%s of %s complete", wording.Count(d.Coverage["complete"]), wording.Count(d.Asked()))
	}
	for i, d := range line {
		total := d.Asked() + d.Coverage["skipped"]
		if d.Nights == 0 || total == 0 {
			c.Bars = append(c.Bars, absent(i, d))
			continue
		}
		y := float64(chartHeight)
		for _, state := range chartStates {
			if n := d.Coverage[state]; n > 0 {
				height := chartHeight * float64(n) / float64(total)
				y -= height
				c.Bars = append(c.Bars, Bar{X: left(i), Y: y, Width: barWidth, Height: height, Class: state,
					Title: fmt.Sprintf("%s: %s of %s partitions %s", shown.LongDay(d.Date), wording.Count(n), wording.Count(total), state)})
			}
		}
		c.Value = say(d)
	}
	c.Description = describe(line, say)
	return c
}

func frame(id, title string, line []Day) Chart {
	c := Chart{ID: id, Title: title, Width: max(len(line), 7) * perNight, Line: -1, Value: "–"}
	if len(line) > 0 {
		c.First, c.Last = shown.ShortDay(line[0].Date), shown.ShortDay(line[len(line)-1].Date)
	}
	return c
}

func left(night int) float64 { return float64(night*perNight) + (perNight-barWidth)/2 }

// absent marks a date without a run: a faint full column, unlike any value.
func absent(i int, d Day) Bar {
	return Bar{X: left(i), Y: 0, Width: barWidth, Height: chartHeight, Class: "absent", Title: shown.LongDay(d.Date) + ": " + cmp.Or(d.State, "no run")}
}

// describe puts a chart in a sentence or two.
func describe(line []Day, say func(Day) string) string {
	var last *Day
	var without []string
	for i, d := range line {
		if d.Nights == 0 {
			without = append(without, shown.ShortDay(d.Date))
		} else {
			last = &line[i]
		}
	}
	if last == nil {
		return "No run yet."
	}
	text := fmt.Sprintf("%s up to %s. The latest: %s.", wording.Counted(len(line), "night"), shown.LongDay(line[len(line)-1].Date), say(*last))
	if len(without) > 0 {
		text += " No run on " + strings.Join(without, ", ") + "."
	}
	return text
}

// ceiling is the next round number, for the top of a chart.
func ceiling(n int) int {
	if n <= 5 {
		return max(n, 1)
	}
	power := math.Pow(10, math.Floor(math.Log10(float64(n))))
	for _, step := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if top := int(step * power); top >= n {
			return top
		}
	}
	return n
}

// charts draws the history.
func charts(line []Day, perRun int) []Chart {
	time := func(n int) string { return wording.Duration(time.Duration(n) * time.Millisecond) }
	return []Chart{
		bars("credits", "Credits per night", line, perRun, func(d Day) int { return d.Spent }, wording.Count),
		bars("duration", "Time per night", line, 0, func(d Day) int { return int(d.Worked.Milliseconds()) }, time),
		stack(line),
	}
}

// factTables are the lake tables that hold facts, in the order of the charts.
var factTables = []string{"listings", "sightings", "particulars", "engine", "management", "positions"}

// rowCharts draws the rows of each table that had any.
func rowCharts(line []Day) []Chart {
	var all []Chart
	for _, table := range factTables {
		rows := func(d Day) int { return d.Rows[table] }
		some := 0
		for _, d := range line {
			some = cmp.Or(some, rows(d))
		}
		if some > 0 {
			all = append(all, bars("rows-"+table, table, line, 0, rows, wording.Count))
		}
	}
	return all
}
