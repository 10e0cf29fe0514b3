package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// nights is a job over the nights of a simulated fleet, with what a warehouse would know of it. It plans
// with plan.Decide and reads the answers from simulator.Truth, so that ninety nights take a second.
type nights struct {
	sim   *simulator.Simulator
	job   plan.Job
	limit func(api.Operation) int
	start time.Time

	targets map[int]*known // by hull
	totals  map[api.Partition]inputs.Total
	refused map[string]*refusal
	spent   int // this month
	month   time.Month

	complete time.Time // when the list was first complete; zero if never
	history  History
	learnt   map[string]map[string]*inputs.Span // by dataset and category
}

// known is what the warehouse has of a hull.
type known struct {
	inputs.Target
	stored  simulator.Vessel
	changes []time.Time // of its registration
	places  map[api.Partition]bool
	absent  time.Time // since when it is not listed
}

// refusal is a number that was not found.
type refusal struct {
	until time.Time
	times int
}

// today is the truth of a day, as the searches and the lookups find it.
type today struct {
	at      time.Time
	vessels map[int]simulator.Vessel
	lists   map[api.Partition][]int // hulls
	sweeps  map[api.Partition][]int
	numbers map[string]int
}

func newNights(c simulator.Config, job plan.Job, start time.Time) (*nights, error) {
	c.Start = start
	sim, err := simulator.New(c)
	if err != nil {
		return nil, err
	}
	return &nights{sim: sim, job: job, limit: Scenario{}.PerMinute, start: start, targets: map[int]*known{}, totals: map[api.Partition]inputs.Total{},
		refused: map[string]*refusal{}, learnt: map[string]map[string]*inputs.Span{}}, nil
}

// truth indexes the fleet of a day.
func (w *nights) truth(day int) today {
	t := today{at: w.start.AddDate(0, 0, day), vessels: map[int]simulator.Vessel{}, lists: map[api.Partition][]int{}, sweeps: map[api.Partition][]int{}, numbers: map[string]int{}}
	for _, v := range w.sim.Truth(day) {
		t.vessels[v.Hull] = v
		if v.StoresIMO {
			t.numbers[fmt.Sprint(v.IMO)] = v.Hull
		}
		t.numbers[v.MMSI] = v.Hull
		for _, s := range v.Stored {
			if s.Country != nil {
				p := keyed(api.ListPartition("", *s.Country))
				t.lists[p] = append(t.lists[p], v.Hull)
			}
			if s.TypeSpecific != nil {
				p := keyed(api.ListPartition(*s.TypeSpecific, ""))
				t.lists[p] = append(t.lists[p], v.Hull)
			}
		}
		if v.Status != "" && v.Listed {
			s := api.Sweep{Status: v.Status}
			if status, _ := api.StatusNamed(v.Status); status.Zoned {
				s.Zone = v.Zone
			}
			t.sweeps[keyed(s.Partition())] = append(t.sweeps[keyed(s.Partition())], v.Hull)
		}
	}
	return t
}

// inputs is what the warehouse and the ledger know before a run.
func (w *nights) inputs(at time.Time) plan.Inputs {
	if at.Month() != w.month {
		w.month, w.spent = at.Month(), 0
	}
	f := plan.Inputs{Now: at, Refused: map[string]bool{}, Spent: credits.Spent{Month: w.spent}, Rates: w.rates()}
	for _, total := range w.totals {
		f.Totals = append(f.Totals, total)
	}
	slices.SortFunc(f.Totals, func(a, b inputs.Total) int { return strings.Compare(a.Kind+a.Value, b.Kind+b.Value) })
	for _, k := range w.targets {
		f.Targets = append(f.Targets, k.Target)
	}
	slices.SortFunc(f.Targets, func(a, b inputs.Target) int { return strings.Compare(a.VesselID, b.VesselID) })
	for id, r := range w.refused {
		if r.until.After(at) {
			f.Refused[id] = true
		}
	}
	return f
}

