package credits

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// harvest is a random night: a service whose prices are known when it answers, and lanes that send what the arbiter
// lets them. It keeps its own account, and checks each decision against it by trying everything that may still happen.
type harvest struct {
	t     *testing.T
	r     *rand.Rand
	a     *Arbiter
	limit int
	share int

	wanted  map[int]*wanted // searches by id, from when they ask
	queues  map[api.Operation][]try
	air     []try
	stuck   map[api.Operation]*try // a request that waits for its turn, by lane
	ended   map[api.Operation]bool
	again   map[api.Operation]int // credits kept for further tries
	sure    int                   // credits
	unknown int                   // counted, and may not have been billed
	lied    int                   // the part of unknown that was not billed
	lost    int                   // the part of unknown of which no balance will tell
	made    int                   // credits that lookups reserved
	expects int                   // credits for checks
	news    int                   // searches that still ask late
}

// wanted is a search and what became of it.
type wanted struct {
	Search
	pages   int // that it really has
	granted bool
	dropped bool
	priced  bool
	left    int // credits granted and not reserved
}

// try is a request.
type try struct {
	o     api.Operation
	of    *wanted // nil for a lookup
	tries int
}

func newHarvest(t *testing.T, seed uint64) *harvest {
	r := rand.New(rand.NewPCG(seed, 11))
	n := &harvest{t: t, r: r, limit: r.IntN(200), wanted: map[int]*wanted{}, queues: map[api.Operation][]try{}, stuck: map[api.Operation]*try{},
		ended: map[api.Operation]bool{}, again: map[api.Operation]int{}, news: r.IntN(4)}
	n.share = n.limit / 10 * r.IntN(2)
	n.a = NewArbiter(AtMost(n.limit), n.share)
	for range r.IntN(6) {
		n.ask(true)
	}
	for range r.IntN(6) {
		n.ask(false)
	}
	o := []api.Operation{api.Location, api.Particulars, api.Info}[r.IntN(3)]
	for range r.IntN(30) {
		n.queues[o] = append(n.queues[o], try{o: o})
	}
	n.expects = r.IntN(3) * 10
	n.a.Expect(n.expects)
	n.decide()
	return n
}

// ask adds a random search: a partition of some pages, of which it may really have fewer or more, or a status search.
func (n *harvest) ask(planned bool) {
	w := &wanted{Search: Search{ID: len(n.wanted), Lane: api.ByStatus, Planned: planned, Most: 10, Worth: float64(n.r.IntN(5))}, pages: 1, priced: true}
	if n.r.IntN(2) == 0 {
		pages := 1 + n.r.IntN(4)
		w.Lane, w.Most, w.Returns, w.Grows, w.pages, w.priced = api.ByType, pages*10, pages*10, 10, max(0, pages+n.r.IntN(4)-2), false
	}
	n.wanted[w.ID] = w
	n.a.Ask(w.Search)
}

// counted is the account.
func (n *harvest) counted() int { return n.sure + n.unknown }

func (n *harvest) reserved() (credits int) {
	for _, t := range n.air {
		credits += t.o.Credits
	}
	return credits
}

// granted is what searches have a right to.
func (n *harvest) granted(lane api.Operation) int {
	credits := n.again[lane]
	for _, w := range n.wanted {
		if w.Lane == lane && w.granted {
			credits += w.left
		}
	}
	return credits
}

// kept is the rest of the share of lookups, in whole ones that wait.
func (n *harvest) kept() (credits int) {
	for o, q := range n.queues {
		if waiting := len(q) + n.isStuck(o); o.IsLookup() && !n.ended[o] {
			credits += min(max(0, n.share-n.made)/o.Credits, waiting) * o.Credits
		}
	}
	return credits
}

func (n *harvest) isStuck(o api.Operation) int {
	if t := n.stuck[o]; t != nil && t.tries == 0 {
		return 1
	}
	return 0
}

// free is what no one has a right to.
func (n *harvest) free() int {
	return n.limit - n.counted() - n.reserved() - n.granted(api.ByType) - n.granted(api.ByStatus) - n.kept()
}

// back is the most that searches may still return because their first pages are not answered.
func (n *harvest) back() (credits int) {
	for _, w := range n.wanted {
		if w.granted && !w.priced {
			credits += w.Returns
		}
	}
	return credits
}

