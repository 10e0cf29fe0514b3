package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// data lists what a store has below facts, history and warehouse.
func data(t testing.TB, s *watched) (all []string) {
	return slices.DeleteFunc(keys(t, s, ""), func(key string) bool {
		return !strings.HasPrefix(key, "facts/") && !strings.HasPrefix(key, "history/") && !strings.HasPrefix(key, "ready/") && !strings.HasPrefix(key, "warehouse/")
	})
}

// TestTheNextExpiryCompletesAKilledOne ends an expiry before each of its changes. The next one leaves what an
// undisturbed one leaves, also if its grace period is longer.
func TestTheNextExpiryCompletesAKilledOne(t *testing.T) {
	dir := fiveNightsDir(t)
	prepared := func(t *testing.T) *watched {
		s := directoryStore(t)
		export(t, dir, s, Options{Now: at(3)})
		compact(t, dir, s, Options{Now: at(4)})
		return s
	}
	whole := prepared(t)
	changes, isCurrent := 0, 0
	whole.before = func(_, key string) error {
		if changes++; key == currentKey {
			isCurrent = changes
		}
		return nil
	}
	if _, err := Expire(t.Context(), whole, ExpireOptions{Now: at(20)}); err != nil {
		t.Fatal(err)
	}
	if changes < 20 {
		t.Fatalf("an expiry makes %d changes", changes)
	}
	for _, at1 := range []int{1, isCurrent, isCurrent + 1, isCurrent + 2, changes - 1, changes} {
		t.Run(fmt.Sprintf("killed before change %d of %d", at1, changes), func(t *testing.T) {
			s := prepared(t)
			n := 0
			s.before = func(string, string) error {
				if n++; n >= at1 {
					return errKilled
				}
				return nil
			}
			if _, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)}); !errors.Is(err, errKilled) {
				t.Fatalf("got %v", err)
			}
			s.before = nil
			grace := DefaultGrace
			if at1 > isCurrent { // it has announced what it removes
				grace = 365 * 24 * time.Hour
			}
			if _, err := Expire(t.Context(), s, ExpireOptions{Now: at(21), Grace: grace}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(data(t, whole), data(t, s)); diff != "" {
				t.Errorf("it differs from an undisturbed expiry (-want +got):\n%s", diff)
			}
			if v, err := Verify(t.Context(), dir, s, VerifyOptions{}); err != nil || !v.OK || v.Superseded != 0 {
				t.Errorf("verify: %+v, %v", v, err)
			}
			equalRows(t, dir, s)
		})
	}
}

// TestWhatAKilledExpiryWantedToDropIsListed ends an expiry before the nights have left the list, which another one
// drops weeks later: a reader of that time has its grace period.
func TestWhatAKilledExpiryWantedToDropIsListed(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Now: at(3)})
	s.before = func(operation, _ string) error {
		if operation == "replace" {
			return errKilled
		}
		return nil
	}
	keep := ExpireOptions{Now: at(3), KeepFacts: 48 * time.Hour}
	if _, err := Expire(t.Context(), s, keep); !errors.Is(err, errKilled) {
		t.Fatalf("got %v", err)
	}
	s.before = nil
	keep.Now = at(20)
	if got, err := Expire(t.Context(), s, keep); err != nil || got.Unlisted != 12 || got.Files != 0 {
		t.Errorf("weeks later: %+v, %v", got, err)
	}
	keep.Now = at(26)
	if got, err := Expire(t.Context(), s, keep); err != nil || got.Files != 0 || got.Waiting != 12 {
		t.Errorf("six days after that: %+v, %v", got, err)
	}
	keep.Now = at(27)
	if got, err := Expire(t.Context(), s, keep); err != nil || got.Files != 12 {
		t.Errorf("seven days after that: %+v, %v", got, err)
	}
}

// TestWhatOnlyAKilledExportListsIsRemoved has an export that is ended before it is in force, and whose files no other
// one lists.
func TestWhatOnlyAKilledExportListsIsRemoved(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Now: at(3)})
	s.before = func(operation, _ string) error {
		if operation == "replace" {
			return errKilled
		}
		return nil
	}
	if _, err := Run(t.Context(), dir, s, Options{Now: at(4), Warehouse: true}); !errors.Is(err, errKilled) {
		t.Fatalf("got %v", err)
	}
	s.before = nil
	for day, want := range map[int]int{10: 0, 11: 1} {
		if got, err := Expire(t.Context(), s, ExpireOptions{Now: at(day), DryRun: true}); err != nil || got.Files != want || got.Waiting != 1-want {
			t.Errorf("on day %d: %+v, %v", day, got, err)
		}
	}
}

// TestAPinnedFileIsNoLongerAnnounced has a file that was pinned after an expiry was killed, and is wanted again.
func TestAPinnedFileIsNoLongerAnnounced(t *testing.T) {
	dir, s := fiveNightsDir(t), directoryStore(t)
	export(t, dir, s, Options{Now: at(3)})
	compact(t, dir, s, Options{Now: at(4)})
	s.before = func(operation, _ string) error {
		if operation == "delete" {
			return errKilled
		}
		return nil
	}
	if _, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)}); !errors.Is(err, errKilled) {
		t.Fatalf("got %v", err)
	}
	s.before = nil
	pinned := current(t, s).Expiring
	put(t, s, pinsKey+"iceberg.json", fmt.Sprintf(`{"files": ["%s"]}`, strings.Join(pinned, `", "`)))
	if got, err := Expire(t.Context(), s, ExpireOptions{Now: at(20)}); err != nil || got.Files != 0 || got.Pinned != len(pinned) {
		t.Errorf("got %+v, %v", got, err)
	}
	if m := current(t, s); len(m.Expiring) != 0 {
		t.Errorf("it still announces %v", m.Expiring)
	}
}

// TestNeverInForce has chains of manifests, each with its id, its time and what it has replaced.
func TestNeverInForce(t *testing.T) {
	id := func(hour int, end string) string {
		return time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC).Format(exportStamp) + "-" + end
	}
	m := func(hour int, end, previous string) storedManifest {
		return storedManifest{Manifest: Manifest{Export: id(hour, end), Previous: previous, At: time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)}}
	}
	for name, c := range map[string]struct {
		all  []storedManifest // the last one is in force
		want []string
	}{
		"a chain":                             {[]storedManifest{m(1, "a", ""), m(2, "b", id(1, "a")), m(3, "c", id(2, "b"))}, nil},
		"one that was killed":                 {[]storedManifest{m(1, "a", ""), m(2, "x", id(1, "a")), m(3, "c", id(1, "a"))}, []string{id(2, "x")}},
		"one after that in force":             {[]storedManifest{m(4, "x", id(1, "a")), m(3, "c", id(1, "a"))}, []string{id(4, "x")}},
		"one of the same instant":             {[]storedManifest{m(1, "a", ""), m(3, "x", id(1, "a")), m(3, "c", id(1, "a"))}, []string{id(3, "x")}},
		"its predecessor was removed":         {[]storedManifest{m(1, "a", ""), m(2, "x", id(1, "b")), m(3, "c", id(1, "b"))}, []string{id(1, "a"), id(2, "x")}},
		"those of earlier programs":           {[]storedManifest{m(1, "a", ""), m(2, "b", ""), m(3, "c", "")}, nil},
		"those before the first with a chain": {[]storedManifest{m(1, "a", ""), m(2, "b", ""), m(3, "c", id(2, "b"))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for id, never := range neverInForce(c.all, c.all[len(c.all)-1].Manifest) {
				if never {
					got = append(got, id)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
