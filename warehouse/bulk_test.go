package warehouse

import (
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// TestBulk: what a plan may ask of the bulk location search follows from its last answers.
func TestBulk(t *testing.T) {
	ask := func(h history, day int, outcome string) {
		h.exec("INSERT INTO requests BY NAME SELECT 'run0" + string(rune('0'+day)) + "' AS run_id, 1 AS entry, 'bulk-location' AS operation, '" + outcome +
			"' AS outcome, " + at(day) + " AS sent_at, " + at(day) + " + INTERVAL 1 SECOND AS received_at")
	}
	seen := func(h history, day int) {
		h.exec("INSERT INTO internal.latest BY NAME SELECT 'IMO9000001' AS vessel_id, " + at(day) + " + INTERVAL 1 SECOND AS position_seen_at")
	}
	for name, c := range map[string]struct {
		prepare func(history)
		after   int // days after the second
		want    inputs.Bulk
	}{
		"never asked":                          {func(history) {}, 0, inputs.BulkUntried},
		"an answer with positions":             {func(h history) { ask(h, 1, "ok"); seen(h, 1) }, 0, inputs.BulkLocates},
		"an answer without":                    {func(h history) { ask(h, 1, "ok") }, 0, inputs.BulkIsOpaque},
		"a position of another answer":         {func(h history) { ask(h, 1, "ok"); seen(h, 2) }, 0, inputs.BulkIsOpaque},
		"blocked":                              {func(h history) { ask(h, 2, "blocked") }, 1, inputs.BulkIsOpaque},
		"blocked a week ago":                   {func(h history) { ask(h, 2, "blocked") }, 8, inputs.BulkUntried},
		"blocked after answers":                {func(h history) { ask(h, 1, "ok"); seen(h, 1); ask(h, 2, "blocked") }, 1, inputs.BulkIsOpaque},
		"blocked a week ago after answers":     {func(h history) { ask(h, 1, "ok"); seen(h, 1); ask(h, 2, "blocked") }, 8, inputs.BulkUntried},
		"one of a run's requests failed":       {func(h history) { ask(h, 1, "ok"); ask(h, 1, "unavailable"); seen(h, 1) }, 1, inputs.BulkLocates},
		"it failed once, and answers since":    {func(h history) { ask(h, 1, "unavailable"); ask(h, 2, "ok"); seen(h, 2) }, 1, inputs.BulkLocates},
		"another operation answered meanwhile": {func(h history) { ask(h, 1, "ok"); seen(h, 1); h.exec("UPDATE requests SET operation = 'area'") }, 0, inputs.BulkUntried},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 2)
			c.prepare(h)
			w := &Warehouse{db: h.db}
			got, err := w.Bulk(t.Context(), api.BulkLocation, time.Date(2026, 11, 2+c.after, 12, 0, 0, 0, time.UTC))
			if err != nil || got != c.want {
				t.Errorf("%d, %v, want %d", got, err, c.want)
			}
		})
	}
}
