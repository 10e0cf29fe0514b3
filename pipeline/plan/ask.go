package plan

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
)

// Ask is the part of a job that asks questions by one raw operation, whose answers are kept whole. Vessels, days and
// values fill in the placeholders of the operation's parameters: each combination of them is one question.
type Ask struct {
	Operation   api.RawOperation
	Watch       bool                // of the vessels of Lookup.Watch
	Query       string              // of the vessels that this SQL names in its first column; empty is none
	From, To    string              // the first and the last day, YYYY-MM-DD; empty if no parameter has a day
	Values      []map[string]string // of the other placeholders; empty if there are none
	MaxAge      time.Duration       // a question that was answered within this time is not asked again; 0 is never again
	MaxRequests int                 // the most requests in a night; 0 is no limit beside the caps
}

// Questions are the requests of a plan by one raw operation, and how many of those that are due it leaves out.
type Questions struct {
	Operation api.RawOperation
	Requests  []api.Request
	Carried   int // of Requests, those that an earlier run of the night has the answers to
}

// What names the questions of an operation in reports.
func (q Questions) What() string { return QuestionsLeft(q.Operation.Name) }

// QuestionsLeft is the LeftOut.What of the questions of an operation.
func QuestionsLeft(operation string) string { return "questions of " + operation }

// mostQuestions bounds what one ask may plan for a night, so that a range of days of a fleet cannot fill the memory.
const mostQuestions = 1_000_000

// fitQuestions plans the questions that are due: those never answered first, then the longest unanswered, as many as
// the credits pay for, the lane can carry and the job allows. It returns what they cost at most.
func (d *Plan) fitQuestions(job Job, f Inputs, perMinute func(api.Operation) int) (cost int) {
	room := map[string]int{}
	for i, ask := range job.Asks {
		o := ask.Operation.Operation
		if _, known := room[o.Name]; !known {
			room[o.Name] = capacity(job.Deadline, perMinute(o))
		}
		var vessels []string
		if i < len(f.Vessels) {
			vessels = f.Vessels[i]
		}
		if i < len(f.NoVessels) && f.NoVessels[i] != "" {
			d.LeftOut = append(d.LeftOut, LeftOut{QuestionsLeft(o.Name), 1, 1, credits.Cause(f.NoVessels[i])})
		}
		due := ask.due(f, vessels)
		q := Questions{Operation: ask.Operation}
		unpaid := due[:0:0]
		for _, r := range due {
			if _, answered := f.Tonight[r.Key()]; answered {
				q.Requests, q.Carried = append(q.Requests, r), q.Carried+1
			} else {
				unpaid = append(unpaid, r)
			}
		}
		n, why := room[o.Name], NoTime
		if most := ask.MaxRequests; most > 0 && most-q.Carried < n {
			n, why = max(0, most-q.Carried), credits.Cause("max_requests of the question (jobs.NAME.ask)")
		}
		if left, limited := d.Allowance.Limit.Plus(-cost).Get(); limited && o.Credits > 0 && left/o.Credits < n {
			n, why = max(0, left/o.Credits), d.Allowance.Why
		}
		if n < len(unpaid) {
			d.LeftOut = append(d.LeftOut, LeftOut{q.What(), len(unpaid) - n, len(unpaid), why})
			unpaid = unpaid[:n]
		}
		room[o.Name] -= len(unpaid)
		cost += len(unpaid) * o.Credits
		q.Requests = append(q.Requests, unpaid...)
		d.Questions = append(d.Questions, q)
	}
	return cost
}

// due returns the questions that are due, those never answered first, then the longest unanswered.
func (a Ask) due(f Inputs, vessels []string) []api.Request {
	type question struct {
		api.Request
		at time.Time
	}
	var all []question
	seen := map[string]bool{}
	for _, values := range a.combinations(f, vessels) {
		r, err := a.Operation.Request(values)
		if err != nil || seen[r.Key()] || len(all) == mostQuestions {
			continue // the configuration refuses an operation without a value
		}
		seen[r.Key()] = true
		at := f.Asked[r.Key()]
		if _, tonight := f.Tonight[r.Key()]; tonight || at.IsZero() || a.MaxAge > 0 && !at.After(f.Now.Add(-a.MaxAge)) {
			all = append(all, question{r, at})
		}
	}
	slices.SortStableFunc(all, func(a, b question) int { return a.at.Compare(b.at) })
	requests := make([]api.Request, len(all))
	for i, q := range all {
		requests[i] = q.Request
	}
	return requests
}

