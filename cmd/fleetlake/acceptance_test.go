package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/report"
)

// canary is the key of the double. Each encoding of it looks different.
const canary = `c4nary"k3y&<7f>/+=%`

// doubleNight is a date that these tests harvest for. No clock of the tests is far from it.
const doubleNight = "2026-11-20"

// newDoubleWorld is a place to work against a double. The configuration is the default one
// but for higher limits, the cap and what more is given of the section api.
func newDoubleWorld(t testing.TB, d *double, limit, budget int, api, jobs string) *world {
	t.Helper()
	w := &world{t: t, base: d.base(), dir: t.TempDir()}
	w.env = append(os.Environ(), beFleetlake+"=1", "FLEETLAKE_BASE_URL="+w.base, "FLEETLAKE_API_KEY="+canary)
	limits, err := json.Marshal(unlimitedLanes(limit))
	if err != nil {
		t.Fatal(err)
	}
	w.write("fleetlake.yaml", fmt.Sprintf("api: {limits: %s%s}\nbudget: {per_run: %d}\n%s", limits, api, budget, jobs))
	return w
}

// listedAll compares the vessels of the warehouse with the fleet.
func (w *world) listedAll(d *double) {
	w.t.Helper()
	got := map[string]bool{}
	for _, r := range w.rows("SELECT vessel_id FROM vessels WHERE listed") {
		got[r["vessel_id"]] = true
	}
	want := map[string]bool{}
	for _, h := range d.fleet {
		want["IMO"+h.imo] = true
	}
	if !maps.Equal(got, want) {
		w.t.Errorf("%d vessels are listed, want %d", len(got), len(want))
	}
}

// TestABlockedOperationEndsItsRun answers one operation in the specification's own ambiguous
// words, from the first request on or in mid-run, under a cap that is too small and one that
// is not. The client asks the free balance what the words mean; that call waits for nobody. The short form has
// each operation, cap and moment once.
func TestABlockedOperationEndsItsRun(t *testing.T) {
	t.Parallel()
	const words = "Your credits are insufficient or the endpoint is blacklisted"
	for name, path := range map[string]string{"the list": typeSearch, "the status search": statusSearch, "the lookups": particulars} {
		for _, budget := range []int{900, 5000} {
			for when, from := range map[string]int{"at once": 1, "in mid-run": 15} {
				if os.Getenv("FLEETLAKE_LONG") == "" && ((budget == 900) != (from == 1) || (path == statusSearch) != (from == 1)) {
					continue
				}
				t.Run(fmt.Sprintf("%s is blocked %s under a cap of %d", name, when, budget), func(t *testing.T) {
					t.Parallel()
					d := newDouble(t, worldFleet(600))
					d.fault = func(c call) fault {
						if c.path != path || c.nth < from {
							return fault{}
						}
						return fault{change: func(a *answer) {
							*a = refusal(400, "Bad Request", words)
							if path == typeSearch {
								*a = plainDetail(400, words)
							}
						}}
					}
					w := newDoubleWorld(t, d, 20_000, budget, "", "")
					e := w.within(time.Minute, "run", "nightly", "--date", doubleNight, "--json")
					// What the cap leaves out and what the block leaves out are both true reasons
					// of a night whose cap is too small for its sweep.
					codes := []int{exitPartial}
					if budget == 900 {
						codes = append(codes, exitCredits)
					}
					if path == typeSearch && from == 1 {
						codes = append(codes, tooLittle) // 249 of 522 partitions are less than half
					}
					if e.hung || !slices.Contains(codes, e.code) {
						t.Fatalf("want exit code %v within a minute: %s", codes, e)
					}
					if bill := spent(d.events()); bill > budget {
						t.Errorf("billed %d with a cap of %d", bill, budget)
					}
					if said := e.report.Reason + strings.Join(e.report.LeftOut, " "); !strings.Contains(said, "blacklisted") && e.code == exitPartial {
						t.Errorf("does not give the service's words: %s", e)
					}
					e.inMoney(t, d.events())
				})
			}
		}
	}
}

// TestAnOutageDoesNotEndANight takes the service away in mid-run, in three ways. 503 is free
// and the specification says to try again; nothing is billed for a connection that is refused.
func TestAnOutageDoesNotEndANight(t *testing.T) {
	t.Parallel()
	away := 3 * time.Second
	if os.Getenv("FLEETLAKE_LONG") != "" {
		away = 40 * time.Second
	}
	unavailable := func(retryAfter string) func(*double, call) fault {
		return func(*double, call) fault {
			return fault{change: func(a *answer) {
				*a = plainDetail(503, "Database temporarily unavailable")
				if retryAfter != "" {
					a.header.Set("Retry-After", retryAfter)
				}
			}}
		}
	}
	for name, kind := range map[string]func(*double, call) fault{
		"503":                        unavailable(""),
		"503 that says when to come": unavailable("2"),
		"connections are cut":        func(*double, call) fault { return fault{speak: reset} },
	} {
		if name == "503" && os.Getenv("FLEETLAKE_LONG") == "" {
			continue // the short form has the one that says when to come
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDouble(t, worldFleet(600))
			var from time.Duration
			d.fault = func(c call) fault {
				if c.n == 100 {
					from = c.since
				}
				if c.n < 100 || c.since > from+away || c.path == creditsCall {
					return fault{}
				}
				return kind(d, c)
			}
			w := newDoubleWorld(t, d, 20_000, 0, "", "")
			e := w.within(2*away+90*time.Second, "run", "nightly", "--date", doubleNight, "--json")
			if e.hung || e.code != exitDone {
				t.Fatalf("want exit code %d: %s", exitDone, e)
			}
			w.listedAll(d)
			e.inMoney(t, d.events())
		})
	}
	t.Run("connections are refused", func(t *testing.T) {
		t.Parallel()
		d := newDouble(t, worldFleet(600))
		d.fault = func(c call) fault {
			if c.n == 100 {
				go func() {
					d.down()
					time.Sleep(away) // an outage for a real process lasts real time
					d.up(t)
				}()
			}
			return fault{}
		}
		w := newDoubleWorld(t, d, 20_000, 0, "", "")
		if e := w.within(2*away+90*time.Second, "run", "nightly", "--date", doubleNight, "--json"); e.hung || e.code != exitDone {
			t.Fatalf("want exit code %d: %s", exitDone, e)
		}
		w.listedAll(d)
	})
}

