package simulation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// night is one night of a scenario. The seed decides what its event draws, so that a night is the same
// when those before it are left out.
type night struct {
	day   int // of the fleet and of the calendar, from 0
	event string
	seed  uint64
}

// scenario is a configuration, which its seed determines, and what happens in it. One of every so many
// nights is published, with up to six before it; 1 publishes all, each by itself.
type scenario struct {
	seed   uint64
	nights []night
	every  int
}

// later reports whether a night is published later, or never.
func (s scenario) later(i int) bool {
	return s.every > 1 && i < len(s.nights)-1 && s.nights[i].seed%uint64(s.every) > 0
}

// events lists what can happen in a night, each as often as it is drawn.
var events = strings.Fields(`plain plain plain plain plain faults faults refusals outage
	kill kill kill kill-publishing stop cap cap deadline clock clock rollback undo rebuild upgrade unwritable two balance again`)

// collecting lists those of the events that need no publishing.
var collecting = strings.Fields(`plain plain plain plain plain faults faults refusals outage
	kill kill kill stop cap cap deadline clock clock two balance again`)

// sometimes is how many scenarios there are to one that publishes each night by itself.
const sometimes = 12

// lastDay is the end of a scenario at the latest: the files of a later one would be no older than those of the
// machine that plays it.
const lastDay = 24 * 365

// draw returns the scenario of a seed. Its first two nights are plain, so that later ones have something
// to miss.
func draw(seed uint64, nights int) scenario {
	r := rand.New(rand.NewPCG(seed, 1))
	s := scenario{seed: seed, every: 1}
	if of := rand.New(rand.NewPCG(seed, 5)); of.IntN(sometimes) > 0 {
		s.every = []int{20, 60, 200, 100_000}[of.IntN(4)]
	} else {
		nights = max(4, nights/8)
	}
	pause := []int{1, 3, 10, 40, 150, 400}[r.IntN(6)] // the most days from one night to the next
	for day := 0; len(s.nights) < nights && day < lastDay; day += 1 + r.IntN(pause) {
		n := night{day, "plain", r.Uint64()}
		if len(s.nights) > 1 {
			n.event = events[r.IntN(len(events))]
			if s.every > 1 && n.seed%uint64(s.every) > 0 {
				n.event = collecting[r.IntN(len(collecting))]
			}
		}
		s.nights = append(s.nights, n)
	}
	return s
}

// String returns the scenario as the table of found bugs has it.
func (s scenario) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{%d, []night{", s.seed)
	for i, n := range s.nights {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{%d, %q, %d}", n.day, n.event, n.seed)
	}
	return fmt.Sprintf("%s}, %d}", b.String(), s.every)
}

// configuration is what a scenario does every night, and the fleet that it does it to.
type configuration struct {
	fleet    simulator.Config
	jobs     []plan.Job
	inFlight int
	hour     time.Duration // the time of the day, in UTC, at which the night's runs begin
}

func (c configuration) String() string {
	text := fmt.Sprintf("%d vessels of dirt %g, %d in flight, at %v, rates %+v", c.fleet.Vessels, c.fleet.Dirt, c.inFlight, c.hour, c.fleet.Rates)
	for _, j := range c.jobs {
		text += fmt.Sprintf("\n%+v", j)
	}
	return text
}

// configure draws a configuration.
func configure(seed uint64) configuration {
	r := rand.New(rand.NewPCG(seed, 2))
	c := configuration{inFlight: 1 + r.IntN(8), hour: time.Duration(9+r.IntN(3)) * time.Hour}
	share := func(most float64) float64 { return most * r.Float64() }
	c.fleet = simulator.Config{Seed: seed, Vessels: 5 + r.IntN(56), Key: "k", Credits: 1_000_000, Dirt: []float64{-1, -1, 1, 3}[r.IntN(4)],
		Window: simulator.Window(r.IntN(2)), RetryAfter: r.IntN(2) == 0, BalanceText: r.IntN(4) == 0, Vague: r.IntN(4) == 0, CacheMiB: 1,
		Rates: simulator.Rates{Built: share(.01), Scrapped: share(.01), Unlisted: share(.03), Renamed: share(.02), Reflagged: share(.02), Identified: share(.2),
			Corrected: share(.05), Sold: share(.05), Moved: share(.2)}}
	if r.IntN(12) == 0 {
		c.fleet.Vessels = 600 // partitions of several pages
	}
	zone, _ := time.LoadLocation([]string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"}[r.IntN(4)])
	for i := range 1 + r.IntN(2) {
		c.jobs = append(c.jobs, c.job(r, i, zone))
	}
	return c
}

// statuses lists the navigational statuses.
var statuses = func() (names []string) {
	for _, s := range api.Statuses {
		names = append(names, s.Name)
	}
	return names
}()

// deadline is that of every job: with a service that is busy for most of the time a run would otherwise go on
// into the next day of its zone, which has another fleet. Without faults the longest take less than an hour.
const deadline = 90 * time.Minute

// job draws a job. All jobs have the same caps of day and month, as the configuration file has them.
func (c *configuration) job(r *rand.Rand, i int, zone *time.Location) plan.Job {
	j := plan.Job{Name: []string{"nightly", "other"}[i], Location: zone, Deadline: deadline, Budget: []int{0, 0, 200, 600}[r.IntN(4)]}
	switch r.IntN(5) {
	case 0:
		j.List = plan.List{By: "none"}
	case 1, 2:
		j.List = plan.List{By: "country", Countries: some(r, []string{"Panama", "Liberia", "China", "Malta", "Greece", "Norway", "Japan", "Chad", "Marshall Islands", "Singapore"}, 8)}
	case 3:
		j.List = plan.List{By: "country"}
	default:
		j.List = plan.List{By: "cheapest"}
	}
	j.List.MaxAge = []time.Duration{0, 20 * time.Hour, 20 * time.Hour, 70 * time.Hour}[r.IntN(4)]
	if r.IntN(4) > 0 {
		j.Sweep = plan.Sweep{Statuses: some(r, statuses, 3), Zones: some(r, api.Zones, 4), Every: []time.Duration{0, 0, 60 * time.Hour}[r.IntN(3)]}
	}
	if r.IntN(4) > 0 {
		j.Lookup = plan.Lookup{Want: [][]string{{"particulars"}, {"particulars"}, plan.Datasets, {"position"}}[r.IntN(4)], MaxAge: []time.Duration{30 * time.Hour, 72 * time.Hour, 720 * time.Hour}[r.IntN(3)],
			MaxRequests: []int{0, 5, 40}[r.IntN(3)]}
	}
	if i > 0 {
		j.PerDay, j.PerMonth, j.Floor = c.jobs[0].PerDay, c.jobs[0].PerMonth, c.jobs[0].Floor
		return j
	}
	j.PerDay = []int{0, 0, 0, 300, 800}[r.IntN(5)]
	j.PerMonth = []int{0, 0, 0, 3000, 10_000}[r.IntN(5)]
	j.Floor = []int{0, 0, 500}[r.IntN(3)]
	return j
}

// some returns at least one of the values, and at most so many.
func some(r *rand.Rand, all []string, most int) []string {
	picked := []string{}
	for _, i := range r.Perm(len(all))[:1+r.IntN(most)] {
		picked = append(picked, all[i])
	}
	return picked
}
