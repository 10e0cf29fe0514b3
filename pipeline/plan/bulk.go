package plan

import (
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// The bulk location search asks for the positions of up to api.MostInBulk vessels at once. What its answers have is not
// documented: the first request shows it, and further ones are made if it had positions. What a request costs is not
// documented either: it counts at its ceiling, and is made where it names more vessels than lookups of that price do.

// fitBulk asks by the bulk location search for positions that are due, the most valuable first, and takes their vessels
// from the lookups. A vessel that the last such answer about it left out is looked up instead. most bounds the requests. It
// returns the credits that are left.
func (d *Plan) fitBulk(job Job, f Inputs, budget credits.Limit, room, most int) credits.Limit {
	bulk := job.Lookup.Bulk
	if bulk == nil || f.Bulk == inputs.BulkIsOpaque {
		return budget
	}
	due := &d.due.positions
	if job.Lookup.Operation() == PositionAlone {
		due = &d.due.vessels
	}
	asked := slices.DeleteFunc(slices.Clone(*due), func(one dueLookup) bool {
		t := &f.Targets[one.target]
		return f.Asked[api.Key(bulk.Name, t.Number())].After(t.PositionAt)
	})
	n := len(asked) / api.MostInBulk
	if len(asked)%api.MostInBulk*PositionAlone.Credits > bulk.Credits {
		n++
	}
	if api.MostInBulk*PositionAlone.Credits <= bulk.Credits {
		n = 0
	}
	if f.Bulk == inputs.BulkUntried {
		n = min(n, 1)
	}
	n = min(n, room, most)
	if left, limited := budget.Get(); limited && bulk.Credits > 0 {
		n = min(n, left/bulk.Credits)
	}
	if n <= 0 {
		return budget
	}
	d.InBulk = best(asked, n*api.MostInBulk, f.Targets)
	q := Questions{Operation: *bulk}
	for group := range slices.Chunk(d.InBulk, api.MostInBulk) {
		if r, err := bulk.Request(map[string]string{"vessels": strings.Join(group, ",")}); err == nil {
			q.Requests = append(q.Requests, r)
		}
	}
	d.Questions = append(d.Questions, q)
	chosen := numbers{map[int]bool{}, map[string]bool{}}
	for _, number := range d.InBulk {
		chosen.add(number)
	}
	*due = slices.DeleteFunc(*due, func(one dueLookup) bool { return chosen.has(&f.Targets[one.target]) })
	cost := n * bulk.Credits
	d.asked += cost
	d.Kept = max(0, d.Kept-cost)
	return budget.Plus(-cost)
}

// addInBulk adds the vessels that a bulk location search of the night has named.
func (n numbers) addInBulk(bulk *api.RawOperation, tonight map[string]PastAnswer) {
	if bulk == nil {
		return
	}
	prefix := api.Key(bulk.Name, "")
	for key := range tonight {
		if parameters, ok := strings.CutPrefix(key, prefix); ok {
			for _, number := range NumbersIn(parameters) {
				n.add(number)
			}
		}
	}
}