// night runs the job on a day.
func (w *nights) night(day int) Night {
	t := w.truth(day)
	f := w.inputs(t.at)
	if !w.complete.IsZero() {
		w.history.VesselDays += float64(len(w.targets))
	}
	d := plan.Decide(w.job, f, w.limit)
	left := d.Allowance.Limit.Plus(-d.Kept)
	searches, urgent := w.list(d, t, &left)
	searches += w.sweep(d, t, &left, &urgent)
	n := Night{At: t.at, Credits: searches * 10}
	n.Credits += w.lookUp(d, t, d.Allowance.Limit.Plus(-n.Credits), urgent)
	w.spent += n.Credits
	n.Vessels, n.Datasets = w.measure(t)
	return n
}

// list reads the partitions of the plan, and then what was longer than planned and what waited.
func (w *nights) list(d plan.Plan, t today, left *credits.Limit) (pages int, urgent []int) {
	whole := len(d.Cover) > 0
	changed := map[int]bool{}
	seen := map[int]bool{}
	read := func(p plan.Partition, most int) (more int) {
		name := keyed(p.Name())
		hulls := t.lists[name]
		need := plan.Pages(len(hulls))
		got := min(need, most)
		if credits, limited := left.Get(); limited {
			got = min(got, credits/10)
		}
		*left = left.Plus(-10 * got)
		pages += got
		for _, hull := range hulls[:min(len(hulls), 100*got)] {
			seen[hull] = true
			urgent = append(urgent, w.observe(hull, name, t, changed)...)
		}
		if got == need {
			w.cover(name, api.ByType.Name, len(hulls), t)
			return 0
		}
		return need - got
	}
	var longer []plan.Partition
	for _, p := range d.Cover {
		if read(p, p.Unpaid) > 0 {
			longer = append(longer, p)
		}
	}
	again := func(all []plan.Partition) {
		for _, p := range all {
			before := min(plan.Pages(len(t.lists[keyed(p.Name())])), p.Unpaid)
			*left, pages = left.Plus(10*before), pages-before // its first pages are paid for
			whole = read(p, 1<<30) == 0 && whole
		}
	}
	again(longer)
	for _, s := range d.Waiting {
		if s.Lane.Name == api.ByType.Name {
			whole = left.Allows(10*s.Partition.Unpaid) && read(s.Partition, 1<<30) == 0 && whole
		}
	}
	for _, kind := range listed(w.job.List) {
		if w.complete.IsZero() && !slices.ContainsFunc(kind, func(p api.Partition) bool { _, ok := w.totals[p]; return !ok }) {
			w.complete = t.at
		}
	}
	if whole && !slices.ContainsFunc(d.LeftOut, func(l plan.LeftOut) bool { return l.What == plan.PartitionsOfList }) {
		pages += w.check(d, t, left, seen, &urgent, changed)
	}
	for hull := range changed {
		urgent = append(urgent, hull)
	}
	slices.Sort(urgent[len(urgent)-len(changed):])
	return pages, urgent
}

// check reads the first pages of the other kind, and all pages where the list has not shown every vessel.
func (w *nights) check(d plan.Plan, t today, left *credits.Limit, seen map[int]bool, urgent *[]int, changed map[int]bool) (pages int) {
	for _, p := range d.Checks {
		hulls := t.lists[keyed(p.Name())]
		need := min(1, len(hulls))
		for _, hull := range hulls {
			if !seen[hull] {
				need = plan.Pages(len(hulls))
			}
		}
		if !left.Allows(10 * need) {
			continue
		}
		*left, pages = left.Plus(-10*need), pages+need
		for _, hull := range hulls {
			if !seen[hull] {
				*urgent = append(*urgent, w.observe(hull, keyed(p.Name()), t, changed)...)
			}
		}
		w.cover(keyed(p.Name()), api.ByType.Name, len(hulls), t)
	}
	return pages
}

