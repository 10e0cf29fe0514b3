package warehouse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// search records how well a night covered status searches, each with five vessels.
func (h history) search(state string, day int, sweeps ...string) {
	h.t.Helper()
	h.searchFound(state, day, 5, sweeps...)
}

func (h history) searchFound(state string, day, vessels int, sweeps ...string) {
	h.t.Helper()
	var rows []string
	for _, sweep := range sweeps {
		place, _, _ := strings.Cut(sweep, "?")
		status, zone, _ := strings.Cut(place, "/")
		rows = append(rows, fmt.Sprintf("(%s, %s, 'by-status', 'status', %s, %d)", quoted(fmt.Sprintf("run%02d", day)), night(day), quoted(sweep, state, status, zone), vessels))
	}
	h.exec("INSERT INTO coverage (run_id, snapshot_date, operation, kind, value, state, navigational_status, world_zone, received_rows) VALUES " + strings.Join(rows, ", "))
}

// everywhere lists the searches of all statuses in all zones.
func everywhere() (all []string) {
	for _, s := range api.Statuses {
		if !s.Zoned {
			all = append(all, s.Name)
			continue
		}
		for _, zone := range api.Zones {
			all = append(all, s.Name+"/"+zone)
		}
	}
	return all
}

// stay records that a search returned a vessel on the nights from one to another, so many minutes after
// the run began.
func (h history) stay(id, sweep string, from, to int) { h.stayAt(id, sweep, from, to, 10) }

func (h history) stayAt(id, sweep string, from, to, minutes int) {
	h.t.Helper()
	place, _, _ := strings.Cut(sweep, "?")
	status, zone, _ := strings.Cut(place, "/")
	h.exec(fmt.Sprintf("INSERT INTO episodes (vessel_id, vessel_number, sweep, navigational_status, world_zone, first_date, last_date, first_seen, last_seen, nights, nights_unseen, run_id, entry) VALUES (%s, internal.number_of(%[1]s), %s, %s, %s, %s + INTERVAL %d MINUTE, %s + INTERVAL %[6]d MINUTE, 1, 0, 'run', 3)",
		quote(id), quoted(sweep, status, zone), night(from), night(to), at(from), minutes, at(to)))
}

func TestStatusSearches(t *testing.T) {
	h := newHistory(t, 9)
	const sweep = "moored/north-sea"
	for day, c := range []struct {
		state   string
		vessels int
	}{{"complete", 0}, {"complete", 5}, {"complete", 0}, {"failed", 0}, {"skipped", 0}, {"complete", 0}, {"partial", 3}, {"complete", 0}, {"complete", 2}} {
		h.searchFound(c.state, day+1, c.vessels, sweep)
	}
	h.searchFound("partial", 9, 9, "Moored/North-Sea") // an earlier run of the last night
	h.search("complete", 9, "moored/north-sea?laden=ballast")
	h.expect("SELECT string_agg(day(snapshot_date) || ' ' || state || ' ' || coalesce(day(proven_before)::VARCHAR, '-') || ' ' || coalesce(day(proven_after)::VARCHAR, '-'), ', ' ORDER BY snapshot_date) FROM status_searches WHERE proves_absence AND filters IS NULL",
		"1 complete - 2, 2 complete 1 6, 6 complete 2 9, 9 complete 6 -")
	h.is("SELECT filters, state, zone_proven_before FROM status_searches WHERE snapshot_date = "+night(9)+" ORDER BY ALL", "laden=ballast | complete | -", "- | complete | -")
}

// TestStaysAndChangesFindTheirAliasesByHash: to compare each of ten million stays with each of some thousand
// aliases takes minutes.
func TestStaysAndChangesFindTheirAliasesByHash(t *testing.T) {
	h := newHistory(t, 3)
	h.vessel("IMO9000001", "235000001", "PA", "Bulk Carrier")
	h.stay("MMSI235000001", "moored/north-sea", 1, 2)
	h.changed("MMSI235000001", "registration", "name", "ANNA", "BERTA", 2)
	h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES ('MMSI235000001', 'IMO9000001', " + at(3) + ", " + night(3) + ")")
	for _, view := range []string{"vessel_episodes", "confirmed_changes"} {
		var kind, plan string
		must(t, h.db.QueryRowContext(t.Context(), "EXPLAIN FROM "+view).Scan(&kind, &plan))
		if !strings.Contains(plan, "HASH_JOIN") || strings.Contains(plan, "NL_JOIN") || strings.Contains(plan, "NESTED_LOOP") {
			t.Errorf("%s:\n%s", view, plan)
		}
	}
}

