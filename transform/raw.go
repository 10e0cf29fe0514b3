package transform

import (
	"encoding/json"
	"net/url"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// rawAnswer is an answer of an operation of which the interface documents no field: it is kept whole.
type rawAnswer struct {
	entry     int
	seen      int64
	operation string
	asked     string // the parameters as a JSON object
	vessel    vesselID
	body      string
}

// addRaw adds an answer that is kept whole. The vessel is the one that was asked for, if the run's plan says which
// parameter names it.
func (b *Batch) addRaw(at *answer, body string) {
	q, _ := url.ParseQuery(at.parameters) // canonical, as the client wrote them
	asked := map[string]string{}
	for name := range q {
		asked[name] = q.Get(name)
	}
	text, err := json.Marshal(asked)
	if err != nil {
		panic(err) // a map of texts: a bug, not an error
	}
	var n numbers
	if name := b.rawVessel[at.operation]; name != "" {
		n.complete(q.Get(name))
	}
	b.raws = append(b.raws, rawAnswer{at.entry, at.seen, at.operation, string(text), n.id, body})
}

// addLocated adds positions and voyages of the vessels in the answer of a bulk location search, each once: of those
// objects that have the keys of a location, and name a vessel. The others are only in the raw answer.
func (b *Batch) addLocated(at *answer, body string) {
	seen := map[vesselID]bool{}
	for v := range api.Located(body) {
		r := membersOf(v)
		got := r.identification(positionFields...)
		n := numbersOf(&got)
		if n.id == 0 || seen[n.id] {
			continue
		}
		seen[n.id] = true
		if reg, ok := b.register(&got, n, source{entry: at.entry, dataset: ofPosition, whole: v.Raw}); ok {
			b.addPosition(&r, &reg, at, nil, true)
		}
	}
}

// planRaw notes which parameter of each raw operation names a vessel.
func (b *Batch) planRaw(operations []journal.RawOperation) {
	for _, o := range operations {
		b.rawVessel[o.Name] = o.Vessel
	}
}

func (b *Batch) rawInto(w *writer) func(*rawAnswer) {
	evidence, at, vessel := b.evidenceInto(w), w.column("seen_at"), w.column("vessel_id")
	operation, asked, body := w.column("operation"), w.column("asked"), w.column("body")
	return func(r *rawAnswer) {
		evidence(r.entry)
		at.writeInstant(r.seen)
		vessel.writeVessel(r.vessel)
		operation.writeText(r.operation)
		asked.writeText(r.asked)
		body.writeText(r.body)
	}
}