// cover records a complete coverage: the vessels that the partition does not list any more are gone.
func (w *nights) cover(name api.Partition, operation string, rows int, t today) {
	w.totals[name] = inputs.Total{Operation: operation, Kind: name.Kind, Value: name.Value, Rows: rows, At: t.at}
	if operation != api.ByType.Name {
		return
	}
	for hull, k := range w.targets {
		if k.places[name] && !slices.Contains(t.lists[name], hull) {
			delete(k.places, name)
			if gone := t.vessels[hull]; !gone.Listed && k.Listed {
				k.Listed, k.absent = false, t.at
			}
		}
	}
}

// observe takes in a listed vessel, and returns it if it is new.
func (w *nights) observe(hull int, name api.Partition, t today, changed map[int]bool) []int {
	v := t.vessels[hull]
	k := w.targets[hull]
	if k == nil {
		k = &known{Target: inputs.Target{VesselID: fmt.Sprintf("hull%07d", hull), IsVessel: v.IsShip, Category: v.ShipType, Listed: true, FirstSeen: t.at, ChangedAt: t.at, Versions: 1},
			places: map[api.Partition]bool{name: true}}
		w.targets[hull] = k
		w.register(k, v)
		w.history.Arrived += countIf(!w.complete.IsZero())
		return []int{hull}
	}
	k.Listed = true
	k.places[name] = true
	if k.Name != v.Name || k.Flag != v.Flag || k.MMSI != v.MMSI {
		w.register(k, v)
		w.history.Changed += countIf(!w.complete.IsZero())
		if at := plan.SeenAt(w.job.Lookup, k.Target); !at.IsZero() && plan.Steady(k.Target, t.at.Sub(at)) {
			changed[hull] = true
		}
		k.changes = append(k.changes, t.at)
		k.ChangedAt, k.Versions = t.at, 0
		for _, at := range k.changes {
			k.Versions += countIf(t.at.Sub(at) < 7*24*time.Hour)
		}
	}
	return nil
}

func (w *nights) register(k *known, v simulator.Vessel) {
	k.Name, k.Flag, k.MMSI, k.VesselType = v.Name, v.Flag, v.MMSI, v.Type
	if v.ShowsIMO && v.StoresIMO {
		k.IMO = v.IMO
	}
}

// sweep makes the status searches of the plan and those that waited.
func (w *nights) sweep(d plan.Plan, t today, left *credits.Limit, urgent *[]int) (billed int) {
	all := d.Sweeps
	for _, s := range d.Waiting {
		if s.Lane.Name == api.ByStatus.Name {
			all = append(all, s.Sweep)
		}
	}
	for _, s := range all {
		name := keyed(s.Partition())
		if !left.Allows(10) {
			continue
		}
		*left, billed = left.Plus(-10), billed+1 // also without a vessel
		w.cover(name, api.ByStatus.Name, len(t.sweeps[name]), t)
		for _, hull := range t.sweeps[name] {
			if w.targets[hull] == nil {
				*urgent = append(*urgent, w.observe(hull, name, t, nil)...)
			}
		}
	}
	return billed
}

// lookUp makes the lookups, the urgent ones first.
func (w *nights) lookUp(d plan.Plan, t today, left credits.Limit, urgent []int) (credits int) {
	if len(w.job.Lookup.Want) == 0 {
		return 0
	}
	o := w.job.Lookup.Operation()
	byID := map[string]*known{}
	var ids []string
	for _, k := range w.targets {
		byID[k.Target.Number()] = k
	}
	for _, hull := range urgent {
		ids = append(ids, w.targets[hull].Target.Number())
	}
	sent := map[string]bool{}
	for _, id := range append(append(ids, d.Lookups...), d.Further...) {
		if sent[id] || len(sent) >= d.Room || !left.Allows(o.Credits) || byID[id] == nil {
			continue
		}
		sent[id] = true
		hull, found := t.numbers[id]
		if !found {
			r := w.refused[id]
			if r == nil {
				r = &refusal{}
				w.refused[id] = r
			}
			r.until = t.at.AddDate(0, 0, min(7<<r.times, 182))
			r.times++
			continue
		}
		left, credits = left.Plus(-o.Credits), credits+o.Credits
		at := t.at.Add(time.Duration(len(sent)) * time.Minute / time.Duration(w.limit(o)))
		w.store(byID[id], t.vessels[hull], at)
	}
	return credits
}

