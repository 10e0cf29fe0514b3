package pipeline

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// lookupQueue is the queue of lookups: of the vessels that the plan chose, and before them of those
// that tonight's searches list for the first time, or list as changed.
type lookupQueue struct {
	*queue
	operation api.Operation
	wanted    bool // tonight's searches add lookups
	lookup    plan.Lookup
	targets   []inputs.Target
	now       time.Time

	mu        sync.Mutex
	further   []string        // due numbers that only credits which other requests give back can pay
	asked     map[string]bool // numbers that tonight's searches queued
	searching int             // searches that have not ended
	// vessels of the warehouse and of tonight's searches, by IMO and by MMSI: indices of targets, or decided
	known  map[uint64]int32
	other  map[int32]string // vessels that tonight's list contradicts, by index of targets, and the number to look them up by
	room   int              // the most lookups that may be queued
	noRoom int              // lookups that were not queued for lack of room
	queued int
}

// decided marks a known vessel for which there is nothing to decide tonight.
const decided = -1

// mostKnown bounds the memory of a run for vessels, whatever the service answers: two numbers for
// each vessel in the world.
const mostKnown = 2 * api.MostVessels

// newLookups queues the lookups of the plan.
func newLookups(w work) *lookupQueue {
	l := &lookupQueue{queue: newQueue(), operation: w.job.Lookup.Operation(), wanted: len(w.job.Lookup.Want) > 0 &&
		!w.job.Lookup.WatchedOnly,
		lookup: w.job.Lookup, targets: w.targets, now: w.started, room: min(w.decided.Room, api.MostVessels),
		known: make(map[uint64]int32, 2*len(w.targets)), other: map[int32]string{},
		further: w.decided.Further, asked: map[string]bool{}, searching: 2}
	chosen := make(map[string]bool, len(w.decided.Lookups))
	for _, id := range w.decided.Lookups {
		chosen[id] = true
	}
	for number := range w.answered { // also of vessels that nothing but such an answer has named yet
		l.noteNumber(strconv.Itoa(number))
	}
	for i, t := range w.targets {
		mmsi, _ := transform.ParseMMSI(t.MMSI)
		place := int32(i)
		if chosen[t.Number()] || w.refused[t.Number()] {
			place = decided
		}
		l.note(uint32(t.IMO), uint32(mmsi), place)
	}
	for number := range w.refused { // also of vessels that are not published yet
		l.noteNumber(number)
	}
	if w.job.Lookup.Operation() == plan.PositionAlone {
		for _, number := range w.decided.InBulk {
			l.noteNumber(number)
		}
	}
	prefix := api.Lookup(l.operation, "").Key()
	for key := range w.before.answered { // also of vessels that are not published yet
		if number, ok := strings.CutPrefix(key, prefix); ok {
			l.noteNumber(number)
		}
	}
	for _, number := range w.decided.Lookups { // also of watched vessels that are not known yet
		l.noteNumber(number)
	}
	l.noRoom = w.decided.Due - len(w.decided.Lookups)
	for _, id := range w.decided.Lookups {
		l.add(false, id)
	}
	return l
}

// observe is called with each vessel of tonight's searches, and queues a new one. A vessel that was
// looked up and is listed as changed waits for the rest of the list: during a change of flag a vessel
// can be listed under both flags, and then it is as it is known.
func (l *lookupQueue) observe(v transform.Listed, s api.Sweep) {
	if !l.wanted {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := v.MMSI.String()
	if v.IMO != 0 {
		id = strconv.Itoa(int(v.IMO))
	}
	place, known := l.known[keyOfVessel(uint32(v.IMO), uint32(v.MMSI))]
	switch {
	case known && place == decided, !known && len(l.known) >= mostKnown:
	case !known, s.Status != "" && l.moved(l.targets[place], s):
		l.note(uint32(v.IMO), uint32(v.MMSI), decided)
		l.add(true, id)
	case s.Status != "":
	case l.changed(l.targets[place], v):
		l.other[place] = id
	default:
		delete(l.other, place)
		l.note(uint32(v.IMO), uint32(v.MMSI), decided)
	}
}

// searched records that one of the two searches has ended. When both have, every credit that they gave
// back is known, and the further lookups are queued: the budget decides how many it can pay.
func (l *lookupQueue) searched() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.searching--; l.searching > 0 {
		return
	}
	for _, id := range l.further {
		if !l.asked[id] && l.queued < l.room {
			l.noRoom--
			l.queued++
			l.push(false, api.Lookup(l.operation, id))
		}
	}
}

// listed queues the vessels that tonight's list, which is complete now, reports as changed.
func (l *lookupQueue) listed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, place := range slices.Sorted(maps.Keys(l.other)) {
		if t := l.targets[place]; l.known[keyOfVessel(uint32(t.IMO), 0)] != decided {
			l.add(true, l.other[place])
		}
	}
	clear(l.other)
}

// changed reports whether a vessel that was looked up is listed with another name, flag, type or MMSI
// than the known one. A value that the list leaves out is no change.
func (l *lookupQueue) changed(t inputs.Target, v transform.Listed) bool {
	return l.settled(t) && (other(v.Name, t.Name) || other(v.Flag, t.Flag) || other(v.VesselType, t.VesselType) ||
		v.MMSI != 0 && other(v.MMSI.String(), t.MMSI))
}

// moved reports whether a vessel whose position was looked up is listed with another status or zone.
func (l *lookupQueue) moved(t inputs.Target, s api.Sweep) bool {
	return l.operation == plan.PositionAlone && l.settled(t) && (other(s.Status, t.Status) || other(s.Zone, t.Zone))
}

// settled reports whether a vessel was looked up some time ago, and changes so seldom that a change is
// a reason for a lookup.
func (l *lookupQueue) settled(t inputs.Target) bool {
	at := plan.SeenAt(l.lookup, t)
	return !at.IsZero() && plan.Steady(t, l.now.Sub(at))
}

// other reports whether two known values differ.
func other(now, before string) bool { return now != "" && before != "" && now != before }

// keyOfVessel is the IMO, which stays with the hull, or the MMSI, which may belong to another ship
// tomorrow.
func keyOfVessel(imo, mmsi uint32) uint64 {
	if imo != 0 {
		return uint64(imo)
	}
	return uint64(mmsi) | 1<<32
}

// note records the place of a vessel under both its numbers.
func (l *lookupQueue) note(imo, mmsi uint32, place int32) {
	l.known[keyOfVessel(imo, mmsi)] = place
	if mmsi != 0 {
		l.known[keyOfVessel(0, mmsi)] = place
	}
}

// noteNumber records that there is nothing to decide of an IMO number or MMSI.
func (l *lookupQueue) noteNumber(number string) {
	n, _ := strconv.ParseUint(number, 10, 32)
	if len(number) == 7 {
		l.note(uint32(n), 0, decided)
	} else {
		l.note(0, uint32(n), decided)
	}
}

// add queues a lookup. If there is no room an urgent lookup replaces the one with the lowest score.
func (l *lookupQueue) add(urgent bool, id string) {
	if l.queued >= l.room {
		l.noRoom++
		if !urgent || !l.dropLast() {
			return
		}
		l.queued--
	}
	l.queued++
	if urgent {
		l.asked[id] = true
	}
	l.push(urgent, api.Lookup(l.operation, id))
}

// withoutRoom returns how many lookups were not queued for lack of room.
func (l *lookupQueue) withoutRoom() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.noRoom
}
