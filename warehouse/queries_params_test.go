package warehouse_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// tryParameters gives each parameter a value, and expects another answer, of which a condition holds.
func tryParameters(t *testing.T, w *warehouse.Warehouse) {
	tried := map[string]bool{}
	for name, c := range map[string]struct{ query, param, value, holds string }{
		"another category":              {"tankers_reflagged", "category", "'cargo'", "vessel_id IN (SELECT vessel_id FROM vessels WHERE category = 'cargo')"},
		"another spelling of a company": {"company_fleets", "company", "(SELECT lower(min(name)) FROM company_names)", "name = (SELECT min(name) FROM company_names)"},
		"a zone of vessels gone dark":   {"gone_dark", "zone", "(SELECT min(world_zone) FROM gone_dark)", "world_zone = (SELECT min(world_zone) FROM gone_dark)"},
		"a zone of waiting tankers": {"waiting_tankers", "zone", "(SELECT max(world_zone) FROM vessels WHERE listed AND category = 'tanker' AND navigational_status = 'at-anchor')",
			"world_zone = (SELECT max(world_zone) FROM vessels WHERE listed AND category = 'tanker' AND navigational_status = 'at-anchor')"},
		"another zone":                 {"congestion", "zone", "'north-sea'", "world_zone = 'north-sea'"},
		"a flag":                       {"deadweight_by_flag", "flag", "'LR'", "flag = 'LR'"},
		"the last night as an instant": {"fleet_as_of", "moment", "'2026-12-04T12:00:00Z'", "difference = 0"},
		"an IMO number":                {"vessel_life", "vessel", "(SELECT max(imo) FROM renamings)", "what IN (SELECT field FROM changes UNION SELECT value FROM navigational_statuses)"},
		"a night":                      {"known_then", "night", "'2026-12-01'", "vessel_id IS NOT NULL"},
		"a week":                       {"what_changed", "night", "'2026-11-24'", "changes + doubtful > 0"},
	} {
		q := warehouse.Queries()[slices.IndexFunc(warehouse.Queries(), func(q warehouse.WorkedQuery) bool { return q.Name == c.query })]
		tried[q.Name] = true
		_, value := ask(t, w, "SELECT "+c.value+"::VARCHAR")
		params := map[string]string{c.param: value[0][0].(string)}
		usual := answer(t, w, warehouse.Statement{Text: q.Text})
		got := answer(t, w, warehouse.Statement{Text: q.Text, Params: params})
		if len(got) == 0 || slices.Equal(got, usual) {
			t.Errorf("%s: %s has %d rows, the same as without it", name, c.query, len(got))
		}
		if none := answer(t, w, warehouse.Statement{Text: "FROM (" + body(q) + ") WHERE NOT (" + c.holds + ")", Params: params}); len(none) > 0 {
			t.Errorf("%s: %s has a row that should not be there: %s", name, c.query, none[0])
		}
	}
	for _, q := range warehouse.Queries() {
		if len(q.Params) > 0 && !tried[q.Name] {
			t.Errorf("%s: no value of its parameter is tried", q.Name)
		}
	}
}

// answer returns the rows of a statement, each as one text.
func answer(t *testing.T, w *warehouse.Warehouse, s warehouse.Statement) (rows []string) {
	t.Helper()
	r, err := w.Spooled(t.Context(), s, warehouse.AsText)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Text)
	}
	defer r.Close()
	for row, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprint(row...))
	}
	return rows
}