// TestTheFirstNightOfANewcomer runs the default job under the default cap: the list turns out
// cheaper than the plan had to assume, and what that frees goes to the sweep.
func TestTheFirstNightOfANewcomer(t *testing.T) {
	t.Parallel()
	d := newDouble(t, worldFleet(2000))
	w := newDoubleWorld(t, d, 20_000, 5000, "", "")
	e := w.within(2*time.Minute, "run", "nightly", "--date", doubleNight, "--json")
	if e.hung || e.code != exitDone || e.report.State != report.StateDone {
		t.Errorf("want %q and exit code %d: %s", report.StateDone, exitDone, e)
	}
	log := d.events()
	if n := len(answered(log, statusSearch)); n != 249 {
		t.Errorf("%d status searches were answered, want 249", n)
	}
	if bill := spent(log); bill > 5000 {
		t.Errorf("billed %d with a cap of 5000", bill)
	}
	w.listedAll(d)
	e.inMoney(t, log)
}

// TestASecondRunOfANight cuts a night off at 3,000 credits and resumes it with a higher cap.
func TestASecondRunOfANight(t *testing.T) {
	t.Parallel()
	d := newDouble(t, worldFleet(2000))
	w := newDoubleWorld(t, d, 20_000, 20_000, "", "")
	if e := w.within(time.Minute, "run", "nightly", "--date", doubleNight, "--budget", "3000", "--json"); e.code != exitCredits {
		t.Fatalf("want exit code %d at the cap: %s", exitCredits, e)
	}
	first := d.events()
	if bill := spent(first); bill > 3000 || bill < 2900 {
		t.Errorf("the first run was billed %d of 3000", bill)
	}

	var plan pipeline.Preview
	if err := json.Unmarshal([]byte(w.must(exitDone, "plan", "nightly", "--date", doubleNight, "--json").stdout), &plan); err != nil {
		t.Fatal(err)
	}
	before := spent(d.events())
	e := w.within(2*time.Minute, "run", "nightly", "--date", doubleNight, "--json")
	if e.code != exitDone || e.report.State != report.StateDone {
		t.Errorf("the second run: want %q: %s", report.StateDone, e)
	}
	cost := float64(spent(d.events()) - before)
	if expected := float64(plan.Credits.Expected); math.Abs(cost-expected) > max(1, expected/100) {
		t.Errorf("the second run cost %v, the plan said %v", cost, expected)
	}
	if twice := paidTwice(d.events()); len(twice) > 0 {
		t.Errorf("%d requests were paid twice, such as %s", len(twice), twice[0])
	}
	w.listedAll(d)
	if n := len(answered(d.events(), statusSearch)); n != 249 {
		t.Errorf("%d status searches were answered, want 249", n)
	}

	before = spent(d.events())
	if e := w.within(time.Minute, "run", "nightly", "--date", doubleNight, "--json"); e.code != exitDone {
		t.Errorf("the third run: want exit code %d: %s", exitDone, e)
	}
	if again := spent(d.events()) - before; again != 0 {
		t.Errorf("the third run cost %d", again)
	}
}

// TestDocumentedLimits runs at the documented limits against a service that keeps them for a
// minute that moves and for one that begins with each minute of the clock. It takes minutes.
func TestDocumentedLimits(t *testing.T) {
	if os.Getenv("FLEETLAKE_LONG") == "" {
		t.Skip("takes minutes; set FLEETLAKE_LONG to run it")
	}
	t.Parallel()
	d := newDouble(t, worldFleet(600))
	d.limits = perMinute
	w := newDoubleWorld(t, d, 1, 0, "", "")
	w.write("fleetlake.yaml", "budget: {per_run: 0}\njobs: {nightly: {list: {by: country, countries: [Malta, Panama]}, sweep: {statuses: [moored], zones: [all]}, lookup: {max_requests: 110}}}\n")
	if e := w.within(10*time.Minute, "run", "nightly", "--date", doubleNight, "--json"); e.code != exitDone {
		t.Errorf("want exit code %d: %s", exitDone, e)
	}
	for _, e := range d.events() {
		if e.status == 429 {
			t.Errorf("%s %s was one request too many", e.path, e.asked)
		}
	}
}
