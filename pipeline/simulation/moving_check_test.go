package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// knowledge is what the tables say of departures, changes, sales and identities.
func (w *movingNights) knowledge() string {
	var b strings.Builder
	for _, query := range []string{"SELECT vessel_id, from_date, last_date, to_date, missing_since, absent_on, proof FROM listed", "SELECT vessel_id, name, mmsi, flag FROM vessels",
		"SELECT vessel_id, snapshot_date, flag_before, flag_after FROM reflaggings", "SELECT vessel_id, snapshot_date, name_before, name_after FROM renamings",
		"SELECT vessel_id, snapshot_date, role, company_before, company_after FROM ownership_changes", "SELECT kind, vessel_id, other_vessel_ids, value FROM identity_review",
		"SELECT vessel_id, doubtful FROM registration WHERE doubtful IS NOT NULL"} {
		for _, row := range w.ask(query + " ORDER BY ALL") {
			fmt.Fprintln(&b, strings.Join(row, " | "))
		}
	}
	return b.String()
}

// difference returns the lines that one of two texts has.
func difference(got, want string) string {
	var b strings.Builder
	in := func(text string) []string { return strings.Split(text, "\n") }
	for _, line := range in(got) {
		if !slices.Contains(in(want), line) {
			fmt.Fprintln(&b, "+", line)
		}
	}
	for _, line := range in(want) {
		if !slices.Contains(in(got), line) {
			fmt.Fprintln(&b, "-", line)
		}
	}
	return b.String()
}

func (w *movingNights) count(what string) (moves int) {
	for _, m := range w.moves {
		if m.what == what {
			moves++
		}
	}
	return moves
}

func (w *movingNights) countLeft() (ships int) {
	for _, v := range w.all {
		if v.left >= 0 {
			ships++
		}
	}
	return ships
}

// check compares what is published with what happened.
func (w *movingNights) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	doubted := w.doubted()
	w.checkIdentities(doubted)
	w.checkDepartures(doubted)
	for what, query := range map[string]string{
		"flag":   "SELECT split_part(name, ' OF ', 1), flag_before || ' to ' || flag_after FROM reflaggings",
		"name":   "SELECT split_part(name_after, ' OF ', 1), name_before || ' to ' || name_after FROM renamings",
		roles[0]: "SELECT split_part(name, ' OF ', 1), regexp_extract(company_before, '[0-9]+') || ' to ' || regexp_extract(company_after, '[0-9]+') FROM ownership_changes WHERE role = '" + roles[0] + "'",
		roles[1]: "SELECT split_part(name, ' OF ', 1), regexp_extract(company_before, '[0-9]+') || ' to ' || regexp_extract(company_after, '[0-9]+') FROM ownership_changes WHERE role = '" + roles[1] + "'",
	} {
		w.checkMoves(what, query, doubted)
	}
	w.checkDoubts()
}

// doubted returns the ships of which the tables say that they may be another vessel, too, by their first names.
func (w *movingNights) doubted() map[string]bool {
	ships := map[string]bool{}
	for _, row := range w.ask(`SELECT split_part(name, ' OF ', 1) FROM vessels
			WHERE vessel_id IN (SELECT unnest(string_split(concat_ws(', ', vessel_id, other_vessel_ids), ', ')) FROM identity_review WHERE kind = 'perhaps one vessel')`) {
		ships[row[0]] = true
	}
	return ships
}

// checkIdentities: each ship that a whole night showed is one vessel, and the same as at the last check, unless the doubt is marked.
func (w *movingNights) checkIdentities(doubted map[string]bool) {
	ids := map[string][]string{}
	for _, row := range w.ask("SELECT split_part(name, ' OF ', 1), vessel_id FROM vessels") {
		ids[row[0]] = append(ids[row[0]], row[1])
	}
	last := w.readings[len(w.readings)-1].night
	for first, v := range w.all {
		known := ids[first]
		switch {
		case len(known) == 0:
			if w.shown(v, -1) > 0 {
				w.t.Errorf("%s is no vessel", first)
			}
			continue
		case len(known) > 1 && v.moved < last && !doubted[first]: // on the night of a new flag she may stand under both
			w.t.Errorf("%s is %d vessels, and nothing says that they may be one: %q", first, len(known), known)
		case len(known) == 1 && v.imo != "" && known[0] != "IMO"+v.imo:
			w.t.Errorf("%s is %s, and her IMO number is %s", first, known[0], v.imo)
		}
		if was := w.ids[first]; was != "" && !slices.Contains(known, was) {
			w.t.Errorf("%s was %s, and is %q", first, was, known)
		}
		if len(known) == 1 {
			w.ids[first] = known[0]
		}
	}
}