func (n *harvest) hope() int { return n.unknown - n.lost }

// better reports whether a search comes before another.
func better(a, b *wanted) bool {
	if a.Planned != b.Planned {
		return a.Planned
	}
	return a.Worth > b.Worth && !a.Planned || a.ID < b.ID && (a.Planned || a.Worth == b.Worth)
}

// decide carries out a decision, and checks each part of it.
func (n *harvest) decide() {
	for {
		for _, o := range api.Searches {
			idle := n.isIdle(o)
			if n.a.Idle(o, idle); idle {
				n.forget(o)
			}
		}
		for o, q := range n.queues {
			if o.IsLookup() && !n.ended[o] {
				n.a.Lookups(o, len(q)+n.isStuck(o))
			}
		}
		d := n.a.Decide()
		for _, id := range d.Granted {
			n.start(n.wanted[id])
		}
		for _, w := range n.wanted {
			if n.waits(w) && w.Most <= n.free() && n.blocking(w) == nil && len(d.Granted) == 0 && !isDropped(d, w.ID) {
				n.t.Fatalf("%+v waits, and %d credits are free", *w, n.free())
			}
		}
		for _, drop := range d.Dropped {
			n.drop(n.wanted[drop.ID], drop.Why)
		}
		if len(d.Granted)+len(d.Dropped) == 0 {
			return
		}
	}
}

func isDropped(d Decision, id int) bool {
	return slices.ContainsFunc(d.Dropped, func(drop Drop) bool { return drop.ID == id })
}

// blocking returns a better search that waits and may still fit, because others may turn out cheaper.
func (n *harvest) blocking(than *wanted) *wanted {
	for _, w := range n.wanted {
		if w != than && n.waits(w) && (than == nil || better(w, than)) && n.back() > 0 && w.Most-n.back() <= n.free() {
			return w
		}
	}
	return nil
}

func (n *harvest) waits(w *wanted) bool { return !w.granted && !w.dropped && !n.ended[w.Lane] }

func (n *harvest) start(w *wanted) {
	if w.Most > n.free() {
		n.t.Fatalf("%+v is granted, and %d credits are free", *w, n.free())
	}
	if b := n.blocking(w); b != nil {
		n.t.Fatalf("%+v is granted before %+v, which may still fit", *w, *b)
	}
	for _, b := range n.wanted {
		if b != w && n.waits(b) && better(b, w) && b.Most <= n.free() {
			n.t.Fatalf("%+v is granted before %+v, which fits", *w, *b)
		}
	}
	w.granted, w.left = true, w.Most
	for range w.Most / 10 {
		n.queues[w.Lane] = append(n.queues[w.Lane], try{o: w.Lane, of: w})
		if !w.priced {
			break // the first page says how many there are
		}
	}
}

// drop checks that nothing that may still happen would pay for a search.
func (n *harvest) drop(w *wanted, why Why) {
	w.dropped = true
	if why == LaneEnded {
		return
	}
	lookups := len(n.air) > 0
	for o, q := range n.queues {
		lookups = lookups || o.IsLookup() && !n.ended[o] && len(q)+n.isStuck(o) > 0 && n.kept() >= o.Credits && n.counted()+o.Credits <= n.limit
	}
	possible := n.free() + n.hope()
	if lookups {
		possible = max(possible, n.limit-n.counted()+n.hope())
	}
	if w.Most <= possible || !n.isDone(api.ByType) || !n.isDone(api.ByStatus) {
		n.t.Fatalf("%+v is dropped, and %d credits may be free", *w, possible)
	}
}

func (n *harvest) isDone(o api.Operation) bool { return n.ended[o] || n.isIdle(o) }

func (n *harvest) isIdle(o api.Operation) bool {
	return len(n.queues[o]) == 0 && n.stuck[o] == nil && n.again[o] == 0 && !slices.ContainsFunc(n.air, func(t try) bool { return t.o == o })
}

// forget takes back what a lane was granted and has no requests for.
func (n *harvest) forget(o api.Operation) {
	for _, w := range n.wanted {
		if w.Lane == o && w.granted {
			w.left, w.priced = 0, true
		}
	}
}
