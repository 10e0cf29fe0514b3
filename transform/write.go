package transform

// The rows of each table, cell by cell, in the order of its schema.

// writeSource writes the columns that all facts begin with.
func (b *Batch) writeSource(w *writer, entry int, seen int64, id vesselID, mmsi MMSI) {
	w.text(b.run)
	w.integer(entry)
	w.instant(seen)
	w.vessel(id)
	w.positive(int(id.imo()))
	w.mmsi(mmsi)
}

func (b *Batch) writeListing(w *writer, i uint32) {
	row, r, extra := b.listings.at(i)
	from := &b.pages[row.page]
	b.writeSource(w, from.entry, from.seen, r.id, r.mmsi)
	w.name(r.name)
	w.name(r.callsign)
	f, country := b.words.flagOf(&r)
	w.text(flags[f].code)
	w.text(country)
	w.text(b.words.isos.at(r.iso).value)
	w.text(b.words.shipTypes.at(r.shipType).value)
	t := b.words.vesselTypes.at(r.vesselType)
	w.text(t.value)
	w.text(t.category)
	if t.value == "" {
		w.null()
	} else {
		w.boolean(t.isVessel)
	}
	b.writeRaw(w, &r)
	w.text(extra)
}

func (b *Batch) writeSighting(w *writer, i uint32) {
	row, r, extra := b.sightings.at(i)
	from := &b.pages[row.page]
	b.writeSource(w, from.entry, from.seen, r.id, r.mmsi)
	w.name(r.name)
	f, country := b.words.flagOf(&r)
	w.text(flags[f].code)
	w.text(country)
	w.text(b.words.shipTypes.at(r.shipType).value)
	asked := &b.sweeps[from.sweep]
	w.text(asked.status)
	w.text(asked.zone)
	w.text(asked.vesselType)
	w.text(asked.laden)
	switch asked.forOrder {
	case "true", "false":
		w.boolean(asked.forOrder == "true")
	default:
		w.null()
	}
	b.writeRaw(w, &r)
	w.text(extra)
}

// writeRaw writes what a rule changed or refused.
func (b *Batch) writeRaw(w *writer, r *registration) {
	w.scratch = b.words.appendRaw(append(w.scratch[:0], '{'), r)
	w.object(w.scratch)
}

func (b *Batch) writeFact(w *writer, f *fact) {
	b.writeSource(w, f.entry, f.seen, f.id, f.mmsi)
	for _, v := range f.values {
		w.value(v)
	}
	w.text(f.raw)
	w.text(f.extra)
}

func (b *Batch) writeRequest(w *writer, r *request) {
	w.text(b.run)
	w.integer(r.entry)
	w.text(r.operation)
	w.text(r.parameters)
	w.time(r.sent)
	w.time(r.received)
	w.positive(r.status)
	w.integer(r.credits)
	w.text(r.charge)
	w.text(r.outcome)
	w.integer(r.rows)
}

func (b *Batch) writeCoverage(w *writer, c *coverageRow) {
	w.text(b.run)
	w.text(c.operation)
	w.text(c.kind)
	w.text(c.value)
	w.integer(c.pages)
	if c.expected < 0 {
		w.null()
	} else {
		w.integer(c.expected)
	}
	w.integer(c.received)
	w.text(c.state)
	w.text(c.reason)
}

func (b *Batch) writeIssue(w *writer, i *issue) {
	w.text(b.run)
	w.integer(i.entry)
	w.vessel(i.vessel)
	w.text(i.dataset)
	w.text(i.field)
	w.text(i.raw)
	w.text(string(i.reason))
}
