package load

import "testing"

// TestWithdrawnValues: a value that the service accepts no more leaves what a complete list must cover, and nobody
// is gone who stood under it.
func TestWithdrawnValues(t *testing.T) {
	const stays = "SELECT vessel_id, to_date, last_date, missing_since, absent_on, proof FROM listed ORDER BY ALL"
	tug := row{"mmsi": "211000001", "vessel_type": "Tug", "category": "tug", "is_vessel": true}
	check(t, map[string]rule{
		"without the country of another, a vessel is missing and gone": {
			nights: []run{night("20", listings(ever)), night("21", withdrawn("country", "Zimbabwe")), night("22", withdrawn("country", "Zimbabwe"))},
			sql:    stays, want: "IMO9811000 20 20 21 22 missing twice",
		},
		"without her own she is not listed any more, and not gone": {
			nights: []run{night("20", listings(ever)), night("21"), night("22", withdrawn("country", "Panama"))},
			sql:    stays, want: "IMO9811000 21 20 - - country no longer accepted",
		},
		"also if a list missed her before": {
			nights: []run{night("20", listings(ever)), night("21", covered("country")), night("22", withdrawn("country", "Panama"))},
			sql:    stays, want: "IMO9811000 21 20 - - country no longer accepted",
		},
		"nor under another spelling of it": {
			nights: []run{night("20", listings(with(ever, row{"country": "Turkey", "flag": "TR"}))), night("21", withdrawn("country", "TURKIYE"))},
			sql:    stays, want: "IMO9811000 20 20 - - country no longer accepted",
		},
		"unless the list has her under it": {
			nights: []run{night("20", listings(ever)), night("21", withdrawn("country", "Panama"), listings(ever))},
			sql:    stays, want: "IMO9811000 - 21 - - -",
		},
		"nor while other countries are not covered": {
			nights: []run{night("20", listings(ever)), night("21", map[string][]row{"coverage": withdrawn("country", "Panama")["coverage"][3:]})},
			sql:    stays, want: "IMO9811000 - 20 - - -",
		},
		"she is missing if the types would show her": {
			nights: []run{night("20", listings(ever)), night("21", withdrawn("country", "Panama"), covered("type"))},
			sql:    stays, want: "IMO9811000 - 20 21 - -",
		},
		"her type is no longer accepted": {
			nights: []run{night("20", listings(tug)), night("21", withdrawn("type", "Tug"))},
			sql:    stays, want: "MMSI211000001 20 20 - - type no longer accepted",
		},
		"it is accepted again": {
			nights: []run{night("20", listings(ever)), night("21", withdrawn("country", "Panama")), night("22", covered("country"), listings(ever))},
			sql:    stays, want: "IMO9811000 20 20 - - country no longer accepted\nIMO9811000 - 22 - - -",
		},
	})
}

// withdrawn covers every value of a kind but one, which the service accepts no more.
func withdrawn(kind, value string) map[string][]row {
	all := covered(kind)
	for _, r := range all["coverage"] {
		if r["value"] == value {
			r["state"], r["reason"], r["received_rows"] = "skipped", "no longer accepted", nil
		}
	}
	return all
}

// TestDepartureIsDatedBack: a departure counts from the first night that missed the vessel, under the flag and the
// category that it had then.
func TestDepartureIsDatedBack(t *testing.T) {
	nights := []run{
		night("20", listings(ever, nameless), covered("country")),
		night("21", listings(nameless), covered("country")),
		night("22", particulars(with(ever, row{"flag": "LR", "country": "Liberia", "mmsi": "636016000"}))),
		night("23", listings(nameless), covered("country")),
	}
	const fleet = "SELECT n.night, count(*) FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night) GROUP BY n.night ORDER BY n.night"
	const daily = "SELECT snapshot_date, flag, sum(listed) FROM fleet_daily GROUP BY ALL ORDER BY ALL"
	check(t, map[string]rule{
		"the fleet while it is not proved":        {nights: nights[:3], sql: fleet, want: "20 2\n21 2\n22 2"},
		"the fleet once it is":                    {nights: nights, sql: fleet, want: "20 2\n21 1\n22 1\n23 1"},
		"the nightly counts while it is not":      {nights: nights[:3], sql: daily, want: "20 NL 1\n20 PA 1\n21 NL 1\n21 PA 1\n22 LR 1\n22 NL 1"},
		"the nightly counts once it is":           {nights: nights, sql: daily, want: "20 NL 1\n20 PA 1\n21 NL 1\n22 NL 1\n23 NL 1"},
		"by a lookup on the night that misses it": {nights: []run{night("20", listings(ever), lookup("ok", "20")), night("21", covered("country"), lookup("not_found", "21"))}, sql: daily, want: "20 PA 1"},
	})
}
