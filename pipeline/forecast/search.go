package forecast

import (
	"math"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// searched is what the searches of a night did.
type searched struct {
	list, sweeps int     // requests that were billed
	covered      Covered // the searches that were made to their last page
	urgent       []int32 // vessels that are new on the list, or listed as changed, in this order
}

func (s searched) credits() int {
	return s.list*api.ByType.Credits + s.sweeps*api.ByStatus.Credits
}

// search makes the searches of a plan, by the decisions that a run makes of partitions that turn out longer or shorter
// than planned, and of searches that wait for credits.
func (m *simulation) search(d plan.Plan, now time.Time) (s searched) {
	s.covered = searchesOf(d)
	read := map[string][]float64{} // the share of each partition that was read, by kind
	for _, p := range d.Buy(m.scenario.Job, m.pages) {
		if p.Lane == api.ByStatus {
			s.sweeps += p.Pages
			s.covered.Sweeps++
			swept := keyed(p.Sweep.Partition())
			m.world.cover(api.ByStatus.Name, swept, m.world.sweeps[swept], now)
			continue
		}
		s.list += p.Pages
		if m.read(read, p, now) {
			s.covered.Partitions++
		}
	}
	left := d.Allowance.Limit.Plus(-d.Kept - s.credits())
	take := func(pages, credits int) int {
		if n, limited := left.Get(); limited {
			pages = min(pages, n/credits)
		}
		left = left.Plus(-pages * credits)
		return pages
	}
	m.check(d, read, take, &s, now)
	m.find(read, &s, now)
	return s
}

// pages returns how many pages of a partition are billed: an empty one costs nothing.
func (m *simulation) pages(p plan.Partition) int {
	k := m.world.kinds[p.Name().Kind]
	return plan.Pages(k.sizes[k.place[keyed(p.Name())]])
}

// read adds the pages of a partition to the share of it that was read. One that was read whole is covered, and it
// reports whether it is.
func (m *simulation) read(read map[string][]float64, p plan.Purchase, now time.Time) (whole bool) {
	kind := p.Partition.Name().Kind
	k := m.world.kinds[kind]
	place := k.place[keyed(p.Partition.Name())]
	if read[kind] == nil {
		read[kind] = make([]float64, len(k.sizes))
	}
	size := k.sizes[place]
	share := &read[kind][place]
	*share += float64(p.Pages) / float64(max(1, plan.Pages(size)))
	if whole = size == 0 || *share > 1-1e-9; whole {
		*share = 1
		m.world.cover(api.ByType.Name, keyed(p.Partition.Name()), size, now)
	}
	return whole
}

// searchesOf counts the searches of a plan, those included that it has no credits or no time for.
func searchesOf(d plan.Plan) (c Covered) {
	c.OfParts, c.OfSweeps = len(d.Cover), len(d.Sweeps)
	if len(d.Cover) > 0 {
		c.Kind = d.Cover[0].Name().Kind
	}
	for _, w := range d.Waiting {
		if w.Lane.Name == api.ByStatus.Name {
			c.OfSweeps++
			continue
		}
		c.OfParts++
		c.Kind = w.Partition.Name().Kind
	}
	for _, l := range d.LeftOut {
		switch {
		case l.Why != plan.NoTime:
		case l.What == plan.PartitionsOfList:
			c.OfParts += l.Count
		case l.What == plan.StatusSearches:
			c.OfSweeps += l.Count
		}
	}
	return c
}

// check compares the other kind with a list that was read completely.
func (m *simulation) check(d plan.Plan, read map[string][]float64, take func(int, int) int, s *searched, now time.Time) {
	for _, shares := range read {
		for _, share := range shares {
			if share < 1 {
				return
			}
		}
	}
	if len(read) == 0 {
		return
	}
	for _, p := range d.Checks {
		k := m.world.kinds[p.Name().Kind]
		size := k.sizes[k.place[keyed(p.Name())]]
		if size > 0 && take(1, api.ByType.Credits) == 0 {
			continue
		}
		s.list += min(size, 1)
		m.world.cover(api.ByType.Name, keyed(p.Name()), size, now)
	}
}

// find makes vessels that the searches of a night list known: new ones, those that changed, and those
// that left the list.
func (m *simulation) find(read map[string][]float64, s *searched, now time.Time) {
	swept := math.Min(1, m.world.seen*float64(s.sweeps)/math.Max(1, float64(len(m.world.sweeps))))
	on := func(places func(kind string) uint16) bool {
		for kind, shares := range read {
			if p := places(kind); p != nowhere && shares[p] > 0 && (shares[p] >= 1 || m.random.Float64() < shares[p]) {
				return true
			}
		}
		return false
	}
	listed := func(i int32) bool { return on(func(kind string) uint16 { return m.places[kind][i] }) }
	rest := m.hidden[:0]
	for _, h := range m.hidden {
		if on(func(kind string) uint16 { return h.places[kind] }) || m.random.Float64() < swept {
			s.urgent = append(s.urgent, m.add(h, now))
		} else {
			rest = append(rest, h)
		}
	}
	m.hidden = rest
	m.changed = filter(m.changed, func(i int32) bool {
		if !listed(i) {
			return true
		}
		m.change(i, s, now)
		return false
	})
	m.left = filter(m.left, func(i int32) bool {
		if !listed(i) {
			return true
		}
		if m.counts(int(i)) {
			m.listed--
		}
		m.targets[i].Listed = false
		return false
	})
}

// change records a change of a registration that the list reports. It makes a lookup urgent if the vessel
// was looked up some time ago.
func (m *simulation) change(i int32, s *searched, now time.Time) {
	t := &m.targets[i]
	if now.Sub(t.ChangedAt) < 7*24*time.Hour {
		t.Versions++
	} else {
		t.Versions = 1
	}
	t.ChangedAt = now
	m.state[i] &^= stale
	if len(m.scenario.Job.Lookup.Want) == 0 {
		return
	}
	at := plan.SeenAt(m.scenario.Job.Lookup, *t)
	if !at.IsZero() && plan.Steady(*t, now.Sub(at)) {
		s.urgent = append(s.urgent, i)
	}
}

func filter(all []int32, keep func(int32) bool) []int32 {
	kept := all[:0]
	for _, i := range all {
		if keep(i) {
			kept = append(kept, i)
		}
	}
	return kept
}
