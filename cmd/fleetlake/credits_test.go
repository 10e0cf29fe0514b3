package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// ledgerJob lists two flags and looks some vessels up.
const ledgerJob = `
    deadline: 1h
    list: {by: country, countries: [Panama, Liberia], max_age: 0s}
    sweep: {statuses: []}
    lookup: {want: [particulars], max_age: 0s, max_requests: 30}
`

// bill is the output of credits --json.
func (w *world) bill(args ...string) console.Credits {
	w.t.Helper()
	var b console.Credits
	out := w.must(exitDone, append([]string{"credits", "--json"}, args...)...).stdout
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		w.t.Fatalf("%v in %s", err, out)
	}
	return b
}

// TestCreditsAgreeWithTheBill harvests nights with faults and compares the ledger with
// the bill of the service.
func TestCreditsAgreeWithTheBill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults  simulator.Faults
		unknown bool // some outcomes are unknown, and the balance settles them
		drift   bool // the service charges for what is free by the API documentation
	}{
		"nothing goes wrong": {},
		"answers are lost, and were billed": {
			faults: simulator.Faults{{Kind: simulator.Cut, Operation: "particulars", Every: 6, Billed: true}}, unknown: true},
		"answers are lost, and some were billed": {
			faults: simulator.Faults{{Kind: simulator.Cut, Operation: "particulars", Every: 5, Billed: true}, {Kind: simulator.Cut, Operation: "by-type", Next: 2}}, unknown: true},
		"lists that are not returned are billed": {
			faults: simulator.Faults{{Kind: simulator.Unavailable, Operation: "by-type", Match: "country", Next: 2, Billed: true}}, drift: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 600})
			w.configure(1_000_000, ledgerJob)
			if err := w.sim.SetFaults(c.faults); err != nil {
				t.Fatal(err)
			}
			w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
			b, truth := w.bill(), w.sim.Bill()
			if got := b.Settled + b.Drift; got != truth.Spent {
				t.Errorf("settled %d and drift %d, the service billed %d", b.Settled, b.Drift, truth.Spent)
			}
			if (b.Drift > 0) != c.drift || (len(b.Notes) > 0) != c.drift || b.Elsewhere != 0 {
				t.Errorf("drift %d, elsewhere %d: %q", b.Drift, b.Elsewhere, b.Notes)
			}
			unknown := w.number("SELECT sum(unknown) FROM credits_daily")
			if unknown > 0 != c.unknown || b.Unknown != 0 {
				t.Errorf("%d credits of unknown outcome, %d not settled", unknown, b.Unknown)
			}
			if all := w.number("SELECT sum(credits) FROM credits_daily"); *b.Balance != truth.Balance || b.Counted > all || b.Counted < all-unknown {
				t.Errorf("balance %d, want %d; %d counted of %d", *b.Balance, truth.Balance, b.Counted, all)
			}
			ledgerIsTheBill(t, b, truth)
		})
	}
}

// ledgerIsTheBill compares requests by operation with those that the service answered.
func ledgerIsTheBill(t *testing.T, b console.Credits, truth simulator.Bill) {
	t.Helper()
	days, outcomes := map[string]int{}, map[string]int{}
	for _, d := range b.Days {
		days[d.Operation] += d.Requests
	}
	for _, o := range b.Outcomes {
		outcomes[o.Operation] += o.Requests
	}
	requests := 0
	for _, o := range operations() {
		n := truth.Operations[o].Requests
		requests += n
		if o == "credits" && n > 0 {
			n, requests = days[o], requests-n+days[o] // it is asked after the last bill, too
		}
		if days[o] != n || outcomes[o] != n {
			t.Errorf("%s: %d requests by day and %d by outcome, the service answered %d", o, days[o], outcomes[o], n)
		}
	}
	if b.Requests != requests {
		t.Errorf("%d requests, want %d", b.Requests, requests)
	}
	cost := map[string]float64{}
	for _, table := range b.Tables {
		cost[table.Table] = table.Credits
	}
	for operation, table := range map[string]string{"by-type": "listings", "particulars": "particulars"} {
		counted := 0
		for _, o := range b.Outcomes {
			if o.Operation == operation {
				counted += o.Credits
			}
		}
		if int(cost[table]) != counted {
			t.Errorf("%s cost %v, want %d", table, cost[table], counted)
		}
	}
}

// TestCreditsNameWhoElseSpends takes credits from the key between two nights, and adds some.
func TestCreditsNameWhoElseSpends(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 300})
	w.configure(1_000_000, ledgerJob)
	balance := func() int { return w.sim.Bill().Balance }
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	w.sim.SetBalance(balance() - 120)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-21")
	w.sim.SetBalance(balance() + 5000)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-22")
	b := w.bill()
	if b.Drift != 0 || b.Elsewhere != 120-5000 || *b.Balance != balance() {
		t.Errorf("drift %d, elsewhere %d, balance %d, want 0, %d and %d", b.Drift, b.Elsewhere, *b.Balance, 120-5000, balance())
	}
	text := w.must(exitDone, "credits").stdout
	for _, want := range []string{
		"120 credits more than we count left the balance before run " + b.Runs[1].Run + ": someone else uses the key",
		"5,000 credits fewer than we count left the balance before run " + b.Runs[2].Run + ": credits were bought",
		"By day, job and operation", "Cost of the rows of the lake", "Our count of each run against the balance", wording.Count(balance()),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestCreditsSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 300})
	w.must(exitUsage, "credits") // there is no warehouse yet
	w.configure(1_000_000, ledgerJob)
	w.must(exitDone, "run", "nightly", "--date", "2026-11-20")
	if b := w.bill("--since", "2d"); b.Since == "" || b.Requests == 0 || len(b.Runs) != 1 {
		t.Errorf("since two days: %+v", b)
	}
	if b := w.bill("--since", time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)); b.Requests != 0 || b.Balance != nil || len(b.Runs)+len(b.Days)+len(b.Tables) != 0 {
		t.Errorf("since the day after tomorrow: %+v", b)
	}
	if out := w.must(exitDone, "credits", "--json", "--since", "2999-01-01").stdout; strings.Contains(out, "null,\n  \"days\"") || !strings.Contains(out, `"days": []`) {
		t.Errorf("no rows are not []: %s", out)
	}
	if out := w.must(exitDone, "credits", "--by", "outcome").stdout; !strings.Contains(out, "By operation and outcome") || strings.Contains(out, "By day") {
		t.Errorf("by outcome: %s", out)
	}
	for _, bad := range [][]string{{"--since", "yesterday"}, {"--since", "-3h"}, {"--by", "vessel"}, {"now"}} {
		w.must(exitUsage, append([]string{"credits"}, bad...)...)
	}
}

func TestSinceDay(t *testing.T) {
	now := time.Date(2026, 11, 20, 1, 30, 0, 0, time.FixedZone("", 2*3600)) // the 19th in UTC
	for s, want := range map[string]string{"": "0001-01-01", "2026-11-05": "2026-11-05", "0h": "2026-11-19", "24h": "2026-11-18", "30d": "2026-10-20"} {
		got, err := sinceDay(s, now)
		if err != nil || got.Format("2006-01-02 15:04") != want+" 00:00" {
			t.Errorf("%q: %v, %v, want %s", s, got, err, want)
		}
	}
}

func TestDecimals(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 1048.5: "1,048.5", 806.214: "806.21", 2000: "2,000", 0.005: "0.01", 0.00312: "0.0031", -2e-5: "-2e-05", -1.5: "-1.5", -0.25: "-0.25", 1e6: "1,000,000"} {
		if got := wording.Decimals(n); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}