// store stores the datasets of an answer, and learns how often they change.
func (w *nights) store(k *known, v simulator.Vessel, at time.Time) {
	same := map[string]bool{"particulars": k.stored.Particulars == v.Particulars, "engine": k.stored.Engine == v.Engine, "management": k.stored.Management == v.Management}
	for _, dataset := range Datasets(w.job.Lookup) {
		seen := k.Target.Seen(dataset)
		if is, learns := same[dataset]; learns {
			w.learn(dataset, k, *seen, at, is)
		}
		*seen = at
	}
	k.stored = v
}

// learn takes in what two answers about a dataset show.
func (w *nights) learn(dataset string, k *known, before, at time.Time, same bool) {
	if w.learnt[dataset] == nil {
		w.learnt[dataset] = map[string]*inputs.Span{}
	}
	o := w.learnt[dataset][k.Category]
	if o == nil {
		o = &inputs.Span{Dataset: dataset, Category: k.Category}
		w.learnt[dataset][k.Category] = o
	}
	days := at.Sub(before).Hours() / 24
	switch {
	case before.IsZero():
	case k.ChangedAt.After(before):
		o.Signals++
		o.Followed += countIf(!same)
	case same:
		o.Unchanged += days
	default:
		o.Within = (o.Within*float64(o.Changes) + days) / float64(o.Changes+1)
		o.Changes++
	}
}

// rates learns from what the answers have shown.
func (w *nights) rates() plan.Rates {
	var spans []inputs.Span
	for _, dataset := range slices.Sorted(maps.Keys(w.learnt)) {
		for _, category := range slices.Sorted(maps.Keys(w.learnt[dataset])) {
			spans = append(spans, *w.learnt[dataset][category])
		}
	}
	return plan.LearnRates(spans)
}

// measure counts what the night shows: shares known and true, and ages.
func (w *nights) measure(t today) (vessels int, all []Measure) {
	for _, dataset := range Datasets(w.job.Lookup) {
		var days []float64
		right := 0
		vessels = 0
		for hull, k := range w.targets {
			if !k.IsVessel || !k.Listed {
				continue
			}
			vessels++
			seen := *k.Target.Seen(dataset)
			if seen.IsZero() {
				continue
			}
			days = append(days, max(0, t.at.Sub(seen).Hours()/24))
			v := t.vessels[hull]
			right += countIf(dataset == "particulars" && v.Particulars == k.stored.Particulars || dataset == "engine" && v.Engine == k.stored.Engine ||
				dataset == "management" && v.Management == k.stored.Management)
		}
		slices.SortFunc(days, cmp.Compare[float64])
		at := func(q float64) float64 {
			if len(days) == 0 {
				return 0
			}
			return days[max(0, int(q*float64(len(days))+.999999)-1)]
		}
		of := float64(max(1, vessels))
		all = append(all, Measure{Dataset: dataset, Known: float64(len(days)) / of, True: float64(right) / of, Median: at(.5), P90: at(.9), Worst: at(1)})
	}
	return vessels, all
}

// state is what a forecast after a night begins with.
func (w *nights) state(at time.Time) State {
	f := w.inputs(at)
	for _, k := range w.targets {
		if !k.Listed && !w.complete.IsZero() && k.absent.Sub(w.complete) < at.Sub(k.absent) {
			w.history.Left++
		}
	}
	churn, priors := LearnChurn(w.history)
	return State{Now: at, Targets: f.Targets, Totals: f.Totals, Refused: f.Refused, Rates: f.Rates, Churn: churn, Priors: priors, SpentMonth: w.spent, SpentAt: at}
}

func countIf(is bool) int {
	if is {
		return 1
	}
	return 0
}
