package warehouse

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRollbackAfterAWrongClock publishes nights while the clock is wrong, and rolls back as long as there is a version:
// each rollback removes one night, whatever the times of the files say.
func TestRollbackAfterAWrongClock(t *testing.T) {
	year := 365 * 24 * time.Hour
	for name, c := range map[string]struct {
		shift   map[int]time.Duration // of the time of the night's file
		earlier int                   // the last night of the version of the program that kept no order
		want    string                // the latest night after each rollback
	}{
		"the clock was right":                       {want: "4 3 2 1"},
		"it was ahead for a night":                  {shift: map[int]time.Duration{3: year}, want: "4 3 2 1"},
		"it was ahead, and less so":                 {shift: map[int]time.Duration{2: 2 * year, 3: year}, want: "4 3 2 1"},
		"it went back for good":                     {shift: map[int]time.Duration{4: -year, 5: -year}, want: "4 3 2 1"},
		"the first nights have no place":            {earlier: 2, want: "4 3 2 1"},
		"it was ahead when they had no place":       {earlier: 2, shift: map[int]time.Duration{2: year}, want: "4 3 2 1"},
		"it went back since the last without place": {earlier: 3, shift: map[int]time.Duration{4: -year, 5: -year}, want: "4 3 2 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for night := 1; night <= 5; night++ {
				must(t, update(t, dir, night))
				at := time.Now().Add(time.Duration(night)*time.Second + c.shift[night])
				must(t, os.Chtimes(Path(dir), at, at))
				if night == c.earlier {
					must(t, os.Remove(orderPath(dir)))
				}
			}
			must(t, os.WriteFile(filepath.Join(versions(dir), "order.part"), []byte("cut o"), 0o644)) // of a crash
			_, err := Restore(t.Context(), dir)
			must(t, err)
			if _, err := os.Stat(filepath.Join(versions(dir), "order.part")); err == nil {
				t.Error("what the crash left is still there")
			}
			var got []string
			for range 4 {
				_, err := Rollback(t.Context(), dir)
				must(t, err)
				latest, _, _ := strings.Cut(published(t, dir), " ")
				got = append(got, strings.TrimPrefix(latest, "0"))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("rolled back to %v, want %s", got, c.want)
			}
			if _, err := Rollback(t.Context(), dir); !errors.Is(err, ErrNoVersion) {
				t.Errorf("past the oldest: %v, want %v", err, ErrNoVersion)
			}
		})
	}
}

// TestACrashLeavesAPlaceWithoutAFile has a crash between the note of a version's place and the version: the next start
// publishes the run again.
func TestACrashLeavesAPlaceWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	for night := 1; night <= 2; night++ {
		must(t, update(t, dir, night))
	}
	name := func(night int) string { return runAt(night).ID + ".duckdb" }
	must(t, recordOrder(dir, name(3)))
	must(t, update(t, dir, 4)) // the run of 3 was published in the same build
	for night := 5; night <= 9; night++ {
		must(t, update(t, dir, night))
	}
	must(t, recordOrder(dir, name(7))) // it is published again
	want := strings.Join([]string{name(5), name(6), name(8), name(9), name(7)}, " ")
	if order, err := readOrder(dir); err != nil || strings.Join(order, " ") != want {
		t.Errorf("the order is %v, %v, want %s", order, err, want)
	}
}
