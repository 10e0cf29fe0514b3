package transform

import "github.com/fleetlake/fleetlake/extract/api"

// The functions below write the rows of each table. Each finds its columns once, and returns a
// function that writes one row into them.

// runInto writes the columns that every table begins with: the run and its night.
func (b *Batch) runInto(w *writer) func() {
	run, night := w.column("run_id"), w.column("snapshot_date")
	return func() {
		run.writeText(b.run)
		night.writeDate(b.date)
	}
}

// evidenceInto writes the columns that name the answer of a row.
func (b *Batch) evidenceInto(w *writer) func(entry int) {
	run, number := b.runInto(w), w.column("entry")
	return func(entry int) {
		run()
		number.writeInteger(entry)
	}
}

// sourceInto writes the columns that all facts begin with.
func (b *Batch) sourceInto(w *writer) func(entry int, seen int64, id vesselID, mmsi MMSI) {
	evidence, at := b.evidenceInto(w), w.column("seen_at")
	vessel, imo, radio := w.column("vessel_id"), w.column("imo"), w.column("mmsi")
	return func(entry int, seen int64, id vesselID, mmsi MMSI) {
		evidence(entry)
		at.writeInstant(seen)
		vessel.writeVessel(id)
		imo.writePositive(int(id.imo()))
		radio.writeMMSI(mmsi)
	}
}

func (b *Batch) listingInto(w *writer) func(*uint32) {
	source := b.sourceInto(w)
	name, callsign := w.column("name"), w.column("callsign")
	flag, country, register, iso := w.column("flag"), w.column("country"), w.column("register"), w.column("country_iso")
	shipType, vesselType := w.column("ship_type"), w.column("vessel_type")
	category, isVessel := w.column("category"), w.column("is_vessel")
	raw, extra := w.column("raw"), w.column("extra")
	return func(i *uint32) {
		row, r, rest := b.listings.at(*i)
		from := &b.pages[row.page]
		source(from.entry, from.seen, r.id, r.mmsi)
		name.writeName(r.name)
		callsign.writeName(r.callsign)
		f, of, under := b.words.flagOf(&r)
		flag.writeText(flags[f].code)
		country.writeText(of)
		register.writeText(under)
		iso.writeText(b.words.isos.at(r.iso).value)
		shipType.writeText(b.words.shipTypes.at(r.shipType).value)
		t := b.words.vesselTypes.at(r.vesselType)
		vesselType.writeText(t.value)
		category.writeText(t.category)
		if t.value == "" {
			isVessel.writeNull()
		} else {
			isVessel.writeBoolean(t.isVessel)
		}
		b.writeRaw(raw, &r)
		extra.writeText(rest)
	}
}

func (b *Batch) sightingInto(w *writer) func(*uint32) {
	source := b.sourceInto(w)
	name, flag, country, register, shipType := w.column("name"), w.column("flag"), w.column("country"),
		w.column("register"), w.column("ship_type")
	search, sweep := searchInto(w), w.column("sweep")
	names := make([]string, len(b.sweeps))
	for i, s := range b.sweeps {
		names[i] = s.String()
	}
	raw, extra := w.column("raw"), w.column("extra")
	return func(i *uint32) {
		row, r, rest := b.sightings.at(*i)
		from := &b.pages[row.page]
		source(from.entry, from.seen, r.id, r.mmsi)
		name.writeName(r.name)
		f, of, under := b.words.flagOf(&r)
		flag.writeText(flags[f].code)
		country.writeText(of)
		register.writeText(under)
		shipType.writeText(b.words.shipTypes.at(r.shipType).value)
		search(&b.sweeps[from.sweep])
		sweep.writeText(names[from.sweep])
		b.writeRaw(raw, &r)
		extra.writeText(rest)
	}
}

// searchInto writes what a status search asked for; nulls for the zero Sweep.
func searchInto(w *writer) func(*api.Sweep) {
	status, zone, vesselType := w.column("navigational_status"), w.column("world_zone"), w.column("vessel_type_filter")
	laden, forOrder := w.column("laden"), w.column("for_order")
	return func(s *api.Sweep) {
		status.writeText(s.Status)
		zone.writeText(s.Zone)
		vesselType.writeText(s.VesselType)
		laden.writeText(s.Laden)
		switch s.ForOrder {
		case "true", "false":
			forOrder.writeBoolean(s.ForOrder == "true")
		default:
			forOrder.writeNull()
		}
	}
}

// writeRaw writes the values that a rule changed or refused.
func (b *Batch) writeRaw(c *cells, r *registration) {
	c.scratch = b.words.appendRaw(append(c.scratch[:0], '{'), r)
	c.writeObject(c.scratch)
}

func (b *Batch) factInto(w *writer, f *facts, t Table) func(*fact) {
	source := b.sourceInto(w)
	own := make([]*cells, len(t.own))
	for i, c := range t.own {
		own[i] = w.column(c.name)
	}
	raw, extra := w.column("raw"), w.column("extra")
	return func(row *fact) {
		source(row.entry, row.seen, row.id, row.mmsi)
		texts := f.texts.reader(row.text)
		values := textReader{texts.text()}
		for _, c := range own {
			c.writeStored(&values)
		}
		raw.writeText(texts.text())
		extra.writeText(texts.text())
	}
}

func (b *Batch) requestInto(w *writer) func(*request) {
	evidence, operation, parameters := b.evidenceInto(w), w.column("operation"), w.column("parameters")
	sent, received, status := w.column("sent_at"), w.column("received_at"), w.column("http_status")
	credits, charge, outcome, rows := w.column("credits"), w.column("charge"), w.column("outcome"), w.column("rows")
	return func(r *request) {
		evidence(r.entry)
		operation.writeText(r.operation)
		parameters.writeText(r.parameters)
		sent.writeTime(r.sent)
		received.writeTime(r.received)
		status.writePositive(r.status)
		credits.writeInteger(r.credits)
		charge.writeText(r.charge)
		outcome.writeText(r.outcome)
		rows.writeInteger(r.rows)
	}
}

func (b *Batch) coverageInto(w *writer) func(*coverageRow) {
	run, operation, kind, value := b.runInto(w), w.column("operation"), w.column("kind"), w.column("value")
	pages, expected, received := w.column("pages"), w.column("expected_rows"), w.column("received_rows")
	state, reason, search := w.column("state"), w.column("reason"), searchInto(w)
	return func(c *coverageRow) {
		run()
		operation.writeText(c.operation)
		kind.writeText(c.kind)
		value.writeText(c.value)
		pages.writeInteger(c.pages)
		if c.expected < 0 {
			expected.writeNull()
		} else {
			expected.writeInteger(c.expected)
		}
		received.writeInteger(c.received)
		state.writeText(c.state)
		reason.writeText(c.reason)
		sweep, _ := api.Partition{Kind: c.kind, Value: c.value}.Sweep()
		search(&sweep)
	}
}

func (b *Batch) issueInto(w *writer) func(*issue) {
	evidence, vessel := b.evidenceInto(w), w.column("vessel_id")
	dataset, field, raw, reason := w.column("dataset"), w.column("field"), w.column("raw_value"), w.column("reason")
	return func(i *issue) {
		evidence(i.entry)
		vessel.writeVessel(i.vessel)
		dataset.writeText(i.dataset)
		field.writeText(i.field)
		raw.writeText(i.raw)
		reason.writeText(string(i.reason))
	}
}