func TestArrivalsAndDepartures(t *testing.T) {
	const moored, anchor, sea, china = "moored/north-sea", "at-anchor/north-sea", "moored/baltic-sea", "moored/china-coast"
	h := newHistory(t, 9)
	for day := 1; day <= 9; day++ {
		state := "complete"
		if day == 5 {
			state = "partial"
		}
		h.search(state, day, moored, anchor, sea)
	}
	h.search("complete", 4, china) // covered once
	is := func(id string, stays ...string) {
		h.vessel(id, "", "PA", "Bulk Carrier")
		for i, s := range stays {
			var sweep string
			var from, to int
			if _, err := fmt.Sscan(s, &sweep, &from, &to); err != nil {
				t.Fatal(err)
			}
			h.stayAt(id, sweep, from, to, 10+i)
		}
	}
	is("IMO9000001", moored+" 1 9")                                     // there on the first night, and there still
	is("IMO9000002", moored+" 1 3", sea+" 4 9")                         // moved
	is("IMO9000003", moored+" 2 4")                                     // appeared, and was not seen on night 5 nor on the next
	is("IMO9000004", moored+" 1 3", anchor+" 4 9")                      // another status of the same zone
	is("IMO9000005", moored+" 1 3", moored+" 7 9")                      // not found from 4 to 6: it may have been under way in the zone
	is("IMO9000006", china+" 4 4")                                      // the first and only night of that search
	is("IMO9000007", moored+" 1 6", sea+" 6 9")                         // crossed the border while night 6 was swept
	is("IMO9000008", moored+" 1 9", sea+" 4 6")                         // found on both sides for some nights: it never left the north sea
	is("IMO9000009", sea+" 1 2", moored+" 4 5", sea+" 6 8")             // there and back
	is("IMO9000010", moored+" 9 9", sea+" 9 9")                         // both on one night: it came from none of the two
	is("IMO9000011", moored+" 1 2", "aground 4 4", sea+" 8 9")          // a worldwide status is in no zone
	is("IMO9000012", moored+" 1 8")                                     // absent on the last night
	is("IMO9000013", sea+" 1 4", moored+" 1 2", sea+" 5 6", sea+" 8 9") // the latest stay counts, not the one that began last
	is("IMO9000015", sea+" 1 3", china+" 4 4")                          // that search had never been covered before
	is("IMO9000016", moored+" 1 2", sea+" 2 4", moored+" 6 9")          // crossed the border on night 2, and came back
	is("MMSI235000001")
	h.stay("MMSI235000001", moored, 1, 2) // was known by its MMSI alone at first
	h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES ('MMSI235000001', 'IMO9000014', " + at(3) + ", " + night(3) + ")")
	is("IMO9000014", sea+" 3 9")
	h.stay("MMSI235000001", sea, 8, 9) // another vessel that was given the MMSI since
	h.vessel("MMSI992350001", "992350001", "PA", "Beacon, Safe Water")
	h.stay("MMSI992350001", moored, 3, 4) // no vessel
	is("MMSI009000002")                   // another vessel, whose MMSI is the number of an IMO

	h.expect("SELECT vessel_id, day(snapshot_date), from_zone, world_zone, navigational_status, day(not_before), proof, proved FROM arrivals ORDER BY ALL",
		"IMO9000002 | 4 | north-sea | baltic-sea | moored | 3 | seen in another zone | true",
		"IMO9000003 | 2 | - | north-sea | moored | 1 | not seen in that status | false",
		"IMO9000007 | 6 | north-sea | baltic-sea | moored | 1 | seen in another zone | true",
		"IMO9000008 | 4 | north-sea | baltic-sea | moored | 1 | seen in another zone | true",
		"IMO9000009 | 4 | baltic-sea | north-sea | moored | 2 | seen in another zone | true",
		"IMO9000009 | 6 | north-sea | baltic-sea | moored | 5 | seen in another zone | true",
		"IMO9000010 | 9 | - | baltic-sea | moored | 8 | not seen in that status | false",
		"IMO9000010 | 9 | - | north-sea | moored | 8 | not seen in that status | false",
		"IMO9000011 | 8 | north-sea | baltic-sea | moored | 2 | seen in another zone | true",
		"IMO9000014 | 3 | north-sea | baltic-sea | moored | 2 | seen in another zone | true",
		"IMO9000016 | 2 | north-sea | baltic-sea | moored | 1 | seen in another zone | true",
		"IMO9000016 | 6 | baltic-sea | north-sea | moored | 4 | seen in another zone | true",
		"MMSI235000001 | 8 | - | baltic-sea | moored | 7 | not seen in that status | false")
	h.is("SELECT vessel_id, day(snapshot_date), world_zone, to_zone, navigational_status, day(not_before), proof, proved FROM departures ORDER BY ALL",
		"IMO9000002 | 4 | north-sea | baltic-sea | moored | 3 | seen in another zone | true",
		"IMO9000003 | 6 | north-sea | - | moored | 4 | not seen in that status | false",
		"IMO9000007 | 9 | north-sea | baltic-sea | moored | 6 | seen in another zone | true",
		"IMO9000008 | 9 | baltic-sea | north-sea | moored | 6 | seen in another zone | true",
		"IMO9000009 | 4 | baltic-sea | north-sea | moored | 2 | seen in another zone | true",
		"IMO9000009 | 6 | north-sea | baltic-sea | moored | 5 | seen in another zone | true",
		"IMO9000009 | 9 | baltic-sea | - | moored | 8 | not seen in that status | false",
		"IMO9000011 | 8 | north-sea | baltic-sea | moored | 2 | seen in another zone | true",
		"IMO9000012 | 9 | north-sea | - | moored | 8 | not seen in that status | false",
		"IMO9000013 | 4 | north-sea | baltic-sea | moored | 2 | seen in another zone | true",
		"IMO9000014 | 3 | north-sea | baltic-sea | moored | 2 | seen in another zone | true",
		"IMO9000015 | 4 | baltic-sea | china-coast | moored | 3 | seen in another zone | true",
		"IMO9000016 | 4 | north-sea | baltic-sea | moored | 2 | seen in another zone | true",
		"IMO9000016 | 6 | baltic-sea | north-sea | moored | 4 | seen in another zone | true")
}

