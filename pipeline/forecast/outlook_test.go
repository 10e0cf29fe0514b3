package forecast

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/google/go-cmp/cmp"
)

// firstNights is a job that lists and sweeps all, and looks up, over nights on which nothing is known at first.
func firstNights(vessels, nights int) (State, Scenario) {
	job := plan.Job{Name: "nightly", Deadline: 4 * time.Hour, List: plan.List{By: "cheapest", MaxAge: 20 * time.Hour},
		Sweep: plan.Sweep{Zones: api.Zones}, Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour}}
	for _, s := range api.Statuses {
		job.Sweep.Statuses = append(job.Sweep.Statuses, s.Name)
	}
	s := Unknown(start)
	s.Unlisted = vessels
	return s, Scenario{Job: job, Nights: following(start, nights)}
}

func look(t *testing.T, s State, c Scenario) Outlook {
	t.Helper()
	o, err := Look(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestTheCostOfACompleteFirstNightIsACapThatReaches compares the first night at that cap, and at half of it.
func TestTheCostOfACompleteFirstNightIsACapThatReaches(t *testing.T) {
	for _, vessels := range []int{500, 20_000} {
		s, c := firstNights(vessels, 3)
		complete := look(t, s, c).Complete
		c.Job.Budget = complete
		if o := look(t, s, c); !o.Tonight.whole() || !o.InTime || o.ListedBy != 1 || o.Complete != complete {
			t.Errorf("%d vessels, a cap of %d: %+v", vessels, complete, o)
		}
		c.Job.Budget = complete / 2
		o := look(t, s, c)
		if o.Tonight.whole() || o.Complete != complete || o.Tonight.OfSweeps != 249 || o.Tonight.OfParts != len(api.Countries) {
			t.Errorf("%d vessels, half the cap: %+v", vessels, o)
		}
	}
}

// TestAnOutlookIsThatOfTheForecast compares it with a forecast of the same scenario.
func TestAnOutlookIsThatOfTheForecast(t *testing.T) {
	s, c := firstNights(8000, 20)
	c.Job.Budget = 1500
	o := look(t, s, c)
	f, err := Run(t.Context(), s, []Scenario{c})
	if err != nil {
		t.Fatal(err)
	}
	known, _ := f[0].Last().Of("particulars")
	if o.Dataset != "particulars" || o.Known != known.Known || o.Nights != 20 || known.Known == 0 {
		t.Errorf("%+v, and the forecast has %+v", o, known)
	}
	if o.ListedBy < 2 || f[0].Nights[o.ListedBy].Vessels < 7900 || f[0].Nights[o.ListedBy-1].Vessels > 7990 {
		t.Errorf("listed by night %d, where the forecast has %d ships, and %d before", o.ListedBy, f[0].Nights[o.ListedBy].Vessels, f[0].Nights[o.ListedBy-1].Vessels)
	}
	if diff := cmp.Diff(f[0].Nights[1].Covered, o.Tonight); diff != "" {
		t.Error(diff)
	}
}

// TestAnOutlookSaysWhatIsNotReached tells of a deadline that is too short and of a cap that never reaches.
func TestAnOutlookSaysWhatIsNotReached(t *testing.T) {
	s, c := firstNights(20_000, 3)
	c.Job.Deadline = 10 * time.Minute
	if o := look(t, s, c); o.InTime || o.Tonight.whole() || o.Tonight.OfSweeps != 249 {
		t.Errorf("249 status searches take 17 minutes: %+v", o)
	}
	s, c = firstNights(20_000, 3)
	c.Job.Budget = 100
	if o := look(t, s, c); o.ListedBy != 0 || o.Listed > 0.9 || !o.InTime {
		t.Errorf("ten pages a night: %+v", o)
	}
	c.Job.List.By, c.Job.Sweep.Statuses = "none", nil
	if o := look(t, s, c); o.Tonight.OfParts+o.Tonight.OfSweeps != 0 || o.Complete != 0 {
		t.Errorf("a job that searches nothing: %+v", o)
	}
}
