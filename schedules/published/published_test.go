package published

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

var morning = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// publish puts the file of a run in the place of the published one.
func publish(t *testing.T, dir, run string) {
	t.Helper()
	if err := warehouse.Update(t.Context(), warehouse.Build{Dir: dir, RunID: run}); err != nil {
		t.Fatal(err)
	}
}

// counted is a cache of a published file, and how often it read.
func counted(t *testing.T) (c *Cache[string, int], reads *int, fails *error) {
	t.Helper()
	dir := t.TempDir()
	publish(t, dir, "20261120T020000.000Z-0000")
	reads, fails = new(int), new(error)
	return &Cache[string, int]{Dir: dir, Read: func(ctx context.Context, _ *warehouse.Warehouse, _ string, _ time.Time) (int, error) {
		*reads++
		return *reads, errors.Join(*fails, ctx.Err())
	}}, reads, fails
}

// TestTheFileIsReadAgainOnlyWhenItMustBe gets a key, lets something happen, and gets one again.
func TestTheFileIsReadAgainOnlyWhenItMustBe(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(t *testing.T, dir string)
		key     string
		later   time.Duration
		fails   error
		reads   int
	}{
		"nothing happens":                          {key: "a", later: time.Hour, reads: 1},
		"another key":                              {key: "b", reads: 2},
		"another day":                              {key: "a", later: 15 * time.Hour, reads: 2},
		"the last second of the day":               {key: "a", later: 15*time.Hour - time.Second, reads: 1},
		"a run publishes the next file":            {happens: func(t *testing.T, dir string) { publish(t, dir, "20261121T020000.000Z-0000") }, key: "a", reads: 2},
		"the read failed a moment ago":             {key: "a", later: 9 * time.Second, fails: errors.New("damaged"), reads: 1},
		"the read failed ten seconds ago":          {key: "a", later: 10 * time.Second, fails: errors.New("damaged"), reads: 2},
		"the read failed, and the next file comes": {happens: func(t *testing.T, dir string) { publish(t, dir, "20261121T020000.000Z-0000") }, key: "a", fails: errors.New("damaged"), reads: 2},
	} {
		t.Run(name, func(t *testing.T) {
			cache, reads, fails := counted(t)
			*fails = c.fails
			if _, err := cache.Get(t.Context(), "a", morning); !errors.Is(err, c.fails) {
				t.Fatal(err)
			}
			if c.happens != nil {
				c.happens(t, cache.Dir)
			}
			value, err := cache.Get(t.Context(), c.key, morning.Add(c.later))
			if *reads != c.reads || value != c.reads || !errors.Is(err, c.fails) {
				t.Errorf("%d reads, the value of read %d, %v; want %d", *reads, value, err, c.reads)
			}
		})
	}
}

// TestACallerThatGoesAwayCancelsNoRead because others wait for the same.
func TestACallerThatGoesAwayCancelsNoRead(t *testing.T) {
	cache, _, _ := counted(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if value, err := cache.Get(gone, "a", morning); value != 1 || err != nil {
		t.Errorf("%d, %v", value, err)
	}
}

// TestManyKeysDoNotFillTheMemory asks for more keys than are kept.
func TestManyKeysDoNotFillTheMemory(t *testing.T) {
	cache, _, _ := counted(t)
	for i := range 3 * maxEntries {
		if _, err := cache.Get(t.Context(), string(rune('a'+i)), morning); err != nil {
			t.Fatal(err)
		}
		if n := len(cache.entries); n > maxEntries+1 {
			t.Fatalf("%d entries are kept", n)
		}
	}
}

// TestAMissingFileIsAnErrorUntilItIsThere reads the file as soon as there is one.
func TestAMissingFileIsAnErrorUntilItIsThere(t *testing.T) {
	cache, reads, _ := counted(t)
	if err := os.Remove(warehouse.Path(cache.Dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := cache.Get(t.Context(), "a", morning); err == nil || *reads != 0 {
		t.Errorf("%d reads, %v", *reads, err)
	}
	publish(t, cache.Dir, "20261121T020000.000Z-0000")
	if _, err := cache.Get(t.Context(), "a", morning); err != nil || *reads != 1 {
		t.Errorf("%d reads, %v", *reads, err)
	}
}
