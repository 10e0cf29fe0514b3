package warehouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

// balances are five runs: one whose unknown outcomes the balance settles, one during and
// before which someone else uses the key, one that was killed, one during which credits are
// bought, and one whose balance is unknown.
var balances = map[int]string{
	20: "credits_spent = 100, credits_unknown = 20",
	21: "credits_spent = 50, credits_unknown = 0",
	22: "credits_spent = 30, credits_unknown = 10",
	23: "credits_spent = 5, credits_unknown = 0",
	24: "credits_spent = 40, credits_unknown = 40",
}

// accounts is what the account of the journal says of the five runs.
var accounts = []RunAccount{
	{Run: runAt(20).ID, Before: of(1000), After: of(910), Settled: 90, Drift: of(0)},
	{Run: runAt(21).ID, Before: of(900), After: of(830), Settled: 50, Drift: of(20), Elsewhere: of(10)},
	{Run: runAt(22).ID, Before: of(830), After: of(805), Settled: 25, Drift: of(0), Elsewhere: of(0)},
	{Run: runAt(23).ID, Before: of(805), After: of(1000), Settled: 5, Drift: of(-200)},
	{Run: runAt(24).ID, Settled: 40, Unproved: 40, Why: "no balance was read"},
}

// ledger publishes the five runs with their requests.
func ledger(t *testing.T) *Warehouse {
	t.Helper()
	dir := t.TempDir()
	for day := 20; day <= 24; day++ {
		must(t, update(t, dir, day, fmt.Sprintf("UPDATE runs SET %s WHERE run_id = '%s'", balances[day], runAt(day).ID), requestsOf(day)))
	}
	b := Build{Dir: dir, RunID: runAt(24).ID, From: Path(dir), Comments: comments()}
	for range 2 { // each night replaces them
		b.Steps = append(b.Steps, func(ctx context.Context, tx *Tx) error { return tx.SetRunAccounts(ctx, accounts) })
	}
	must(t, Update(t.Context(), b))
	return opened(t, dir)
}

func requestsOf(day int) string {
	sent := map[int]string{
		20: `(1, 'credits', '02:00', 0, 'free', 'ok', 0), (2, 'by-type', '02:00', 80, 'priced', 'ok', 800),
			(3, 'by-type', '02:20', 15, 'unknown', 'network', 0), (4, 'info', '02:30', 5, 'unknown', 'unreadable', 0)`,
		21: "(1, 'credits', '02:00', 0, 'free', 'ok', 0), (2, 'info', '02:00', 50, 'priced', 'ok', 10)",
		22: "(1, 'credits', '02:00', 0, 'free', 'ok', 0), (2, 'by-status', '02:00', 20, 'priced', 'empty', 0), (3, 'by-status', '02:01', 10, 'unknown', 'unknown', 0)",
		23: "(1, 'credits', '02:00', 0, 'free', 'ok', 0), (2, 'particulars', '02:00', 4, 'priced', 'ok', 4), (3, 'location', '23:59', 1, 'priced', 'ok', 1), (4, 'location', '23:59', 0, 'assumed', 'not_found', 0)",
		24: "(1, 'credits', '02:00', 0, 'free', 'network', 0), (2, 'by-type', '02:00', 40, 'unknown', 'network', 0)",
	}
	return fmt.Sprintf(`INSERT INTO requests (run_id, entry, operation, sent_at, credits, charge, outcome, rows)
		SELECT '%s', entry, operation, ('2026-11-%d ' || hour || ':00Z')::TIMESTAMPTZ, credits, charge, outcome, rows FROM (VALUES %s) AS v(entry, operation, hour, credits, charge, outcome, rows)`,
		runAt(day).ID, day, sent[day])
}

// perThousand is what a thousand rows cost.
func perThousand(credits int, rows int64) *float64 {
	if rows == 0 {
		return nil
	}
	n := math.Round(100*1000*float64(credits)/float64(rows)) / 100
	return &n
}

func of(n int) *int { return &n }

func TestLedgerHoldsOurCountAgainstTheBalance(t *testing.T) {
	got, err := ledger(t).Ledger(t.Context(), time.Time{})
	must(t, err)
	want := []LedgerRun{
		{runAt(20).ID, "nightly", of(1000), of(910), 100, 20, of(90), 90, of(0), nil, 0, ""},
		{runAt(21).ID, "nightly", of(900), of(830), 50, 0, of(70), 50, of(20), of(10), 0, ""},
		{runAt(22).ID, "nightly", of(830), of(805), 30, 10, of(25), 25, of(0), of(0), 0, ""},
		{runAt(23).ID, "nightly", of(805), of(1000), 5, 0, of(-195), 5, of(-200), nil, 0, ""},
		{runAt(24).ID, "nightly", nil, nil, 40, 40, nil, 40, nil, nil, 40, "no balance was read"},
	}
	if diff := cmp.Diff(want, got.Runs); diff != "" {
		t.Error(diff)
	}
}

