package plan

import (
	"fmt"
	"strings"
)

// Notes returns what a reader of the plan should know about its price, one sentence each.
func (d Plan) Notes(job Job, f Inputs) []string {
	var notes []string
	unknown := 0
	for _, p := range append(d.Cover, d.Checks...) {
		if p.Expected < 0 && p.Pages == p.Unpaid && p.billed > 0 {
			unknown++
		}
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("%d partitions were never listed: only their first pages are priced, and "+
			"the most bounds the rest", unknown))
	}
	if len(job.Lookup.Want) > 0 && len(d.Cover)+len(d.Sweeps) > 0 {
		notes = append(notes, "vessels that the searches list for the first time, or list as changed, are looked up "+
			"too, within the most")
	}
	switch freed := d.freed(); {
	case freed != "":
		notes = append(notes, freed+" wait for credits that other searches are expected to free")
	case len(d.Waiting) > 0:
		notes = append(notes, "searches that are left out for lack of credits are made after all if others cost "+
			"less than their price")
	}
	if nights := overAge(job, f, d); nights != "" {
		notes = append(notes, nights)
	}
	return notes
}

// freed counts what the night is expected to buy with credits that others leave, by kind; "" if there is nothing.
func (d Plan) freed() string {
	count := map[string]int{LookupsLeft: d.FreedLookups}
	for _, p := range d.Freed {
		count[p.what]++
	}
	var all []string
	for _, what := range []string{StatusSearches, PartitionsOfList, LookupsLeft} {
		if n := count[what]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, what))
		}
	}
	if len(all) > 1 {
		all = []string{strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]}
	}
	return strings.Join(all, "")
}

// overAge returns a warning if the known vessels cannot all be looked up within their maximum age
// at tonight's pace, and "" otherwise.
func overAge(job Job, f Inputs, d Plan) string {
	if len(job.Lookup.Want) == 0 || job.Lookup.MaxAge == 0 || d.Room <= 0 {
		return ""
	}
	room := d.Room
	if credits, limited := d.Allowance.Limit.Get(); limited {
		room = min(room, max(1, credits/job.Lookup.Operation().Credits))
	}
	nights := (len(f.Targets) + room - 1) / room
	if allowed := int(job.Lookup.MaxAge.Hours() / 24); nights > allowed {
		return fmt.Sprintf("%d vessels at %d lookups a night take %d nights, more than their maximum age of %d "+
			"nights (max_age): some data will be older", len(f.Targets), room, nights, allowed)
	}
	return ""
}
