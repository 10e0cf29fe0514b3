package transform

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/jsontext"
)

// Batch turns the exchanges of one segment into the rows of the lake tables.
//
// It keeps rows, not answers: about 65 bytes for a vessel of a search, and two kilobytes for a profile.
type Batch struct {
	mem  memory.Allocator
	run  string
	date time.Time // of the snapshot; zero until the plan says it

	checks bool // the plan has checks: partitions of which only the total is compared

	asked     api.Partition // that the answer which is read was asked for; none for another search
	elsewhere int           // vessels of the answer that are of another partition

	words               vocabulary
	pages               []page // answers of searches, which their rows name
	sweeps              []api.Sweep
	sweepNumbers        map[api.Sweep]uint32
	listings, sightings searchRows
	particulars         facts
	engines             facts
	managements         facts
	positions           facts // and the voyages in the same answers
	raws                []rawAnswer
	rawVessel           map[string]string // of raw operations: the parameter that names a vessel

	issues   []issue
	requests []request
	coverage coverage
	covered  []coverageRow // the table of coverage; nil until coverageRows is called
	refused  []byte        // scratch

	withdrawn map[partitionKey]bool // partitions of the list whose values the service accepts no more
}

// NewBatch returns an empty batch.
func NewBatch() *Batch {
	return &Batch{
		mem:          memory.DefaultAllocator,
		words:        newVocabulary(),
		sweeps:       make([]api.Sweep, 1),
		sweepNumbers: map[api.Sweep]uint32{{}: 0},
		listings:     newSearchRows(api.ByType, ofRegistration, allFields...),
		sightings:    newSearchRows(api.ByStatus, ofSighting, fieldName, fieldCountry, fieldIMO, fieldMMSI, fieldShipType),
		coverage:     coverage{},
		rawVessel:    map[string]string{},
	}
}

// AddEarlier adds an entry of an earlier run of the same night. It counts for coverage only:
// the batch of that run has its rows.
func (b *Batch) AddEarlier(e journal.Entry) {
	b.covered = nil
	switch e.Kind {
	case journal.KindPlan:
		if e.Plan != nil {
			b.plan(e.Plan, false)
		}
	case journal.KindAnswer:
		r, ok := b.searchRows(e.Operation)
		if !ok {
			return
		}
		pages, rows, issues := len(b.pages), r.rows.n, len(b.issues)
		b.observe(&e, b.answerOf(&e))
		b.pages, r.rows.n, b.issues = b.pages[:pages], rows, b.issues[:issues]
	}
}

// Add adds an exchange of the segment. The first is the plan: it has the run id and the date. An intent
// is a request without an answer.
func (b *Batch) Add(x journal.Exchange) {
	b.covered = nil
	switch e := &x.Entry; e.Kind {
	case journal.KindPlan:
		if e.Plan == nil {
			return
		}
		b.run = e.Plan.Run
		if t, err := time.Parse(time.DateOnly, e.Plan.Date); err == nil {
			b.date = t
		}
		b.plan(e.Plan, true)
	case journal.KindIntent:
		b.coverage.observe(e.Operation, e.Parameters, observation{outcome: "unknown", at: e.At})
		b.requests = append(b.requests, unanswered(e))
	case journal.KindAnswer, journal.KindBalance:
		o := b.observe(e, b.answerOf(e))
		r := requestOf(e, o.contents.Rows)
		if api.IsLookup(e.Operation) && e.OK() && o.usable && o.contents.Rows == 0 {
			r.outcome = "empty" // the harvest only looked for keys: every field may be empty
		}
		b.requests = append(b.requests, r)
	}
}

// plan adds the partitions that a run planned.
func (b *Batch) plan(p *journal.Plan, own bool) {
	b.planRaw(p.Raw)
	b.checks = b.checks || slices.ContainsFunc(p.Partitions, func(p journal.Partition) bool { return p.Check })
	b.coverage.plan(p, own)
}

// answerOf returns the answer that the rows of an entry come from.
func (b *Batch) answerOf(e *journal.Entry) answer {
	seen := e.Received
	if seen.IsZero() {
		seen = e.At
	}
	night := b.date
	if night.IsZero() {
		night = seen.UTC()
	}
	return answer{entry: e.N, operation: e.Operation, parameters: e.Parameters, seen: seen.UnixMicro(), year: night.Year()}
}

// searchRows returns the rows of a search; false for an operation that is no search.
func (b *Batch) searchRows(operation string) (*searchRows, bool) {
	switch o, _ := api.OperationNamed(operation); {
	case o.Has("registration"):
		return &b.listings, true
	case o.Has("sighting"):
		return &b.sightings, true
	}
	return nil, false
}

