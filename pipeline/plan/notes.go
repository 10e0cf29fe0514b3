package plan

import "fmt"

// Notes says what a plan cannot know.
func (d Plan) Notes(job Job, f Inputs) []string {
	var notes []string
	unknown := 0
	for _, p := range append(d.Cover, d.Checks...) {
		if p.Expected < 0 && p.Pages == p.Unpaid && p.billed > 0 {
			unknown++
		}
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("%d partitions were never seen: their first pages are priced, and the most bounds the rest", unknown))
	}
	if len(job.Lookup.Want) > 0 && len(d.Cover)+len(d.Sweeps) > 0 {
		notes = append(notes, "vessels that are met for the first time, or changed, are looked up too, within the most")
	}
	if len(d.Waiting) > 0 {
		notes = append(notes, "what is left out for lack of credits is asked after all if other searches cost less than priced")
	}
	if nights := starving(job, f, d); nights != "" {
		notes = append(notes, nights)
	}
	return notes
}

// starving says so when the vessels that are known cannot all be looked up within their
// greatest age at tonight's pace.
func starving(job Job, f Inputs, d Plan) string {
	if len(job.Lookup.Want) == 0 || job.Lookup.MaxAge == 0 || d.Room <= 0 {
		return ""
	}
	room := d.Room
	if d.Allowance.Limited {
		room = min(room, max(1, d.Allowance.Credits/job.Lookup.Operation().Credits))
	}
	nights := (len(f.Targets) + room - 1) / room
	if allowed := int(job.Lookup.MaxAge.Hours() / 24); nights > allowed {
		return fmt.Sprintf("%d vessels at %d lookups a night take %d nights, more than their greatest age of %d: the stalest will be older", len(f.Targets), room, nights, allowed)
	}
	return ""
}