// combinations returns the values of the placeholders of each question.
func (a Ask) combinations(f Inputs, vessels []string) []map[string]string {
	all := a.Values
	if len(all) == 0 {
		all = []map[string]string{{}}
	}
	switch {
	case a.Operation.Asks(api.AVessel):
		all = product(all, "vessel", vessels)
	case a.Operation.Asks(api.Vessels):
		var groups []string
		for group := range slices.Chunk(a.dueVessels(f, vessels), api.MostInBulk) {
			groups = append(groups, strings.Join(group, ","))
		}
		all = product(all, "vessels", groups)
	}
	if a.Operation.Asks(api.ADay) {
		all = product(all, "day", days(a.From, a.To, f.Now))
	}
	return all
}

// NoteAsked notes when a request was answered, for itself and for each vessel that it names.
func (f *Inputs) NoteAsked(operation, parameters string, at time.Time) {
	if f.Asked == nil {
		f.Asked = map[string]time.Time{}
	}
	note := func(key string) {
		if f.Asked[key].Before(at) {
			f.Asked[key] = at
		}
	}
	note(api.Key(operation, parameters))
	for _, number := range NumbersIn(parameters) {
		note(api.Key(operation, number))
	}
}

// NumbersIn lists the IMO numbers and MMSIs in the parameters of a request, which may name several in one value.
func NumbersIn(parameters string) (numbers []string) {
	q, err := url.ParseQuery(parameters)
	if err != nil {
		return nil
	}
	for _, values := range q {
		for _, value := range values {
			for part := range strings.SplitSeq(value, ",") {
				if number := NumberOfVessel(part); number != "" {
					numbers = append(numbers, number)
				}
			}
		}
	}
	return numbers
}

// dueVessels returns the vessels of a bulk question that no answer of the operation named within MaxAge.
func (a Ask) dueVessels(f Inputs, vessels []string) []string {
	return slices.DeleteFunc(slices.Clone(vessels), func(number string) bool {
		at := f.Asked[api.Key(a.Operation.Name, number)]
		return !at.IsZero() && (a.MaxAge == 0 || at.After(f.Now.Add(-a.MaxAge)))
	})
}

// product returns every combination of some values with those of one more placeholder.
func product(all []map[string]string, name string, values []string) []map[string]string {
	combined := make([]map[string]string, 0, len(all)*len(values))
	for _, one := range all {
		for _, v := range values {
			with := maps.Clone(one)
			with[name] = v
			combined = append(combined, with)
		}
	}
	return combined
}

// days lists the days from one to another, the newest first, without those that are still to come.
func days(from, to string, now time.Time) (all []string) {
	first, err := time.Parse(time.DateOnly, from)
	last, wrong := time.Parse(time.DateOnly, cmp.Or(to, now.UTC().AddDate(0, 0, -1).Format(time.DateOnly)))
	if err != nil || wrong != nil {
		return nil // the configuration refuses them
	}
	for day := last; !day.Before(first) && len(all) < mostQuestions; day = day.AddDate(0, 0, -1) {
		if day.Before(now) {
			all = append(all, day.Format(time.DateOnly))
		}
	}
	return all
}

// NumberOfVessel returns the number to ask for a vessel by: of an id such as IMO9218301 or MMSI306256000, or of a
// number itself; empty for anything else.
func NumberOfVessel(id string) string {
	number := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(id), "IMO"), "MMSI")
	number, _, _ = strings.Cut(number, ".") // of a later vessel of an MMSI
	if _, err := strconv.Atoi(number); err != nil || len(number) != 7 && len(number) != 9 {
		return ""
	}
	return number
}
