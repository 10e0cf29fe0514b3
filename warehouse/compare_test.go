package warehouse

import "testing"

// TestHash compares the hash of a few rows with that of others. The first hash is written down: another
// one means that two machines, or two versions of the program, would no longer agree.
func TestHash(t *testing.T) {
	const row1, row2 = "('IMO9811000', '2026-01-01', '2026-01-02', NULL, true)", "('MMSI353136000', '2026-01-01', NULL, '2026-01-03', NULL)"
	const want = "000000000000000080851cc08b35b901"
	cases := map[string]struct {
		rows string
		same bool
	}{
		"the same rows":                 {row1 + ", " + row2, true},
		"in another order":              {row2 + ", " + row1, true},
		"one of them twice":             {row1 + ", " + row2 + ", " + row2, false},
		"one is missing":                {row1, false},
		"values that have changed rows": {"('IMO9811000', '2026-01-01', NULL, NULL, true), ('MMSI353136000', '2026-01-01', '2026-01-02', '2026-01-03', NULL)", false},
		"values that changed columns":   {"('IMO9811000', '2026-01-01', NULL, '2026-01-02', true), " + row2, false},
		"a null for false":              {row1 + ", ('MMSI353136000', '2026-01-01', NULL, '2026-01-03', false)", false},
	}
	c, err := attach(t.Context(), t.TempDir(), nil)
	must(t, err)
	defer func() { must(t, c.close()) }()
	run := func(text string) {
		_, err := c.db.ExecContext(t.Context(), text)
		must(t, err)
	}
	run("ATTACH ':memory:' AS after")
	for name, rows := range cases {
		t.Run(name, func(t *testing.T) {
			run("CREATE OR REPLACE TABLE after.listed (vessel_id VARCHAR, from_date DATE, to_date DATE, last_date DATE, has_country BOOLEAN)")
			run("INSERT INTO after.listed VALUES " + rows.rows)
			n, hash, err := c.hash(t.Context(), "after", "listed", []string{"from_date", "has_country", "last_date", "to_date", "vessel_id"})
			must(t, err)
			if (hash == want) != rows.same {
				t.Errorf("%d rows have the hash %s, and %s is that of the rows", n, hash, want)
			}
		})
	}
}
