package pipeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/transform"
)

// hostileCase is a behaviour of the service, and what the journal and the report must say of it.
type hostileCase struct {
	on     func(*call) bool // the requests that meet the behaviour
	does   func(*call)      // answers one of them
	meets  func(net.Conn)   // takes every connection, before a request is read; instead of on and does
	billed bool             // what meets the behaviour is billed as if the answer were honest
	bills  int              // more than the honest price, if that is
	tls    bool             // the client speaks TLS
	once   bool             // what meets the behaviour is not sent again
	tcp    bool             // the behaviour is also played over a socket of the kernel
	large  bool             // an answer is large: no other behaviour is played beside it, as beside none of a body

	answers string        // the distinct answers to what met the behaviour: status, outcome and charge
	ends    string        // state of the run, and why it ended early
	says    string        // a part of the reason, or of what is left out
	covered string        // how many partitions are in each state; "" is not compared, where the moment of the stop decides
	most    time.Duration // how long the run may take; 0 is 2 minutes
	fleet   func() []ship // the vessels that searches may list; nil is the honest fleet
}

// hostileTables are the behaviours, by what is wrong.
func hostileTables() map[string]hostileCase {
	all := map[string]hostileCase{}
	for _, table := range []map[string]hostileCase{hostileConnections(), hostileBodies(), hostileRefusals(), hostileValues()} {
		for name, c := range table {
			if _, twice := all[name]; twice {
				panic(name + " is in two tables")
			}
			all[name] = c
		}
	}
	return all
}

// Bounds of every run in the tables.
const (
	hostileDeadline = 3 * time.Hour
	hostileMost     = 2 * time.Minute
	hostileHeap     = 448 << 20 // with what the service itself takes, and what is not collected yet
)

// shortPatience is the patience of the client in TestHostileService: each of its tries takes the tests as much as the
// first. With FLEETLAKE_LONG it is the default.
func shortPatience() time.Duration {
	if os.Getenv("FLEETLAKE_LONG") != "" {
		return extract.DefaultPatience
	}
	return extract.DefaultPatience / 6
}

// patience is how long a run may take that waits for the service as long as it may, and endless how long
// one may take that waits first for the balance and then for the searches.
var (
	patience = shortPatience() + 5*time.Minute
	endless  = 2*shortPatience() + 10*time.Minute
)

// hostileJob asks for five pages of four partitions, three status searches and four lookups.
func hostileJob() plan.Job {
	return plan.Job{Name: "nightly", Location: time.UTC, Budget: 600, Deadline: hostileDeadline,
		List:   plan.List{By: "country", Countries: []string{"Malta", "Panama", "Cyprus", "Tonga"}},
		Sweep:  plan.Sweep{Statuses: []string{"moored"}, Zones: []string{"north-sea", "baltic-sea", "china-coast"}},
		Lookup: plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour, MaxRequests: 4}}
}

// hostileNight is a run against the hostile service.
type hostileNight struct {
	s       *hostile
	end     journal.End
	report  report.Report
	took    time.Duration
	entries []journal.Entry
	states  map[string]int
	log     string
	dir     string
}

// TestHostileService plays each behaviour in one small run at the documented limits, in virtual time. Each
// run ends by itself and in time, with the outcome that the table says; the ledger brackets the bill; the
// journal has every byte that the service sent of an answer, up to the limit of a body; no more than that
// was read; no other host was dialled; the key is nowhere; and no vessel is listed that the service does
// not have.
func TestHostileService(t *testing.T) {
	cases := hostileTables()
	if len(cases) < 120 {
		t.Errorf("%d behaviours, want at least 120", len(cases))
	}
	bodies := hostileBodies()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			if _, body := bodies[name]; !body && !cases[name].large {
				t.Parallel() // a run mostly waits for the disk; those that run at a time have the heap of one together
			}
			heap := newHeap()
			defer heap.stop()
			synctest.Test(t, func(t *testing.T) {
				n := playHostile(t, newHostile(t, cases[name]), extract.Service{Patience: shortPatience()}, heap)
				n.check(t)
				n.checkEnd(t)
			})
			if got := heap.most.Load(); got > hostileHeap {
				t.Errorf("the heap had %d MiB while the run took, want at most %d", got>>20, hostileHeap>>20)
			}
		})
	}
}

