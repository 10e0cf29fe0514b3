package page

import (
	"slices"
	"time"
)

// Day is one date of the charts: the sum of its nights. A date without a run has no nights.
type Day struct {
	Date     string
	Nights   int
	State    string // the worst of its nights; without nights, the state of its slot, if that is known
	Spent    int
	Planned  int // 0 if a night had no bound
	Requests int
	Worked   time.Duration
	Coverage map[string]int
	Rows     map[string]int
}

// severity orders the states of runs, the worst last.
var severity = []string{"done", "partial", "interrupted", "killed", "failed"}

// days puts the nights on the calendar, oldest first, and fills in the dates without a night.
func days(all []Night) []Day {
	byDate := map[string]*Day{}
	first, last := all[0].Date, all[0].Date
	for _, n := range all {
		d := byDate[n.Date]
		if d == nil {
			d = &Day{Date: n.Date, State: n.State, Coverage: map[string]int{}, Rows: map[string]int{}}
			byDate[n.Date] = d
		}
		d.add(n)
		first, last = min(first, n.Date), max(last, n.Date)
	}
	var line []Day
	for date := last; date >= first && len(line) < maxNights; date = dayBefore(date) {
		if d := byDate[date]; d != nil {
			line = append(line, *d)
		} else {
			line = append(line, Day{Date: date})
		}
	}
	slices.Reverse(line)
	return line
}

func (d *Day) add(n Night) {
	if slices.Index(severity, n.State) > slices.Index(severity, d.State) {
		d.State = n.State
	}
	d.Planned += n.Planned
	if n.Planned == 0 || d.Nights > 0 && d.Planned == n.Planned {
		d.Planned = 0
	}
	d.Nights++
	d.Spent += n.Spent
	d.Requests += n.Requests
	d.Worked += n.Worked
	for state, count := range n.Coverage {
		d.Coverage[state] += count
	}
	for table, rows := range n.Rows {
		d.Rows[table] += rows
	}
}

// upToYesterday adds the dates without a run between the last night and yesterday, so that a lasting
// outage is visible, and sets the state of their slots. At least one night remains.
func upToYesterday(line []Day, now time.Time, slots []SlotView) []Day {
	if len(line) == 0 {
		return line
	}
	line = slices.Clone(line)
	yesterday := now.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	newest := len(line) - 1
	for date := dayAfter(line[newest].Date); date <= yesterday && len(line) < newest+maxNights; date = dayAfter(date) {
		line = append(line, Day{Date: date})
	}
	line = line[max(0, len(line)-maxNights):]
	for i, d := range line {
		at := slices.IndexFunc(slots, func(s SlotView) bool { return s.Date == d.Date && s.State != "next" })
		if d.Nights == 0 && at >= 0 {
			line[i].State = slots[at].State
		}
	}
	return line
}

// dayBefore returns the date before. A date that cannot be parsed gives a date that ends the loop.
func dayBefore(date string) string { return dayBeside(date, -1, "") }

func dayAfter(date string) string { return dayBeside(date, 1, "9999-99-99") }

func dayBeside(date string, by int, end string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return end
	}
	return t.AddDate(0, 0, by).Format(time.DateOnly)
}

// usual is the median of a value over the nights before the last one; 0 if there are none.
func usual(line []Day, value func(Day) int) int {
	var values []int
	for _, d := range line[:max(0, len(line)-1)] {
		if d.Nights > 0 {
			values = append(values, value(d))
		}
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// Asked counts the partitions that the nights requested or left out.
func (d Day) Asked() int { return Night{Coverage: d.Coverage}.Asked() }
