package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

var tonight = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

func total(kind, value string, rows int, at time.Time) inputs.Total {
	return inputs.Total{Operation: "by-type", Kind: kind, Value: value, Rows: rows, At: at}
}

// documented are the limits of the interface text.
func documented(o api.Operation) int { return o.PerMinute }

// same reports whether two partitions are the same and expect the same.
func (p Partition) same(o Partition) bool {
	return p.Type == o.Type && p.Country == o.Country && p.Expected == o.Expected
}

func TestCover(t *testing.T) {
	yesterday := tonight.Add(-24 * time.Hour)
	var known []inputs.Total // countries of two pages each, types of one
	for _, c := range api.Countries {
		known = append(known, total("country", strings.ToUpper(c), 101, yesterday))
	}
	for _, c := range api.Types {
		known = append(known, total("type", c, 100, yesterday))
	}
	cases := map[string]struct {
		list          List
		totals        []inputs.Total
		cover, checks int
		first         Partition
	}{
		"nothing is listed":                        {List{By: "none"}, known, 0, 0, Partition{}},
		"without totals there are fewer countries": {List{By: "cheapest"}, nil, 273, 361, Partition{Country: "Adelie Land", Expected: -1}},
		"with totals the types cost less":          {List{By: "cheapest"}, known, 361, 273, Partition{Type: "Accommodation Jack Up", Expected: 100}},
		"by country, as configured":                {List{By: "country"}, known, 273, 0, Partition{Country: "Adelie Land", Expected: 101}},
		"by type, as configured":                   {List{By: "type"}, nil, 361, 0, Partition{Type: "Accommodation Jack Up", Expected: -1}},
		"two types":                                {List{By: "cheapest", Types: []string{"Tug", "Yacht"}}, nil, 2, 0, Partition{Type: "Tug", Expected: -1}},
		"one country":                              {List{By: "type", Countries: []string{"Malta"}}, nil, 1, 0, Partition{Country: "Malta", Expected: -1}},
		"two types of one country":                 {List{By: "cheapest", Types: []string{"Tug", "Yacht"}, Countries: []string{"Malta"}}, nil, 2, 0, Partition{Type: "Tug", Country: "Malta", Expected: -1}},
		"what was covered lately is skipped":       {List{By: "cheapest", Types: []string{"Tug"}, MaxAge: 25 * time.Hour}, known, 0, 0, Partition{}},
		"a max age of 0 lists every night":         {List{By: "cheapest", Types: []string{"Tug"}}, known, 1, 0, Partition{Type: "Tug", Expected: 100}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := Inputs{Now: tonight, Totals: c.totals}
			if len(c.totals) > 0 && c.checks > 0 { // checks are valid for a week
				for i := range f.Totals {
					f.Totals[i].At = tonight.Add(-8 * 24 * time.Hour)
				}
				defer func() {
					for i := range f.Totals {
						f.Totals[i].At = yesterday
					}
				}()
			}
			d := Decide(Job{List: c.list}, f, documented)
			if len(d.Cover) != c.cover || len(d.Checks) != c.checks {
				t.Fatalf("%d partitions and %d checks, want %d and %d", len(d.Cover), len(d.Checks), c.cover, c.checks)
			}
			if c.cover > 0 && !slices.ContainsFunc(d.Cover, c.first.same) {
				t.Errorf("%+v is missing", c.first)
			}
		})
	}
}

