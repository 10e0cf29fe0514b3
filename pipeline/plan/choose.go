package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// dueLookup is a vessel that is due for a lookup: its place in the targets, and its score.
type dueLookup struct {
	target int32
	waited time.Duration
	total  float64
}

// dueLookups are the lookups that are due.
type dueLookups struct {
	vessels   []dueLookup // in the order of the targets
	positions []dueLookup // of watched vessels of which only the position is due
	unknown   []string    // watched numbers that no target has, and that are due
}

// due returns what is due and can be looked up.
func due(job Job, f Inputs) (d dueLookups) {
	if len(job.Lookup.Want) == 0 {
		return d
	}
	s, without, recent := newScorer(job, f), notLookedUp(job.Lookup.Operation(), f), 0
	located, met := numbers{}, map[string]bool{}
	if len(s.rest) > 0 {
		located = notLookedUp(PositionAlone, f)
		located.addInBulk(job.Lookup.Bulk, f.Tonight)
	} else if job.Lookup.Operation() == PositionAlone {
		without.addInBulk(job.Lookup.Bulk, f.Tonight)
	}
	d.vessels = make([]dueLookup, 0, len(f.Targets))
	for i := range f.Targets {
		t := &f.Targets[i]
		oldest := oldestOf(s.want, t)
		recent += s.recent(oldest)
		if t.IMO == 0 && (t.MMSI == "" || anothersNumber(f.Targets, i)) {
			continue
		}
		r := s.reasons(t, oldest)
		if r.watched {
			met[t.Number()], met[t.MMSI] = true, true
		}
		switch {
		case !r.due || without.has(t):
		case !r.positionAlone:
			d.vessels = append(d.vessels, dueLookup{int32(i), r.waited, r.total()})
		case !located.has(t):
			d.positions = append(d.positions, dueLookup{int32(i), r.waited, f.Now.Sub(t.PositionAt).Hours()})
		}
	}
	s.longest = s.longestWait(recent, len(f.Targets))
	for i := range d.vessels {
		d.vessels[i].total += worthOverdue * overdue(d.vessels[i].waited, s.longest)
		d.vessels[i].total /= s.credits
	}
	for _, number := range job.Lookup.Watch {
		if n, err := strconv.Atoi(number); err == nil && f.Answered[n] {
			continue
		}
		if !met[number] && !without.mmsi[number] {
			d.unknown = append(d.unknown, number)
			met[number] = true
		}
	}
	return d
}

// anothersNumber reports whether a vessel without an IMO number has an MMSI that was given again. The targets are in
// the order of their ids, and the vessel that has the MMSI now is the last of them: a lookup can ask for her alone.
func anothersNumber(targets []inputs.Target, i int) bool {
	return i+1 < len(targets) && targets[i+1].IMO == 0 && targets[i+1].MMSI == targets[i].MMSI
}

// numbers are IMO and MMSI numbers. IMO numbers are kept as numbers, so that a fleet is compared with
// them without writing each as a text.
type numbers struct {
	imo  map[int]bool
	mmsi map[string]bool
}

// notLookedUp returns the numbers that the service recently did not know, and those that the runs of
// the night have an answer to.
func notLookedUp(o api.Operation, f Inputs) numbers {
	n := numbers{map[int]bool{}, map[string]bool{}}
	for number := range f.Refused {
		n.add(number)
	}
	prefix := api.Lookup(o, "").Key()
	for key := range f.Tonight {
		if number, ok := strings.CutPrefix(key, prefix); ok {
			n.add(number)
		}
	}
	return n
}

func (n numbers) add(number string) {
	n.mmsi[number] = true
	if imo, err := strconv.Atoi(number); err == nil && strconv.Itoa(imo) == number {
		n.imo[imo] = true
	}
}

// has reports whether the number that t is looked up by is one of them.
func (n numbers) has(t *inputs.Target) bool {
	if t.IMO != 0 {
		return len(n.imo) > 0 && n.imo[t.IMO]
	}
	return n.mmsi[t.MMSI]
}

// best returns the numbers of the n vessels with the highest scores, the highest first; of equal ones those that come
// first in the targets, which a first night has by the hundred thousand. It reorders all.
func best(all []dueLookup, n int, targets []inputs.Target) []string {
	order := func(a, b dueLookup) int {
		if a.total != b.total {
			return cmp.Compare(b.total, a.total)
		}
		return cmp.Compare(a.target, b.target)
	}
	n = min(n, len(all))
	selectFirst(all, n, order)
	slices.SortFunc(all[:n], order)
	ids := make([]string, n)
	for i, one := range all[:n] {
		ids[i] = targets[one.target].Number()
	}
	return ids
}

// selectFirst moves the n first in an order to the front: to sort all of them would take many times
// longer.
func selectFirst[T any](all []T, n int, order func(a, b T) int) {
	for low, high := 0, len(all); n > low && n < high && high-low > 1; {
		pivot := median(all[low], all[(low+high)/2], all[high-1], order)
		left, right := low, high-1
		for left <= right {
			for order(all[left], pivot) < 0 {
				left++
			}
			for order(all[right], pivot) > 0 {
				right--
			}
			if left <= right {
				all[left], all[right] = all[right], all[left]
				left, right = left+1, right-1
			}
		}
		switch {
		case n <= right+1:
			high = right + 1
		case n >= left:
			low = left
		default:
			return
		}
	}
}

// median is the middle one of three.
func median[T any](a, b, c T, order func(a, b T) int) T {
	three := []T{a, b, c}
	slices.SortFunc(three, order)
	return three[1]
}
