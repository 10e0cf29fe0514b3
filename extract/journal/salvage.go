package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Salvaged is the result of Salvage on one segment.
type Salvaged struct {
	Path    string `json:"path"`
	Aside   string `json:"aside,omitempty"` // path of the damaged file, kept as it was; empty if the segment was whole
	Entries int    `json:"entries"`         // whole entries, which are kept
	Holes   []Lost `json:"holes,omitempty"` // the lost entries
	Credits int    `json:"credits"`         // the most that lost requests can have cost, which counts as spent
}

// Salvage makes a damaged segment readable again: every whole entry stays byte for byte, and an
// entry with Lost replaces missing ones. The damaged file stays beside it, under a name that
// Segments does not list. A segment that can be read is not changed.
//
// The plan replaces the first entry if that is lost; its Credits.Most is the most that one request
// costs. It is not used where the first entry is whole. Salvage returns an error, and changes
// nothing, if no entry is whole, if the first is lost and plan.Run is empty, or if the disk fails.
func Salvage(path string, plan Plan) (Salvaged, error) {
	done := Salvaged{Path: path}
	if n, err := intact(path); n >= 0 || err != nil {
		done.Entries = n
		return done, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return done, fmt.Errorf("salvage segment: %w", err)
	}
	d := newDecoder()
	defer d.Close()
	found := inOrder(wholeIn(b, d))
	parts := partsOf(b, found)
	done.Entries = len(found)
	for _, p := range parts {
		if p.hole != nil {
			done.Holes = append(done.Holes, *p.hole)
		}
	}
	switch {
	case len(found) == 0:
		return done, fmt.Errorf("salvage %s: no entry of it is whole", path)
	case found[0].entry.N > 0 && plan.Run == "":
		return done, fmt.Errorf("salvage %s: its plan is lost", path)
	}
	done.Credits = lostCredits(found, done.Holes, plan.Credits.Most)
	text, err := assemble(b, parts, found, plan, done.Credits)
	if err != nil {
		return done, fmt.Errorf("salvage %s: %w", path, err)
	}
	done.Aside, err = replaceFile(path, text)
	return done, err
}

// asidePath is where the nth damaged file of a segment is kept.
func asidePath(path string, n int) string { return fmt.Sprintf("%s.damaged-%d", path, n) }

// Asides returns how many damaged files of a segment Salvage has kept.
func Asides(path string) int {
	for n := 1; ; n++ {
		if _, err := os.Lstat(asidePath(path, n)); err != nil {
			return n - 1
		}
	}
}

// intact returns the number of entries of a segment that can be read without a hole; -1 for a
// segment that cannot.
func intact(path string) (int, error) {
	r, err := open(path)
	if err != nil {
		return 0, err
	}
	defer r.close()
	n := 0
	for _, err := range r.entries() {
		if errors.Is(err, ErrDamaged) {
			return -1, nil
		}
		if err != nil {
			return 0, err
		}
		n++
	}
	if r.skipped > 0 {
		return -1, nil
	}
	return n, nil
}

// inOrder leaves out entries whose number is not above those before, such as bytes that were copied
// to a second place.
func inOrder(found []whole) []whole {
	next, kept := 0, found[:0]
	for _, w := range found {
		if w.entry.N >= next {
			kept, next = append(kept, w), w.entry.after()
		}
	}
	return kept
}

// part is a part of a damaged file: an entry as it is, or a hole.
type part struct {
	from, to int
	n        int // of the first entry that is missing
	hole     *Lost
}

// partsOf divides a damaged file into whole entries and the holes between them.
func partsOf(b []byte, found []whole) (parts []part) {
	at, next := 0, 0
	for _, w := range found {
		if w.at > at || w.entry.N > next {
			parts = append(parts, part{n: next, hole: &Lost{Entries: w.entry.N - next, Offset: int64(at), Bytes: int64(w.at - at)}})
		}
		parts = append(parts, part{from: w.at, to: w.at + w.size})
		at, next = w.at+w.size, w.entry.after()
	}
	if at < len(b) {
		parts = append(parts, part{n: next, hole: &Lost{Offset: int64(at), Bytes: int64(len(b) - at)}})
	}
	return parts
}

// lostCredits returns the most that requests among the lost entries can have cost. A lost intent
// whose answer is whole does not count, because the answer does. In a run that ended by itself every
// intent had an answer: the lost answers of whole intents do not count either, and half of the rest
// are intents. In any other run all the rest may be intents.
func lostCredits(found []whole, holes []Lost, most int) int {
	missing, ended := 0, false
	for _, h := range holes {
		missing += h.Entries
	}
	if missing == 0 {
		return 0
	}
	intents, open := map[int]bool{}, 0
	for _, w := range found {
		most = max(most, w.entry.Credits)
		switch w.entry.Kind {
		case KindIntent:
			intents[w.entry.N] = true
			open++
		case KindAnswer:
			if intents[w.entry.Intent] {
				open--
			} else {
				missing-- // its intent was lost
			}
		case KindEnd:
			ended = w.entry.End.State != "killed"
		}
	}
	if found[0].entry.Plan == nil {
		missing-- // the plan
	}
	if ended {
		missing = (missing - open + 1) / 2
	}
	return max(0, missing) * most
}

// assemble makes the bytes of the salvaged segment.
func assemble(b []byte, parts []part, found []whole, plan Plan, credits int) ([]byte, error) {
	s := &Segment{enc: newEncoder()}
	defer s.enc.Close()
	var out []byte
	at := found[0].entry.At
	for _, p := range parts {
		if p.hole == nil {
			out = append(out, b[p.from:p.to]...)
			at, found = found[0].entry.At, found[1:]
			continue
		}
		for _, e := range fill(p, plan, credits) {
			e.At = at
			frame, err := s.frameOf(&e)
			if err != nil {
				return nil, err
			}
			out = append(out, frame...)
			credits -= e.Credits
		}
	}
	return out, nil
}

// fill returns the entries that replace a hole; none where no entry is missing.
func fill(p part, plan Plan, credits int) (in []Entry) {
	lost := *p.hole
	if p.n == 0 && lost.Entries > 0 {
		plan.Credits = Price{}
		in = append(in, Entry{Kind: KindPlan, Plan: &plan})
		p.n++
		lost.Entries--
	}
	switch {
	case lost.Entries == 0:
	case credits > 0:
		in = append(in, Entry{N: p.n, Kind: KindIntent, Operation: OperationLost, Credits: credits, Lost: &lost})
	default:
		in = append(in, Entry{N: p.n, Kind: KindLost, Lost: &lost})
	}
	return in
}

// replaceFile writes new bytes under the path of a segment, and keeps the old file beside it. A crash
// leaves one or the other under that path.
func replaceFile(path string, text []byte) (aside string, err error) {
	for n := 1; ; n++ {
		aside = asidePath(path, n)
		if err = os.Link(path, aside); !errors.Is(err, os.ErrExist) {
			break
		}
	}
	if err == nil {
		err = durable.SyncDir(filepath.Dir(path))
	}
	if err == nil {
		err = durable.WriteFile(path, text, fileMode)
	}
	if err != nil {
		return "", fmt.Errorf("salvage: %w", err)
	}
	return aside, nil
}
