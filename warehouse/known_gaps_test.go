package warehouse

import "testing"

// TestKnownGaps: of each column that is null, which of the four reasons holds, and no row of one that is known.
func TestKnownGaps(t *testing.T) {
	deadweight := "SELECT vessel_id, reason, raw_value, hour(answered_at) FROM known_gaps WHERE field = 'deadweight_t' ORDER BY ALL"
	for name, test := range map[string]struct {
		prepare func(h history)
		want    []string
	}{
		"a value that is known":               {func(h history) { particularsAnswer(h, "IMO9000001", "deadweight_t", "5000") }, nil},
		"a vessel of which nothing was asked": {func(history) {}, []string{"IMO9000001 | never asked | - | -"}},
		"a lookup for another dataset":        {func(h history) { asked(h, "location", 9000001) }, []string{"IMO9000001 | never asked | - | -"}},
		"a lookup by the IMO number without an answer": {
			func(h history) { asked(h, "info", 9000001) }, []string{"IMO9000001 | asked, no answer | - | -"}},
		"a lookup by the MMSI without an answer": {
			func(h history) { asked(h, "particulars", 353000001) }, []string{"IMO9000001 | asked, no answer | - | -"}},
		"an answer with another value": {
			func(h history) { asked(h, "info", 9000001); particularsAnswer(h, "IMO9000001", "length_m", "200") }, []string{"IMO9000001 | asked, not given | - | 2"}},
		"an answer without a value of the dataset": {
			func(h history) { asked(h, "info", 9000001); issue(h, "IMO9000001", "", "", "no values") }, []string{"IMO9000001 | asked, not given | - | -"}},
		"a value that was refused": {
			func(h history) { asked(h, "info", 9000001); issue(h, "IMO9000001", "deadweight_t", "-1", "negative") },
			[]string{"IMO9000001 | given, but refused | -1 | -"}},
		"a value that was refused under the MMSI, before the IMO number": {
			func(h history) {
				issue(h, "MMSI353000001", "deadweight_t", "0", "zero")
				h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES ('MMSI353000001', 'IMO9000001', " + at(9) + ", " + night(9) + ")")
			}, []string{"IMO9000001 | given, but refused | 0 | -"}},
		"another value that was refused": {
			func(h history) { issue(h, "IMO9000001", "length_m", "0", "zero") }, []string{"IMO9000001 | never asked | - | -"}},
		"an id that is an alias": {
			func(h history) {
				h.vessel("MMSI353000009", "353000009", "PA", "Bulk Carrier")
				h.exec("INSERT INTO vessel_aliases (alias_id, vessel_id, since, snapshot_date) VALUES ('MMSI353000009', 'IMO9000001', " + at(2) + ", " + night(2) + ")")
			}, []string{"IMO9000001 | never asked | - | -"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 3)
			h.vessel("IMO9000001", "353000001", "PA", "Bulk Carrier")
			test.prepare(h)
			h.is(deadweight, test.want...)
		})
	}
}

// TestKnownGapsHaveAllColumnsOfTheDatasets: a column that a migration adds is among them, and the evidence is not.
func TestKnownGapsHaveAllColumnsOfTheDatasets(t *testing.T) {
	h := newHistory(t, 1)
	h.vessel("IMO9000001", "353000001", "PA", "Bulk Carrier")
	all, err := readDatasets(t.Context(), h.db)
	must(t, err)
	var want []string
	for _, d := range all[1:] {
		if d.Searched {
			continue
		}
		for _, c := range d.Columns {
			want = append(want, d.Name+" | "+c.Name)
		}
	}
	h.is("SELECT dataset, field FROM known_gaps ORDER BY ALL", sorted(want)...)
}

func asked(h history, operation string, number int) {
	h.t.Helper()
	_, err := h.db.Exec("INSERT INTO requests (run_id, entry, operation, outcome, vessel_number) VALUES ('run01', 1, $1, 'not_found', $2)", operation, number)
	must(h.t, err)
}

func particularsAnswer(h history, id, field, value string) {
	h.t.Helper()
	h.exec("INSERT INTO particulars (vessel_id, vessel_number, valid_from, last_seen, " + field + ") VALUES (" + quote(id) + ", internal.number_of(" + quote(id) + "), " + at(1) + ", " + at(1) + ", " + value + ")")
}

func issue(h history, id, field, value, reason string) {
	h.t.Helper()
	h.exec("INSERT INTO issues (run_id, entry, snapshot_date, vessel_id, vessel_number, dataset, field, raw_value, reason) VALUES ('run01', 1, " + night(1) + ", " +
		quote(id) + ", internal.number_of(" + quote(id) + "), 'particulars', " + quoted(field, value, reason) + ")")
}
