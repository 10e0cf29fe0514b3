package warehouse

import (
	"fmt"
	"testing"
)

func TestGoneDark(t *testing.T) {
	const moored, anchor = "moored/north-sea", "at-anchor/north-sea"
	cases := map[string]struct {
		prepare func(h history) // after six nights that covered both searches, the vessel was last seen on night 3
		want    []string        // complete, swept and world nights since, absent until, proof, proved
	}{
		"every search was complete since": {
			want: []string{"3 | 3 | 0 | 6 | absent wherever was searched | false"},
		},
		"another search was not complete": {
			prepare: func(h history) {
				h.exec("UPDATE coverage SET state = 'partial' WHERE value = '" + anchor + "' AND day(snapshot_date) IN (4, 5)")
			},
			want: []string{"3 | 1 | 0 | 6 | absent wherever was searched | false"},
		},
		"another search was never complete, or given up": {
			prepare: func(h history) {
				h.exec("DELETE FROM coverage WHERE value = '" + anchor + "' AND day(snapshot_date) > 3")
			},
			want: []string{"3 | 0 | 0 | 6 | absent where it was last seen | false"},
		},
		"another search was given up before the vessel was last seen": {
			prepare: func(h history) { h.search("complete", 1, "fishing/north-sea") },
			want:    []string{"3 | 3 | 0 | 6 | absent wherever was searched | false"},
		},
		"the search of the last sighting was not complete": {
			prepare: func(h history) {
				h.exec("UPDATE coverage SET state = 'failed' WHERE value = '" + moored + "' AND snapshot_date > " + night(3))
			},
		},
		"the only complete night found nothing at all, and none has repeated it": {
			prepare: func(h history) {
				h.exec("DELETE FROM coverage WHERE snapshot_date > " + night(3))
				h.searchFound("complete", 4, 0, moored)
			},
		},
		"one night looked everywhere": {
			prepare: func(h history) {
				h.exec("DELETE FROM coverage WHERE snapshot_date = " + night(5))
				h.search("complete", 5, everywhere()...)
			},
			want: []string{"3 | 1 | 1 | 6 | absent in every status and zone | false"},
		},
		"two nights looked everywhere": {
			prepare: func(h history) {
				h.exec("DELETE FROM coverage WHERE snapshot_date >= " + night(5))
				h.search("complete", 5, everywhere()...)
				h.search("complete", 6, everywhere()...)
			},
			want: []string{"3 | 2 | 2 | 6 | absent in every status and zone | true"},
		},
		"another search was empty for the first time": {
			prepare: func(h history) {
				h.exec("UPDATE coverage SET received_rows = 0 WHERE value = '" + anchor + "' AND snapshot_date = " + night(5))
			},
			want: []string{"3 | 3 | 0 | 6 | absent wherever was searched | false"},
		},
		"one night looked everywhere but in one zone": {
			prepare: func(h history) {
				h.exec("DELETE FROM coverage WHERE snapshot_date = " + night(5))
				h.search("complete", 5, everywhere()...)
				h.exec("UPDATE coverage SET state = 'suspect' WHERE value = 'fishing/south-pacific-ocean'")
			},
			want: []string{"3 | 0 | 0 | 6 | absent where it was last seen | false"},
		},
		"two searches with filters look where none looks for all": {
			prepare: func(h history) {
				h.exec("UPDATE coverage SET value = value || '?laden=laden' WHERE value = '" + anchor + "'")
			},
			want: []string{"3 | 3 | 0 | 6 | absent wherever was searched | false"},
		},
		"a search with a filter looked once where another looks for all": {
			prepare: func(h history) { h.search("complete", 4, moored+"?laden=laden") },
			want:    []string{"3 | 3 | 0 | 6 | absent wherever was searched | false"},
		},
		"it was found in another zone": {
			prepare: func(h history) { h.stay("IMO9000001", anchor, 6, 6) },
		},
		"it was found under the id that it had before": {
			prepare: func(h history) {
				h.stay("MMSI353000001", anchor, 6, 6)
				h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES ('MMSI353000001', 'IMO9000001', " + at(7) + ", " + night(6) + ")")
			},
		},
		"its mmsi was found, and two vessels claim it": {
			prepare: func(h history) {
				h.exec("INSERT INTO internal.latest (vessel_id, sighting_seen_at) VALUES ('MMSI353000001', " + at(5) + ")")
			},
		},
		"its mmsi was found, but before the vessel was": {
			prepare: func(h history) {
				h.exec("INSERT INTO internal.latest (vessel_id, sighting_seen_at) VALUES ('MMSI353000001', " + at(2) + ")")
			},
			want: []string{"3 | 3 | 0 | 6 | absent wherever was searched | false"},
		},
		"it had a position since": {
			prepare: func(h history) {
				h.exec("INSERT INTO internal.latest (vessel_id, dated_at) VALUES ('IMO9000001', " + at(5) + " - INTERVAL 1 HOUR)")
			},
			want: []string{"2 | 2 | 0 | 6 | absent wherever was searched | false"},
		},
		"it had a position during the last night": {
			prepare: func(h history) {
				h.exec("INSERT INTO internal.latest (vessel_id, dated_at) VALUES ('IMO9000001', " + at(6) + " + INTERVAL 1 HOUR)")
			},
		},
		"it left the list": {
			prepare: func(h history) { h.exec("UPDATE listed SET to_date = " + night(4)) },
		},
		"it is a beacon": {
			prepare: func(h history) { h.exec("UPDATE registration SET is_vessel = false, category = 'aid to navigation'") },
		},
	}
	h := newHistory(t, 6)
	for day := 1; day <= 6; day++ {
		h.search("complete", day, moored, anchor)
	}
	h.vessel("IMO9000001", "353000001", "PA", "Bulk Carrier")
	h.stay("IMO9000001", anchor, 1, 1)
	h.stay("IMO9000001", moored, 2, 3)
	for name, c := range cases {
		h.try(name, func(h history) {
			if c.prepare != nil {
				c.prepare(h)
			}
			h.expect("SELECT complete_nights_since, swept_nights_since, world_nights_since, day(absent_until), proof, proved FROM gone_dark", c.want...)
			if len(c.want) > 0 {
				h.is("SELECT vessel_id, imo, mmsi, flag, category, navigational_status, world_zone, day(last_date) FROM gone_dark", "IMO9000001 | 9000001 | 353000001 | PA | cargo | moored | north-sea | 3")
			}
		})
	}
}

