package pipeline

import (
	"errors"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

// TestTheSearchesFeedTheLookups checks the lanes of a harvest: both searches add lookups, so that the
// lookups are drained last, and progress names the lanes in the order of the operations.
func TestTheSearchesFeedTheLookups(t *testing.T) {
	for name, c := range map[string]struct {
		lookup plan.Lookup
		want   []string
	}{
		"particulars": {plan.Lookup{Want: []string{"particulars"}}, []string{"by-status feeds", "by-type feeds", "particulars"}},
		"profiles":    {plan.Lookup{Want: plan.Datasets}, []string{"by-status feeds", "by-type feeds", "info"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := work{job: plan.Job{Lookup: c.lookup}}
			h := &harvest{work: w, listing: newListing(w.decided, false), sweep: newQueue(), lookups: newLookups(w)}
			var got []string
			for _, l := range h.lanesOfRun() {
				name := l.operation.Name
				if l.feeds == h.lookups.queue {
					name += " feeds"
				}
				got = append(got, name)
				if (l.queue == h.lookups.queue) != (l.operation != api.ByStatus && l.operation != api.ByType) {
					t.Errorf("the lane %s has another lane's queue", name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("lanes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestALookupThatIsAnsweredTakesNoRoom lists a vessel again that an earlier run of the night has looked up and
// that is not published yet: the room, which is without that lookup, is left for the next vessel.
func TestALookupThatIsAnsweredTakesNoRoom(t *testing.T) {
	answered := map[string]plan.PastAnswer{api.Lookup(api.Particulars, "9218301").Key(): {}, api.Lookup(api.Particulars, "306256000").Key(): {}}
	w := work{job: plan.Job{Lookup: plan.Lookup{Want: []string{"particulars"}}}, decided: plan.Plan{Room: 1}, before: resumeState{answered: answered, lookups: 2}}
	l := newLookups(w)
	for _, v := range []transform.Listed{{IMO: 9218301, MMSI: 306256001}, {MMSI: 306256000}, {IMO: 9074729}} {
		l.observe(v, api.Sweep{})
	}
	if r, ok := l.pop(t.Context()); !ok || r.Key() != api.Lookup(api.Particulars, "9074729").Key() || l.left() > 0 || l.noRoom > 0 {
		t.Errorf("the room is given to %s, %d more wait and %d have no room", r.Key(), l.left(), l.noRoom)
	}
}

// TestABrokenDiskIsNamedOnce stops a run for what several requests in flight met.
func TestABrokenDiskIsNamedOnce(t *testing.T) {
	var h harvest
	first := errors.New("write a: input/output error")
	for _, err := range []error{first, errors.New("sync a: input/output error"), first} {
		h.stopRun(err)
	}
	if h.broken != first {
		t.Errorf("got %v, want %v", h.broken, first)
	}
}