func TestLedgerByDay(t *testing.T) {
	w := ledger(t)
	got, err := w.Ledger(t.Context(), time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC))
	must(t, err)
	day := func(day, operation string, requests, answers, credits, unknown int, rows int64) LedgerDay {
		return LedgerDay{PerThousand: perThousand(credits, rows), Day: "2026-11-" + day, Job: "nightly", Operation: operation, Requests: requests, Answers: answers, Credits: credits, Unknown: unknown, Rows: rows}
	}
	want := []LedgerDay{
		day("22", "by-status", 2, 1, 30, 10, 0), day("22", "credits", 1, 1, 0, 0, 0),
		day("23", "credits", 1, 1, 0, 0, 0), day("23", "location", 2, 1, 1, 0, 1), day("23", "particulars", 1, 1, 4, 0, 4),
		day("24", "by-type", 1, 0, 40, 40, 0), day("24", "credits", 1, 0, 0, 0, 0),
	}
	want[1].Balance, want[1].NotBilled, want[1].Drift = of(805), 5, of(0)
	want[2].Balance, want[2].Drift = of(1000), of(-200)
	if diff := cmp.Diff(want, got.Days); diff != "" {
		t.Error(diff)
	}
	if len(got.Runs) != 3 || got.Runs[0].After == nil || *got.Runs[0].After != 805 {
		t.Errorf("runs since the day: %+v", got.Runs)
	}
	all, err := lines(t.Context(), w, "SELECT sum(credits), sum(unknown), sum(not_billed), sum(drift) FROM credits_daily")
	must(t, err)
	if all != "225 70 15 -180;" {
		t.Errorf("the columns sum to %s", all)
	}
}

func TestLedgerByOutcome(t *testing.T) {
	got, err := ledger(t).Ledger(t.Context(), time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC))
	must(t, err)
	want := []LedgerOutcome{
		{"by-type", "network", "unknown", 1, 40, 40, 0},
		{"credits", "network", "free", 1, 0, 0, 0}, {"credits", "ok", "free", 1, 0, 0, 0},
		{"location", "ok", "priced", 1, 1, 0, 1}, {"location", "not_found", "assumed", 1, 0, 0, 0},
		{"particulars", "ok", "priced", 1, 4, 0, 4},
	}
	if diff := cmp.Diff(want, got.Outcomes); diff != "" {
		t.Error(diff)
	}
}

// insertOperationDatasets returns SQL that fills the reference table operation_datasets.
func insertOperationDatasets() string {
	tables := transform.ReferenceTables()
	t := tables[slices.IndexFunc(tables, func(t transform.ReferenceTable) bool { return t.Name == "operation_datasets" })]
	var rows []string
	for _, row := range t.Rows {
		rows = append(rows, "("+quoted(row...)+")")
	}
	return "INSERT INTO " + t.Name + " (" + strings.Join(t.Columns, ", ") + ") VALUES " + strings.Join(rows, ", ")
}

func TestLedgerByTable(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, insertOperationDatasets(), requestsOf(20), `UPDATE runs SET report = '{"rows": {"listings": 800, "requests": 4}}'`))
	must(t, update(t, dir, 21, requestsOf(21), `UPDATE runs SET report = '{"rows": {"particulars": 10, "engine": 8, "management": 9, "positions": 10, "voyages": 11}}' WHERE run_id LIKE '20261121%'`))
	must(t, update(t, dir, 23, requestsOf(23), `UPDATE runs SET report = '{"rows": {"particulars": 4, "positions": 1, "voyages": 1}}' WHERE run_id LIKE '20261123%'`))
	cost := func(credits float64) *float64 { return &credits }
	w := opened(t, dir)
	for since, want := range map[int][]LedgerTable{
		20: {{"listings", 95, 800, cost(118.75)}, {"engine", 16.5, 8, cost(2062.5)}, {"management", 16.5, 9, cost(1833.33)}, {"particulars", 15, 14, cost(1071.43)}, {"positions", 6, 11, cost(545.45)}, {"voyages", 6, 12, cost(500)}},
		23: {{"particulars", 4, 4, cost(1000)}, {"positions", 0.5, 1, cost(500)}, {"voyages", 0.5, 1, cost(500)}},
		24: nil,
	} {
		got, err := w.Ledger(t.Context(), time.Date(2026, 11, since, 0, 0, 0, 0, time.UTC))
		must(t, err)
		if diff := cmp.Diff(want, got.Tables); diff != "" {
			t.Errorf("since %d: %s", since, diff)
		}
	}
}

// TestOlderFile reads a file from before the ledger had views: the error names the remedy.
func TestOlderFile(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, "UPDATE runs SET "+balances[20], requestsOf(20), "DROP VIEW credits_daily", "DROP VIEW run_credits"))
	w := opened(t, dir)
	if _, err := w.Ledger(t.Context(), time.Time{}); !errors.Is(err, ErrOlder) {
		t.Errorf("got %v, want %v", err, ErrOlder)
	}
}
