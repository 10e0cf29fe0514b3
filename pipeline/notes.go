package pipeline

import "fmt"

// notes says what a plan cannot know.
func (d decision) notes(job Job, f inputs) []string {
	var notes []string
	unknown := 0
	for _, p := range append(d.cover, d.checks...) {
		if p.expected < 0 && p.pages == p.unpaid && p.billed > 0 {
			unknown++
		}
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("%d partitions were never seen: their first pages are priced, and the most bounds the rest", unknown))
	}
	if len(job.Lookup.Want) > 0 && len(d.cover)+len(d.sweeps) > 0 {
		notes = append(notes, "vessels that are met for the first time, or changed, are looked up too, within the most")
	}
	if len(d.waiting) > 0 {
		notes = append(notes, "what is left out for lack of credits is asked after all if other searches cost less than priced")
	}
	if nights := starving(job, f, d); nights != "" {
		notes = append(notes, nights)
	}
	return notes
}

// starving says so when the vessels that are known cannot all be looked up within their
// greatest age at tonight's pace.
func starving(job Job, f inputs, d decision) string {
	if len(job.Lookup.Want) == 0 || job.Lookup.MaxAge == 0 || d.room <= 0 {
		return ""
	}
	room := d.room
	if d.allowance.limited {
		room = min(room, max(1, d.allowance.credits/job.Lookup.operation().Credits))
	}
	nights := (len(f.targets) + room - 1) / room
	if allowed := int(job.Lookup.MaxAge.Hours() / 24); nights > allowed {
		return fmt.Sprintf("%d vessels at %d lookups a night take %d nights, more than their greatest age of %d: the stalest will be older", len(f.targets), room, nights, allowed)
	}
	return ""
}
