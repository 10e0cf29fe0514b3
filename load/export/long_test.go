package export

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestNinetyNights exports ninety nights with an end at each of twenty places, merges their months, removes
// what was replaced, and prints what it cost. FLEETLAKE_LONG is 1, or the number of vessels.
func TestNinetyNights(t *testing.T) {
	long := os.Getenv("FLEETLAKE_LONG")
	if long == "" {
		t.Skip("FLEETLAKE_LONG=1 exports ninety nights")
	}
	ships := 2000
	if n, err := strconv.Atoi(long); err == nil && n > 1 {
		ships = n
	}
	began := time.Now()
	all := nights("2026-08-04", 90, ships)
	dir := published(t, all...)
	t.Logf("%d nights of %d vessels published in %.1f s", len(all), ships, time.Since(began).Seconds())
	for name, open := range targets(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			killed(t, dir, s, 20)
			r := export(t, dir, s, Options{Warehouse: true, Now: at(3)})
			t.Logf("the rest: %d of %d files, %.1f MB, %d requests, %.2f s", r.Files, r.Listed, float64(r.Bytes)/1e6, r.Requests, r.Seconds)
			s.onceEach(t)
			equalRows(t, dir, s)
			if again := export(t, dir, s, Options{Warehouse: true, Now: at(3)}); again.Files != 0 || again.Export != "" {
				t.Errorf("an export of the same did %+v", again)
			} else {
				t.Logf("an export of the same: %d requests, %.2f s", again.Requests, again.Seconds)
			}
			c := compact(t, dir, s, Options{Now: at(4)})
			t.Logf("merged: %d files, %.1f MB, %.2f s; it lists %d files", c.Files, float64(c.Bytes)/1e6, c.Seconds, c.Listed)
			equalRows(t, dir, s)
			x, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)})
			if err != nil || x.Files == 0 {
				t.Errorf("expired %+v, %v", x, err)
			}
			t.Logf("removed: %d files, %.1f MB, %.2f s", x.Files, float64(x.Bytes)/1e6, x.Seconds)
			if v, err := Verify(t.Context(), dir, s, VerifyOptions{Hash: true}); err != nil || !v.OK {
				t.Errorf("verify: %+v, %v", v, err)
			}
		})
	}
	t.Logf("peak memory %s", peak(t))
}

// killed ends exports at some places, and checks that nothing of them is visible.
func killed(t *testing.T, dir string, s *watched, times int) {
	t.Helper()
	plan := export(t, dir, s, Options{DryRun: true})
	var mu sync.Mutex
	for range times {
		writes, most := 0, max(1, len(plan.Uploads)/times-uploaders)
		s.before = func(_, key string) error {
			mu.Lock()
			defer mu.Unlock()
			if writes++; writes > most || key == currentKey {
				return errKilled
			}
			return nil
		}
		if _, err := Run(t.Context(), dir, s, Options{}); !errors.Is(err, errKilled) {
			t.Fatalf("got %v, want %v", err, errKilled)
		}
		if _, version, err := readCurrent(t.Context(), s); err != nil || version != "" {
			t.Fatalf("something is visible: %v", err)
		}
	}
	s.before = nil
}

// peak is the most memory that this process had.
func peak(t *testing.T) string {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Log("no VmHWM in /proc/self/status")
	return "unknown"
}