func TestSweepsMultiply(t *testing.T) {
	all := Sweep{Zones: api.Zones}
	for _, s := range api.Statuses {
		all.Statuses = append(all.Statuses, s.Name)
	}
	filtered := Sweep{Statuses: []string{"moored", "aground"}, Zones: []string{"north-sea", "baltic-sea"}, Laden: api.Laden, ForOrder: api.ForOrder}
	for name, c := range map[string]struct {
		sweep Sweep
		want  int
	}{
		"every status over every zone": {all, 6*41 + 3},
		"no status is no sweep":        {Sweep{Zones: api.Zones}, 0},
		"filters multiply":             {filtered, (2 + 2) * 3 * 2},
		"zones for all of three":       {Sweep{Statuses: []string{"drifting", "constrained", "aground"}, Zones: []string{"red-sea"}}, 3},
		"no zones for what needs none": {Sweep{Statuses: []string{"drifting"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := sweeps(c.sweep, nil)
			keys := map[string]bool{}
			for _, s := range got {
				keys[s.Request().Key()] = true
			}
			if len(got) != c.want || len(keys) != c.want {
				t.Errorf("%d sweeps, %d of them different; want %d", len(got), len(keys), c.want)
			}
		})
	}
}

// TestAZoneThatIsOptionalIsAsked: a job that wants some zones asks for them whatever the status, and the plan says how
// many vessels the world had when it was last asked for, by which a service that ignores the zone is found out.
func TestAZoneThatIsOptionalIsAsked(t *testing.T) {
	totals := map[api.Partition]inputs.Total{
		{Kind: api.KindStatus, Value: "drifting"}:         {Rows: 57},
		{Kind: api.KindStatus, Value: "drifting/red-sea"}: {Rows: 3},
	}
	red := Sweep{Statuses: []string{"drifting", "moored"}, Zones: []string{"red-sea"}}
	for name, c := range map[string]struct {
		sweep Sweep
		want  []string
	}{
		"some zones": {red, []string{"drifting/red-sea 3 of 57", "moored/red-sea -1 of 0"}},
		"all zones":  {Sweep{Statuses: []string{"drifting"}, Zones: api.Zones}, []string{"drifting 57 of 0"}},
	} {
		var got []string
		for _, s := range sweeps(c.sweep, totals) {
			got = append(got, fmt.Sprintf("%s %d of %d", s.Entry().Value, s.Expected, s.Entry().World))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// lookups returns the numbers of all vessels that are due, the highest score first.
func lookups(job Job, f Inputs) []string {
	all := due(job, f).vessels
	return best(all, len(all), f.Targets)
}

func TestLookupsComeInOrderOfWorth(t *testing.T) {
	day := func(n int) time.Time { return tonight.AddDate(0, 0, -n) }
	targets := []inputs.Target{
		{VesselID: "IMO1", IMO: 1, IsVessel: true, ParticularsAt: day(40)},
		{VesselID: "IMO2", IMO: 2, IsVessel: true, ParticularsAt: day(50)},
		{VesselID: "IMO3", IMO: 3, IsVessel: true, ParticularsAt: day(3)},
		{VesselID: "MMSI4", MMSI: "400000000", IsVessel: false},
		{VesselID: "IMO5", IMO: 5, IsVessel: true},
		{VesselID: "IMO6", IMO: 6, MMSI: "600000000", IsVessel: true, ParticularsAt: day(31)},
		{VesselID: "IMO7", IMO: 7, IsVessel: true},
		{VesselID: "none", IsVessel: true},
	}
	given := []inputs.Target{
		{VesselID: "MMSI257000903", MMSI: "257000903", IsVessel: true, Listed: true}, {VesselID: "MMSI257000903.2", MMSI: "257000903", IsVessel: true, Listed: true},
	}
	job := Job{Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour, Watch: []string{"600000000"}}}
	got := lookups(job, Inputs{Now: tonight, Targets: targets, Refused: map[string]bool{"7": true}})
	if want := []string{"6", "5", "2", "1", "400000000"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	job.Lookup.Want = []string{"particulars", "engine"}
	if got := job.Lookup.Operation(); got != api.Info {
		t.Errorf("engine is asked by %s, want info", got.Name)
	}
	if got := lookups(job, Inputs{Now: tonight, Targets: targets[:1]}); len(got) != 1 {
		t.Error("a vessel whose engine was never seen is not asked for")
	}
	if got := lookups(job, Inputs{Now: tonight, Targets: given}); !slices.Equal(got, []string{"257000903"}) {
		t.Errorf("an MMSI that was given again is asked for as %v, want it once", got)
	}
}

func TestPrice(t *testing.T) {
	ago := tonight.Add(-24 * time.Hour)
	known := []inputs.Total{total("country", "Malta", 250, ago), total("country", "Chad", 0, ago)}
	two := Job{List: List{By: "country", Countries: []string{"Malta", "Chad"}}}
	cases := map[string]struct {
		job  func(*Job)
		f    Inputs
		want journal.Price
	}{
		"known totals, and room to grow":                           {func(*Job) {}, Inputs{Totals: known}, journal.Price{Least: 30, Expected: 30, Most: 55}},
		"an unknown total costs a page, and is bounded by the cap": {func(j *Job) { j.Budget = 500 }, Inputs{}, journal.Price{Least: 0, Expected: 20, Most: 500}},
		"without a cap the deadline bounds it":                     {func(j *Job) { j.Deadline = 10 * time.Minute }, Inputs{}, journal.Price{Least: 0, Expected: 20, Most: 5390}},
		"nothing bounds it":                                        {func(*Job) {}, Inputs{}, journal.Price{Least: 0, Expected: 20, Most: 0}},
		"sweeps are exact": {func(j *Job) {
			*j = Job{Sweep: Sweep{Statuses: []string{"aground", "drifting"}}, List: List{By: "none"}}
		}, Inputs{}, journal.Price{Least: 20, Expected: 20, Most: 22}},
		"the balance is a cap":                 {func(*Job) {}, Inputs{Totals: known, Balance: 40, BalanceKnown: true}, journal.Price{Least: 30, Expected: 30, Most: 40}},
		"the balance stays above its floor":    {func(j *Job) { j.Floor = 15 }, Inputs{Totals: known, Balance: 50, BalanceKnown: true}, journal.Price{Least: 30, Expected: 30, Most: 35}},
		"the cap of the day, half spent":       {func(j *Job) { j.PerDay = 60 }, Inputs{Totals: known, Spent: credits.Spent{Day: 25}}, journal.Price{Least: 30, Expected: 30, Most: 35}},
		"the cap of the month, spent":          {func(j *Job) { j.PerMonth = 60 }, Inputs{Totals: known, Spent: credits.Spent{Month: 60}}, journal.Price{}},
		"what a killed run spent of the night": {func(j *Job) { j.Budget = 60 }, Inputs{Totals: known, Spent: credits.Spent{Night: 28}}, journal.Price{Least: 30, Expected: 30, Most: 32}},
		"nothing to do under a cap":            {func(j *Job) { *j = Job{Budget: 60, List: List{By: "none"}} }, Inputs{}, journal.Price{Most: 60}},
		"nothing to do":                        {func(j *Job) { *j = Job{List: List{By: "none"}} }, Inputs{}, journal.Price{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			job := two
			c.job(&job)
			c.f.Now = tonight
			d := Decide(job, c.f, documented)
			if got := d.Total(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestFit checks what is left out, and why, when not everything fits.
func TestFit(t *testing.T) {
	ago := tonight.Add(-24 * time.Hour)
	var targets []inputs.Target
	for i := range 100 {
		targets = append(targets, inputs.Target{VesselID: fmt.Sprint("IMO", i+1), IMO: i + 1, IsVessel: true})
	}
	f := Inputs{Now: tonight, Targets: targets, Totals: []inputs.Total{
		total("country", "Malta", 900, ago), total("country", "Chad", 1, ago), total("country", "Togo", 150, tonight.Add(-5*24*time.Hour))}}
	job := Job{List: List{By: "country", Countries: []string{"Chad", "Malta", "Togo"}}, Lookup: Lookup{Want: []string{"particulars"}}}
	cases := map[string]struct {
		job     func(*Job)
		cover   []string // in the order of their requests
		lookups int
		leftOut []string
	}{
		"everything fits: the most vessels and nights by credit first": {func(*Job) {}, []string{"Togo", "Malta", "Chad"}, 100, nil},
		"a cap leaves out the partitions of least value, and keeps a tenth for lookups": {func(j *Job) { j.Budget = 100 }, []string{"Togo", "Chad"}, 70,
			[]string{"1 of 3 partitions of the list are left out: the cap of the night (budget.per_run) does not reach", "30 of 100 lookups are left out: the cap of the night (budget.per_run) does not reach"}},
		"a deadline leaves out what its lane cannot carry": {func(j *Job) { j.Deadline = 15 * time.Second }, []string{"Togo", "Malta", "Chad"}, 12, []string{"88 of 100 lookups are left out: there is no time before the deadline"}},
		"a shorter one leaves out the long partition of least value": {func(j *Job) { j.Deadline = 4 * time.Second }, []string{"Togo", "Chad"}, 3,
			[]string{"1 of 3 partitions of the list are left out: there is no time before the deadline", "97 of 100 lookups are left out: there is no time before the deadline"}},
		"a limit of requests": {func(j *Job) { j.Lookup.MaxRequests = 7 }, []string{"Togo", "Malta", "Chad"}, 7, []string{"93 of 100 lookups are left out: max_requests of the job (jobs.NAME.lookup)"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			job := job
			c.job(&job)
			d := Decide(job, f, documented)
			var cover, left []string
			for _, p := range d.Cover {
				cover = append(cover, p.Country)
			}
			for _, l := range d.LeftOut {
				left = append(left, l.String())
			}
			if !slices.Equal(cover, c.cover) || len(d.Lookups) != c.lookups || !slices.Equal(left, c.leftOut) {
				t.Errorf("cover %v, %d lookups, left out %q", cover, len(d.Lookups), left)
			}
		})
	}
}

// TestNoVesselStarves lets a vessel wait beyond its maximum age, against others with higher scores:
// in the end it is looked up.
func TestNoVesselStarves(t *testing.T) {
	job := Job{Lookup: Lookup{Want: []string{"particulars"}, MaxAge: 30 * 24 * time.Hour}}
	plain := inputs.Target{VesselID: "IMO1", IMO: 1, IsVessel: true}
	waited := func(days int) float64 {
		t := plain
		t.ParticularsAt = tonight.AddDate(0, 0, -days)
		return NewScorer(job, Inputs{Now: tonight}).Score(t).Total
	}
	never := NewScorer(job, Inputs{Now: tonight}).Score(plain).Total
	if waited(31) >= never {
		t.Errorf("a day overdue is worth %v, a vessel that was never seen %v", waited(31), never)
	}
	if waited(60) <= never {
		t.Errorf("after twice its maximum age it is worth %v, a vessel that was never seen %v", waited(60), never)
	}
	if waited(29) != 0 {
		t.Errorf("a vessel that is not due is worth %v", waited(29))
	}
}

// TestScoreTerms checks the reasons for looking up each vessel.
func TestScoreTerms(t *testing.T) {
	job := Job{Lookup: Lookup{Want: []string{"management"}, MaxAge: 30 * 24 * time.Hour, Watch: []string{"9"}}}
	f := Inputs{Now: tonight, Rates: Rates{map[string]model{"management": {base: 0.01, category: map[string]float64{"tanker": 10}, follows: 0.9}, "registration": {base: 0.002}}}}
	day := func(n int) time.Time { return tonight.AddDate(0, 0, -n) }
	gained := func(right, silent float64) float64 { // by credit, of 5
		days, _ := gain(-math.Log(right)/silent, silent, 0.002*0.9)
		return days / 5
	}
	aged := func(days, perDay float64) float64 { return math.Exp(-perDay * days) }
	cases := map[string]struct {
		target inputs.Target
		terms  []string
		total  float64
	}{
		"never seen":                    {inputs.Target{IMO: 1, IsVessel: true}, []string{"never seen"}, gained(0, 0.01)},
		"never seen, and changes soon":  {inputs.Target{IMO: 1, IsVessel: true, Category: "tanker"}, []string{"never seen"}, gained(0, 0.1)},
		"a beacon":                      {inputs.Target{MMSI: "992111111"}, []string{"never seen"}, gained(0, 0.01) / 1000},
		"changed since its lookup":      {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: day(3), ChangedAt: day(1)}, []string{"changed"}, gained(0.1*aged(3, 0.01), 0.01)},
		"changed just after its lookup": {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: tonight.Add(-10 * time.Hour), ChangedAt: tonight.Add(-time.Hour)}, nil, 0},
		"changed with every answer":     {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: day(3), ChangedAt: day(1), Versions: 4}, nil, 0},
		"changed before its lookup":     {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: day(3), ChangedAt: day(4)}, nil, 0},
		"watched, yesterday":            {inputs.Target{IMO: 9, IsVessel: true, ManagementAt: day(1)}, []string{"watched", "stale"}, worthWatched/5 + gained(aged(1, 0.01), 0.01)},
		"due, of a quiet category":      {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: day(30)}, []string{"stale"}, gained(aged(30, 0.01), 0.01)},
		"due, of a lively category":     {inputs.Target{IMO: 1, IsVessel: true, Category: "tanker", ManagementAt: day(30)}, []string{"stale"}, gained(aged(30, 0.1), 0.1)},
		"overdue by half its age":       {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: day(45)}, []string{"stale"}, gained(aged(45, 0.01), 0.01)},
		"at the longest wait":           {inputs.Target{IMO: 1, IsVessel: true, ManagementAt: day(60)}, []string{"stale", "overdue"}, gained(aged(60, 0.01), 0.01) + worthOverdue/5},
		"known for long, never seen":    {inputs.Target{IMO: 1, IsVessel: true, FirstSeen: day(90)}, []string{"never seen", "overdue"}, gained(0, 0.01) + 1.5*worthOverdue/5},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			sc := NewScorer(job, f).Score(c.target)
			var terms []string
			for _, term := range sc.Terms {
				terms = append(terms, term.Name)
			}
			if !slices.Equal(terms, c.terms) || math.Abs(sc.Total-c.total) > 1e-9 {
				t.Errorf("got %v, %v; want %v, %v", terms, sc.Total, c.terms, c.total)
			}
		})
	}
}

// TestPagingAsksEveryPageOnce plays a service with totals, and checks which pages are requested.

// TestAResumedNightSkipsWhatAnotherJobCovered resumes a night whose partition and status search were
// covered after its first run: by the night itself, or by another job.
func TestAResumedNightSkipsWhatAnotherJobCovered(t *testing.T) {
	now := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	job := Job{List: List{By: "country", Countries: []string{"Malta"}, MaxAge: 20 * time.Hour}, Sweep: Sweep{Statuses: []string{"moored"}, Zones: []string{"north-sea"}, Every: 20 * time.Hour}}
	totals := []inputs.Total{{Operation: api.ByType.Name, Kind: api.KindCountry, Value: "malta", Rows: 150, At: now.Add(-time.Minute)},
		{Operation: api.ByStatus.Name, Kind: api.KindStatus, Value: "moored/north-sea", Rows: 5, At: now.Add(-time.Minute)}}
	own := map[string]PastAnswer{}
	for _, r := range []api.Request{api.Page("", "Malta", 1), api.Page("", "Malta", 2), StatusSearch{Sweep: api.Sweep{Status: "moored", Zone: "north-sea"}}.Request()} {
		own[r.Key()] = PastAnswer{}
	}
	for name, c := range map[string]struct {
		tonight map[string]PastAnswer
		planned int
	}{
		"the night itself covered them":                    {own, 2},
		"another job did":                                  {nil, 0},
		"another job did, after the night had only a page": {map[string]PastAnswer{api.Page("", "Malta", 1).Key(): {}}, 0},
	} {
		d := Decide(job, Inputs{Now: now, Since: now.Add(-time.Hour), Totals: totals, Tonight: c.tonight}, func(o api.Operation) int { return o.PerMinute })
		if planned := len(d.Cover) + len(d.Sweeps); planned != c.planned {
			t.Errorf("%s: %d searches are planned, want %d", name, planned, c.planned)
		}
	}
}

// TestALaneWithoutRoomCostsNothing has lookups that are used up for the night, under a cap: their
// price is 0, and not the whole cap, as if nothing bounded them.
func TestALaneWithoutRoomCostsNothing(t *testing.T) {
	job := Job{Budget: 500, List: List{Countries: []string{"Malta"}}, Lookup: Lookup{Want: []string{"particulars"}, MaxRequests: 9}}
	for name, c := range map[string]struct{ lookedUp, most int }{
		"none left":   {9, 0},
		"two left":    {7, 2},
		"all of them": {0, 9},
	} {
		t.Run(name, func(t *testing.T) {
			d := Decide(job, Inputs{LookedUp: c.lookedUp}, documented)
			if got := d.Price[2]; got.Credits.Most != c.most {
				t.Errorf("%s cost at most %d, want %d", got.Operation.Name, got.Credits.Most, c.most)
			}
		})
	}
}