func TestZoneCongestion(t *testing.T) {
	const sea, china, laden, ballast = "at-anchor/north-sea", "at-anchor/china-coast", "at-anchor/baltic-sea?laden=laden", "at-anchor/baltic-sea?laden=ballast"
	h := newHistory(t, 30)
	h.try("a week", func(h history) {
		h.exec("DELETE FROM runs WHERE snapshot_date > " + night(6))
		for i, typ := range []string{"Bulk Carrier", "Bulk Carrier", "Bulk Carrier", "Crude Oil Tanker", "Beacon, Safe Water"} {
			h.vessel(fmt.Sprintf("IMO900000%d", i), "", "PA", typ)
		}
		for day, state := range []string{"complete", "complete", "partial", "complete", "complete"} {
			h.search(state, day+1, sea)
			h.search("complete", day+1, "moored/north-sea", "drifting")
		}
		h.stay("IMO9000000", sea, 1, 5)
		h.stay("IMO9000001", sea, 2, 4) // its nights include one that was not covered
		h.stay("IMO9000002", sea, 4, 5)
		h.stay("IMO9000003", sea, 5, 5)
		h.stay("IMO9000004", sea, 1, 5) // no vessel
		h.stay("IMO9000002", "drifting", 1, 2)
		h.stay("IMO9000002", "moored/north-sea", 1, 5) // does not wait
		h.expect("SELECT day(snapshot_date), waiting, usual, usual_low, usual_high, usual_nights, above_usual FROM zone_congestion WHERE world_zone = 'north-sea' AND category = 'cargo' ORDER BY ALL",
			"1 | 1 | - | - | - | 0 | -",
			"2 | 2 | 1.0 | 1.0 | 1.0 | 1 | 1.0",
			"3 | - | 1.5 | 1.25 | 1.75 | 2 | -",
			"4 | 3 | 1.5 | 1.25 | 1.75 | 2 | 1.5",
			"5 | 2 | 2.0 | 1.5 | 2.5 | 3 | 0.0",
			"6 | - | 2.0 | 1.75 | 2.25 | 4 | -") // a night that did not look there at all
		h.is("SELECT category, string_agg(coalesce(waiting::VARCHAR, '-'), ' ' ORDER BY snapshot_date) FROM zone_congestion WHERE world_zone = 'north-sea' GROUP BY ALL ORDER BY ALL",
			"cargo | 1 2 - 3 2 -", "tanker | 0 0 - 0 1 -")
		h.is("SELECT DISTINCT navigational_status, category FROM zone_congestion WHERE world_zone IS NULL", "drifting | cargo")
	})
	h.try("a silent zero is not zero", func(h history) {
		h.exec("DELETE FROM runs WHERE snapshot_date > " + night(3))
		h.vessel("IMO9000001", "", "PA", "")
		h.stay("IMO9000001", china, 1, 1)
		h.search("complete", 1, china)
		h.searchFound("complete", 2, 0, china)
		h.searchFound("complete", 3, 0, china)
		h.expect("SELECT day(snapshot_date), waiting FROM zone_congestion ORDER BY ALL", "1 | 1", "2 | -", "3 | 0")
	})
	h.try("searches with filters add up, and are not compared with others", func(h history) {
		h.exec("DELETE FROM runs WHERE snapshot_date > " + night(4))
		for i, sweep := range []string{laden, ballast} {
			id := fmt.Sprintf("IMO900000%d", i)
			h.vessel(id, "", "PA", "")
			h.stay(id, sweep, 1, 4)
			h.stay(id, "at-anchor/baltic-sea", 4, 4)
			for day := 1; day <= 4; day++ {
				h.search("complete", day, sweep)
			}
		}
		h.exec("UPDATE coverage SET state = 'skipped' WHERE value = '" + ballast + "' AND snapshot_date = " + night(2))
		h.search("complete", 4, "at-anchor/baltic-sea")
		h.expect("SELECT day(snapshot_date), filters, waiting, usual_nights FROM zone_congestion ORDER BY ALL",
			"1 | laden=ballast laden=laden | 2 | 0", "2 | laden=ballast laden=laden | - | 1", "3 | laden=ballast laden=laden | 2 | 1", "4 | - | 2 | 0")
	})
	h.try("only the 28 days before are usual", func(h history) {
		h.vessel("IMO9000001", "", "PA", "")
		h.stay("IMO9000001", sea, 1, 30)
		for _, day := range []int{1, 2, 30} {
			h.search("complete", day, sea)
		}
		h.expect("SELECT usual_nights FROM zone_congestion WHERE snapshot_date = "+night(30), "1")
	})
}
