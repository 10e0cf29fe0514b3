package credits

import (
	"maps"
	"slices"
	"time"
)

// Amount is what requests count as, in credits.
type Amount struct {
	Sure     int
	Unknown  int // may not have been billed
	Unbilled int // the part of Unknown that a balance proves not to have been billed
	Unproved int // the part of Unknown of which no balance tells whether it was billed
	Beyond   int // by how much the balance fell during the runs beyond what they count as
}

// Counted is what the requests count as spent.
func (a Amount) Counted() int { return a.Sure + a.Unknown - a.Unbilled }

// Run returns what a run spent. Requests in flight do not count yet.
func (a *Account) Run(id string) Amount {
	n, known := a.index[id]
	if !known {
		return Amount{}
	}
	sum := Amount{Unbilled: a.settled[n].unbilled, Unproved: a.settled[n].unproved, Beyond: a.beyond[n].beyond()}
	for day, s := range a.spent[n] {
		sum.Sure, sum.Unknown, sum.Unproved = sum.Sure+s.sure, sum.Unknown+s.unknown, sum.Unproved+a.open.unknown[bucket{n, day}]
	}
	return sum
}

// Night returns what counts towards the cap of a night of a job: what its runs spent since the cap began anew, and
// what runs of the job spent that the clock, which has gone back since, had dated later.
func (a *Account) Night(job, date string, now time.Time) Amount {
	in := map[int]bool{}
	for n, r := range a.runs {
		if r.Job != job || r.Date != date {
			continue
		}
		if r.Anew {
			clear(in)
		}
		in[n] = true
	}
	for n, r := range a.runs {
		by, noticed := a.noticed[r.ID]
		if r.Job == job && (noticed && in[by] || !noticed && r.Started.After(now)) {
			in[n] = true
		}
	}
	return a.amount(func(b bucket) bool { return in[b.run] })
}

// Day returns what counts towards the cap of the day that the clock shows: what was sent on it, and what was sent on
// days that lie after it, because the clock has gone back since.
func (a *Account) Day(now time.Time) Amount { return a.period(now, len(time.DateOnly)) }

// Month returns what counts towards the cap of the month that the clock shows, by the same rule.
func (a *Account) Month(now time.Time) Amount { return a.period(now, len("2006-01")) }

// period returns the amount of the days whose dates begin like that of now, or are dated later.
func (a *Account) period(now time.Time, digits int) Amount {
	today := dayOf(now)
	return a.amount(func(b bucket) bool {
		id := a.runs[b.run].ID
		shown, noticed := a.dated[id]
		if !noticed {
			shown = today
		}
		return b.day[:digits] == today[:digits] || b.day > shown && shown[:digits] == today[:digits]
	})
}

// Days returns the amount of the requests that were sent from one day to another, both YYYY-MM-DD.
func (a *Account) Days(from, to string) Amount {
	return a.amount(func(b bucket) bool { return from <= b.day && b.day <= to })
}

// amount sums up the requests of some runs and days. Of the requests that a balance settles together, all that
// were billed may be among them.
func (a *Account) amount(of func(bucket) bool) (sum Amount) {
	for n, days := range a.spent {
		beyond := false
		for day, s := range days {
			if of(bucket{n, day}) {
				sum.Sure, sum.Unknown, beyond = sum.Sure+s.sure, sum.Unknown+s.unknown, true
			}
		}
		if beyond {
			sum.Beyond += a.beyond[n].beyond()
		}
	}
	for w := range a.all() {
		unknown := 0
		for b, credits := range w.unknown {
			if of(b) {
				unknown += credits
			}
		}
		if w.why != "" {
			sum.Unproved += unknown
		} else {
			sum.Unbilled += unknown - min(unknown, w.billed)
		}
	}
	return sum
}

// Spent returns what counts towards the caps of the next run of a job's night. anew says that the cap of the night
// begins anew with it. What the balance lost beyond our count counts for day and month, whose caps protect the
// balance, and not for the night, whose cap is one of our own requests.
func (a *Account) Spent(job, date string, anew bool, now time.Time) Spent {
	day, month := a.Day(now), a.Month(now)
	s := Spent{Day: day.Counted() + day.Beyond, Month: month.Counted() + month.Beyond}
	if !anew {
		s.Night = a.Night(job, date, now).Counted()
	}
	return s
}

// Renewable reports whether the cap of a night may begin anew, when a person or a slot repeats or resumes it: its
// newest run came to its own end, and is the newest whose rows are not rolled back. The cap goes on after a run that
// was killed or stopped, and after one that was rolled back.
func (a *Account) Renewable(job, date, newest string) bool {
	for _, r := range slices.Backward(a.runs) {
		if r.Job == job && r.Date == date {
			return r.Ended && r.ID == newest
		}
	}
	return false
}

// Ahead returns the runs that are dated later than now and that no run has noticed yet: the clock went back.
func (a *Account) Ahead(now time.Time) (ids []string) {
	for n, r := range a.runs {
		if _, noticed := a.noticed[r.ID]; noticed {
			continue
		}
		if r.Started.After(now) || slices.ContainsFunc(slices.Collect(maps.Keys(a.spent[n])),
			func(day string) bool { return day > dayOf(now) }) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