// TestHostileServiceOverTCP plays the behaviours that depend on a real connection over the sockets of the
// kernel, with a patience of a second: what the journal and the ledger say is the same.
func TestHostileServiceOverTCP(t *testing.T) {
	t.Parallel()
	played := 0
	for name, c := range hostileTables() {
		if !c.tcp {
			continue
		}
		played++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := map[string]int{}
			for _, o := range api.Operations {
				limits[o.Name] = 1_000_000
			}
			playHostile(t, newHostileOverTCP(t, c), extract.Service{Patience: time.Second, Timeout: 10 * time.Second, Limits: limits}, &heap{}).check(t)
		})
	}
	if played < 25 {
		t.Errorf("%d behaviours, want at least 25", played)
	}
}

// newHostileOverTCP serves a case at a port of this machine.
func newHostileOverTCP(t testing.TB, c hostileCase) *hostile {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t.(*testing.T), err)
	s := &hostile{t: t, fleet: ships(), c: c, listener: listener, dialled: (&net.Dialer{}).DialContext, balance: 1_000_000, open: map[net.Conn]bool{}, tcp: true}
	s.serving.Go(s.accept)
	return s
}

// playHostile runs the harvest half of a night, and reads what it left.
func playHostile(t *testing.T, s *hostile, bounds extract.Service, heap *heap) *hostileNight {
	t.Helper()
	stopped := sync.OnceFunc(s.stop)
	defer stopped()
	var log bytes.Buffer
	service := s.service()
	service.Patience, service.Timeout, service.Limits = bounds.Patience, bounds.Timeout, bounds.Limits
	n := &hostileNight{s: s, dir: t.TempDir()}
	p := &Pipeline{Dir: n.dir, Service: service, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	p.fill()
	start := time.Now()
	w := work{job: hostileJob(), account: credits.NewAccount(), started: start}
	w.decided = plan.Decide(w.job, plan.Inputs{Now: start, Balance: s.balance, BalanceKnown: true}, service.PerMinute)
	w.recorded = w.record(runID(start), start.UTC().Format(time.DateOnly), "test")
	segment, err := journal.Create(p.segments(), journal.Entry{Kind: journal.KindPlan, At: start.UTC(), Plan: &w.recorded})
	must(t, err)
	heap.watched.Store(true)
	err = p.harvest(t.Context(), w, segment)
	heap.watched.Store(false)
	must(t, err)
	n.took = time.Since(start)
	stopped()
	n.log = log.String()
	n.read(t, segment.Path())
	return n
}

// read reads the segment, as deriving does.
func (n *hostileNight) read(t *testing.T, path string) {
	t.Helper()
	sum, batch := report.NewSummary(), transform.NewBatch()
	for x, err := range journal.Exchanges(path) {
		must(t, err)
		sum.Add(x)
		batch.Add(x)
		n.entries = append(n.entries, x.Entry)
		if x.Kind == journal.KindEnd {
			n.end = *x.End
		}
	}
	n.report, n.states = sum.Report(), batch.States()
}

// check compares what the journal says with what the service did.
func (n *hostileNight) check(t *testing.T) {
	t.Helper()
	if got := n.answers(); got != n.s.c.answers {
		t.Errorf("the journal says %q, want %q", got, n.s.c.answers)
	}
	n.checkMoney(t)
	n.checkOnce(t)
	n.checkBytes(t)
	n.checkVessels(t)
	n.checkSecrets(t)
	if len(n.s.strangers) > 0 {
		t.Errorf("other hosts were dialled: %q", n.s.strangers)
	}
}

// checkEnd compares the end of the run with its case.
func (n *hostileNight) checkEnd(t *testing.T) {
	t.Helper()
	c := n.s.c
	if ends := strings.TrimSpace(n.end.State + " " + n.end.Stop); ends != c.ends {
		t.Errorf("ended %q, want %q: %s", ends, c.ends, n.end.Reason)
	}
	words := n.end.Reason + "\n" + strings.Join(n.end.LeftOut, "\n")
	if !strings.Contains(words, c.says) {
		t.Errorf("does not say %q: %.700s", c.says, words)
	}
	if len(n.end.Reason) > 600 || strings.ContainsFunc(n.end.Reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("the reason is no line for people: %.700q", n.end.Reason)
	}
	if (n.end.State == report.StateDone) != (n.end.Reason == "") {
		t.Errorf("%s for the reason %q", n.end.State, n.end.Reason)
	}
	// A search that waits for its turn while the service turns out to be away is not sent, and skipped.
	failed, skipped := n.states["failed"], n.states["skipped"]
	unsent := c.covered == "failed 7" && failed > 0 && failed+skipped == 7
	if got := n.covered(); c.covered != "" && got != c.covered && !unsent {
		t.Errorf("covered %q, want %q", got, c.covered)
	}
	if most := cmp.Or(c.most, hostileMost); n.took > most {
		t.Errorf("took %v, want at most %v", n.took, most)
	}
}

// covered lists how many partitions are in each state.
func (n *hostileNight) covered() string {
	var states []string
	for _, state := range slices.Sorted(maps.Keys(n.states)) {
		states = append(states, fmt.Sprintf("%s %d", state, n.states[state]))
	}
	return strings.Join(states, ", ")
}

// pairs calls f with each request that the service read and its answer in the journal: the requests of a
// key follow each other, but for those of the balance, which two lanes may ask for at once.
func (n *hostileNight) pairs(f func(*call, journal.Entry)) {
	next := map[string][]journal.Entry{}
	for _, e := range n.entries {
		if e.Kind == journal.KindAnswer || e.Kind == journal.KindBalance {
			key := api.Key(e.Operation, e.Parameters)
			next[key] = append(next[key], e)
		}
	}
	for _, q := range n.s.calls {
		key := api.Key(q.operation, q.parameters)
		if len(next[key]) > 0 {
			i := max(0, slices.IndexFunc(next[key], func(e journal.Entry) bool {
				body, err := e.RawBody()
				return e.Kind != journal.KindBalance || q.kept == nil || err == nil && body == *q.kept
			}))
			f(q, next[key][i])
			next[key] = slices.Delete(next[key], i, i+1)
		}
	}
}

// answers lists the distinct answers to what met the behaviour.
func (n *hostileNight) answers() string {
	found := map[string]bool{}
	note := func(e journal.Entry) {
		text := fmt.Sprintf("%d %s %s", e.Status, e.Outcome, e.Charge)
		if e.Kind == journal.KindBalance { // its charge is that of other requests
			text = fmt.Sprintf("credits %d %s", e.Status, e.Outcome)
		}
		found[text] = true
	}
	if n.s.c.meets != nil {
		for _, e := range n.entries {
			if e.Kind == journal.KindAnswer || e.Kind == journal.KindBalance {
				note(e)
			}
		}
	}
	n.pairs(func(q *call, e journal.Entry) {
		if q.hostile {
			note(e)
		}
	})
	return strings.Join(slices.Sorted(maps.Keys(found)), "; ")
}

// checkMoney compares the ledger with the service's own.
func (n *hostileNight) checkMoney(t *testing.T) {
	t.Helper()
	c := n.report.Credits
	if billed := n.s.billed; billed > c.Spent || billed < c.Spent-c.Unknown {
		t.Errorf("billed %d, and the ledger says %d, of which %d are unknown", billed, c.Spent, c.Unknown)
	}
	if c.Spent > c.Planned {
		t.Errorf("spent %d, and the plan said at most %d", c.Spent, c.Planned)
	}
	bought := map[string]int{}
	for _, e := range n.entries {
		if e.OK() {
			if bought[api.Key(e.Operation, e.Parameters)]++; bought[api.Key(e.Operation, e.Parameters)] > 1 {
				t.Errorf("%s %s was bought twice", e.Operation, e.Parameters)
			}
		}
	}
}

// checkOnce counts how often each request was sent that met the behaviour, where that is to be once.
func (n *hostileNight) checkOnce(t *testing.T) {
	t.Helper()
	sent, met := map[string]int{}, 0
	for _, q := range n.s.calls {
		sent[api.Key(q.operation, q.parameters)]++
	}
	for _, q := range n.s.calls {
		if n.s.c.once && q.hostile {
			met++
			if key := api.Key(q.operation, q.parameters); sent[key] != 1 {
				t.Errorf("%s was sent %d times", key, sent[key])
			}
		}
	}
	if n.s.c.once && met == 0 {
		t.Error("no request met the behaviour")
	}
}

// Limits of a body in the interface of extract, and what may be read beyond them.
const (
	mostOfSweep = 8 << 20
	mostOfOther = 1 << 20
	readBeyond  = 192 << 10 // heads, buffers and what a packing adds
)

// checkBytes compares the bodies in the journal with what the service sent.
func (n *hostileNight) checkBytes(t *testing.T) {
	t.Helper()
	lost := 0
	n.pairs(func(q *call, e journal.Entry) {
		body, err := e.RawBody()
		must(t, err)
		if e.Kind == journal.KindBalance && e.Status == 0 {
			return // the run ended before, and did not wait for a free answer
		}
		if q.kept != nil && body != *q.kept {
			if lost++; lost > 1 {
				return // one of a kind is enough
			}
			t.Errorf("%s %s: the journal has %d bytes of %d: %.200q, want %.200q", e.Operation, e.Parameters, len(body), len(*q.kept), body, *q.kept)
		}
		most := mostOfOther
		if q.operation == "by-status" {
			most = mostOfSweep
		}
		if q.sent > most+readBeyond && !n.s.tcp { // a kernel takes more than the client reads
			t.Errorf("%s %s: %d bytes were read", e.Operation, e.Parameters, q.sent)
		}
	})
}

// checkVessels compares the vessels that the answers list with the fleet.
func (n *hostileNight) checkVessels(t *testing.T) {
	t.Helper()
	fleet := n.s.fleet
	if n.s.c.fleet != nil {
		fleet = n.s.c.fleet()
	}
	known := map[string]bool{}
	for _, v := range fleet {
		known[v.imo+" "+v.mmsi+" "+v.name+" "+v.country] = true
	}
	reader, strange := transform.NewSearchReader(), []string{}
	for _, e := range n.entries {
		if !e.OK() {
			continue
		}
		reader.Each(e, func(v transform.Listed) {
			if is := fmt.Sprint(v.IMO, " ", v.MMSI, " ", v.Name, " ", v.Country); !known[is] {
				strange = append(strange, is)
			}
		})
	}
	if len(strange) > 0 {
		t.Errorf("%d vessels are listed that are not there, the first %q", len(strange), strange[0])
	}
}

// checkSecrets looks for the key in the journal, in the log and in every file.
func (n *hostileNight) checkSecrets(t *testing.T) {
	t.Helper()
	search := func(where string, text []byte) {
		if bytes.Contains(text, []byte(hostileKey)) {
			t.Errorf("%s has the key", where)
		}
	}
	search("the log", []byte(n.log))
	for _, e := range n.entries {
		body, err := e.RawBody()
		must(t, err)
		search(fmt.Sprint("the body of entry ", e.N), []byte(body))
		e.SetBody(nil) // which may be large, and is searched
		line, err := json.Marshal(e)
		must(t, err)
		search(fmt.Sprint("entry ", e.N), line)
	}
	must(t, filepath.WalkDir(n.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		search(path, content)
		return err
	}))
}

// heap samples the live heap while it is watched.
type heap struct {
	watched atomic.Bool
	most    atomic.Uint64
	stop    func()
}

// newHeap starts to sample, by the clock of the machine: a bubble has another.
func newHeap() *heap {
	runtime.GC()
	h := &heap{}
	done := make(chan struct{})
	var sampling sync.WaitGroup
	h.stop = func() { close(done); sampling.Wait() }
	sampling.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if metrics.Read(sample); h.watched.Load() {
				h.most.Store(max(h.most.Load(), sample[0].Value.Uint64()))
			}
		}
	})
	return h
}