// checkDepartures: no vessel is gone that is not, and each that two whole nights missed is, since the first list that had to miss her.
func (w *movingNights) checkDepartures(doubted map[string]bool) {
	gone, emptied := map[string]bool{}, w.emptied()
	for _, row := range w.ask(`SELECT split_part(v.name, ' OF ', 1), l.missing_since - DATE '2000-01-01', l.proof, v.vessel_id
			FROM listed AS l JOIN vessels AS v USING (vessel_id) WHERE l.absent_on IS NOT NULL`) {
		v, since := w.all[row[0]], -1
		if n, err := strconv.Atoi(row[1]); err == nil {
			since = n
		}
		switch {
		case doubted[row[0]]:
		case v.left < 0:
			w.t.Errorf("%s, %s, is proved gone since night %d (%s), and is not", row[0], row[3], since, row[2])
		case since < v.left || since > w.nextReading(v.left, emptied):
			w.t.Errorf("%s left on night %d and is gone since night %d", row[0], v.left, since)
		}
		gone[row[0]] = true
	}
	for first, v := range w.all {
		if v.left >= 0 && w.missing(v, emptied) >= 2 && w.shown(v, -1) > 0 && !gone[first] {
			w.t.Errorf("%s, %s, left on night %d and is not proved gone after %d whole nights", first, w.ids[first], v.left, w.missing(v, emptied))
		}
	}
}

// emptied returns the nights of which a country lost more than a few ships at once. Such a list may be a silent fault, and
// proves nothing until another one agrees.
func (w *movingNights) emptied() map[int]bool {
	nights := map[int]bool{}
	for _, row := range w.ask("SELECT snapshot_date - DATE '2000-01-01', value FROM coverage WHERE kind = 'country' AND reason LIKE 'silent zero%'") {
		night, err := strconv.Atoi(row[0])
		w.must(err)
		for _, r := range w.readings {
			if r.night == night && len(r.pages[row[1]]) > 0 {
				w.t.Errorf("night %d: %s is said to have no ships, and has %q", night, row[1], r.pages[row[1]])
			}
		}
		nights[night] = true
	}
	return nights
}

// nextReading is the first whole night after one, of those that are not emptied.
func (w *movingNights) nextReading(night int, emptied map[int]bool) int {
	next := 1 << 30
	for _, r := range w.readings {
		if r.night > night && !emptied[r.night] {
			next = min(next, r.night)
		}
	}
	return next
}

// checkMoves: what the tables have of a kind of moves is true, and each move that two whole nights showed is there.
func (w *movingNights) checkMoves(what, query string, doubted map[string]bool) {
	happened, got := map[string]bool{}, map[string]bool{}
	for _, m := range w.moves {
		if m.what == what {
			happened[m.String()] = true
		}
	}
	for _, row := range w.ask(query) {
		text := row[0] + ": " + row[1]
		if got[text] = true; !happened[text] {
			w.t.Errorf("%s: false: %s", what, text)
		}
	}
	for _, m := range w.moves {
		v := w.all[m.ship]
		seen := w.shown(v, m.night)
		if what == roles[0] || what == roles[1] {
			seen = w.known(v, what, m.night)
		}
		if m.what == what && seen >= 2 && !got[m.String()] && !doubted[m.ship] {
			w.t.Errorf("%s: missing: %s, of night %d", what, m, m.night)
		}
	}
}

// checkDoubts: a ship with an IMO number that a whole night showed under two flags or types is marked, and so is no version that
// the last night has decided.
func (w *movingNights) checkDoubts() {
	marked := map[string]bool{}
	for _, row := range w.ask("SELECT vessel_id FROM identity_review WHERE kind IN ('several flags', 'several types') UNION SELECT vessel_id FROM second_mmsi_claims") {
		marked[row[0]] = true
	}
	twice := map[string]bool{}
	for _, r := range w.readings {
		for first, v := range w.all {
			if len(r.flags(first)) > 1 && v.imo != "" {
				twice[first] = true
			}
		}
	}
	w.marked = len(twice)
	for first := range maps.Keys(twice) {
		if id := "IMO" + w.all[first].imo; !marked[id] {
			w.t.Errorf("%s, %s, was on two pages of a night, and nothing says so", first, id)
		}
	}
	last := w.readings[len(w.readings)-1]
	for _, row := range w.ask("SELECT split_part(name, ' OF ', 1), doubtful FROM registration WHERE valid_to IS NULL AND doubtful IS NOT NULL") {
		if len(last.flags(row[0])) == 1 {
			w.t.Errorf("the %s of %s is doubtful, although the last night decides of it", row[1], row[0])
		}
	}
}