// observe reads an answer, adds it to the coverage, and returns what it has.
func (b *Batch) observe(e *journal.Entry, at answer) observation {
	o := observation{outcome: e.Outcome, at: e.Received}
	if o.at.IsZero() {
		o.at = e.At
	}
	r, isSearch := b.searchRows(e.Operation)
	kept := 0
	if isSearch {
		kept = r.rows.n
	}
	switch {
	case e.Outcome == "probe":
		b.withdraw(e)
	case !e.OK():
	case isSearch:
		from := page{entry: at.entry, seen: at.seen, sweep: 0}
		if r == &b.sightings {
			from.sweep = b.sweepOf(e.Parameters)
		}
		b.asks(e.Operation, e.Parameters)
		o.contents, o.page, o.usable = b.search(r, from, b.body(e, r.dataset))
	case api.IsLookup(e.Operation):
		o.contents.Rows, o.usable = b.lookup(&at, b.body(e, at.dataset()))
	case api.Named(e.Operation).Raw:
		body := b.body(e, at.operation)
		o.contents, o.usable = api.Contents{}, json.Valid([]byte(body))
		if !o.usable {
			b.report(source{entry: at.entry, dataset: at.operation}, 0, "", clip(body), NotJSON)
			break
		}
		o.contents, _ = api.ReadRaw(body)
		b.addRaw(&at, body)
		if at.operation == api.BulkLocation {
			b.addLocated(&at, body)
		}
	default:
		return o
	}
	if e.OK() && !o.usable {
		o.outcome = "unreadable"
	}
	b.coverage.observe(e.Operation, e.Parameters, o)
	if b.checks && r == &b.listings && o.usable {
		b.countForChecks(e.Parameters, r.rows.n-kept)
	}
	return o
}

// countForChecks counts the newest listings for the checks, unless they came from a check.
func (b *Batch) countForChecks(parameters string, newest int) {
	wanted, _, ok := api.PartitionOf(api.ByType.Name, parameters)
	if !ok || b.coverage.at(api.ByType.Name, wanted.Kind, wanted.Value).check {
		return
	}
	for i := b.listings.rows.n - newest; i < b.listings.rows.n; i++ {
		row := b.listings.rows.at(i)
		b.coverage.countListed(api.KindType, b.words.vesselTypes.at(row.vesselType).raw)
		b.coverage.countListed(api.KindCountry, b.words.countries.at(row.country).raw)
	}
}

// body returns the text of an answer.
func (b *Batch) body(e *journal.Entry, dataset string) string {
	body, err := e.RawBody()
	if err != nil {
		return "" // not JSON, which the reader reports
	}
	body, ok := jsontext.WellFormed(body)
	if !ok {
		b.report(source{entry: e.N, dataset: dataset}, 0, "", "", NotUTF8)
	}
	return body
}

// Rows returns how many rows a table has.
func (b *Batch) Rows(t Table) int {
	n, _ := b.rowsOf(t)
	return n
}

// Write passes the rows of a table to emit, sorted, in records of at most 16,384 rows. It releases
// each record when emit returns, and stops at the first error of emit, which it returns.
func (b *Batch) Write(t Table, emit func(arrow.Record) error) error {
	n, into := b.rowsOf(t)
	if n == 0 {
		return nil
	}
	w := newWriter(b.mem, t)
	defer w.release()
	write := into(w)
	for i := range n {
		if w.rows() == 0 {
			w.reserve(min(n-i, recordRows))
		}
		write(i)
		w.count++
		if w.rows() == recordRows || i == n-1 {
			if err := w.flush(emit); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowsOf returns how many rows a table has, and a function that writes each into a writer.
func (b *Batch) rowsOf(t Table) (int, func(w *writer) func(i int)) {
	switch t.Name {
	case Listings.Name:
		order := b.listings.sorted(b.pages)
		return len(order), func(w *writer) func(int) { return each(order, b.listingInto(w)) }
	case Sightings.Name:
		order := b.sightings.sorted(b.pages)
		return len(order), func(w *writer) func(int) { return each(order, b.sightingInto(w)) }
	case Particulars.Name:
		return b.factsOf(&b.particulars, t)
	case Engine.Name:
		return b.factsOf(&b.engines, t)
	case Management.Name:
		return b.factsOf(&b.managements, t)
	case Positions.Name:
		return b.factsOf(&b.positions, t)
	case RawAnswers.Name:
		return len(b.raws), func(w *writer) func(int) { return each(b.raws, b.rawInto(w)) }
	case Voyages.Name:
		told := b.voyages()
		return len(told), func(w *writer) func(int) { return each(told, b.voyageInto(w)) }
	case Requests.Name:
		slices.SortFunc(b.requests, func(a, b request) int { return cmp.Compare(a.entry, b.entry) })
		return len(b.requests), func(w *writer) func(int) { return each(b.requests, b.requestInto(w)) }
	case Coverage.Name:
		all := b.coverageRows()
		return len(all), func(w *writer) func(int) { return each(all, b.coverageInto(w)) }
	case Issues.Name:
		slices.SortStableFunc(b.issues, compareIssues)
		return len(b.issues), func(w *writer) func(int) { return each(b.issues, b.issueInto(w)) }
	}
	return 0, nil
}

// coverageRows returns the table of coverage. It goes through every vessel of every page, and is asked for
// several times.
func (b *Batch) coverageRows() []coverageRow {
	if b.covered == nil {
		b.covered = b.coverage.table(b.withdrawn)
	}
	return b.covered
}

func (b *Batch) factsOf(f *facts, t Table) (int, func(w *writer) func(i int)) {
	f.sort()
	return len(f.rows), func(w *writer) func(int) { return each(f.rows, b.factInto(w, f, t)) }
}

// each writes the rows of a slice by their number.
func each[T any](rows []T, write func(*T)) func(int) { return func(i int) { write(&rows[i]) } }