// TestAbsenceFromAZone: a vessel is absent from a zone only on a night on which every status of the zone
// and every worldwide one was covered.
func TestAbsenceFromAZone(t *testing.T) {
	const moored, sea = "moored/north-sea", "moored/baltic-sea"
	h := newHistory(t, 9)
	for name, c := range map[string]struct {
		before   func(h history)
		arrival  string
		departed string
	}{
		"every status on one night": {
			before:  func(h history) {},
			arrival: "not seen in any status | false | 3", departed: "not seen in any status | false | 7",
		},
		"a status of the zone is missing": {
			before:  func(h history) { h.exec("UPDATE coverage SET state = 'partial' WHERE value = 'under-way/north-sea'") },
			arrival: "not seen in that status | false | 4", departed: "not seen in that status | false | 7",
		},
		"a worldwide status is missing": {
			before:  func(h history) { h.exec("UPDATE coverage SET state = 'failed' WHERE value = 'drifting'") },
			arrival: "not seen in that status | false | 4", departed: "not seen in that status | false | 7",
		},
		"one status was only searched for by load": {
			before: func(h history) {
				h.exec("UPDATE coverage SET value = value || '?laden=laden' WHERE value = 'sailing/north-sea'")
			},
			arrival: "not seen in that status | false | 4", departed: "not seen in that status | false | 7",
		},
		"the vessel was adrift somewhere": {
			before:  func(h history) { h.stay("IMO9000001", "drifting", 3, 3); h.stay("IMO9000001", "drifting", 7, 7) },
			arrival: "not seen in that status | false | 4", departed: "not seen in that status | false | 7",
		},
	} {
		h.try(name, func(h history) {
			h.search("complete", 3, everywhere()...)
			h.search("complete", 7, everywhere()...)
			h.search("complete", 4, moored)
			h.search("complete", 5, moored)
			h.vessel("IMO9000001", "", "PA", "")
			h.stay("IMO9000001", moored, 5, 5)
			c.before(h)
			h.expect("SELECT proof, proved, day(not_before) FROM arrivals", c.arrival)
			h.is("SELECT proof, proved, day(snapshot_date) FROM departures", c.departed)
		})
	}
	h.try("a vessel that comes back has left in between only if it was absent", func(h history) {
		for day := 1; day <= 9; day++ {
			h.search("complete", day, moored, sea)
		}
		h.exec("DELETE FROM coverage WHERE snapshot_date = " + night(5))
		h.search("complete", 5, everywhere()...)
		h.vessel("IMO9000001", "", "PA", "")
		h.vessel("IMO9000002", "", "PA", "")
		h.stay("IMO9000001", moored, 1, 3)
		h.stay("IMO9000001", moored, 7, 9)
		h.stay("IMO9000002", moored, 1, 5)
		h.stay("IMO9000002", moored, 7, 9)
		h.expect("SELECT vessel_id, day(snapshot_date), day(not_before), from_zone, proof FROM arrivals", "IMO9000001 | 7 | 5 | - | not seen in any status")
		h.is("SELECT vessel_id, day(snapshot_date), day(not_before), to_zone, proof FROM departures", "IMO9000001 | 5 | 3 | - | not seen in any status")
	})
}
