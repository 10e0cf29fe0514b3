package page

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/warehouse"
	gocmp "github.com/google/go-cmp/cmp"
)

// prepared returns a site whose Prepare has seen the published version.
func prepared(t *testing.T, dir string) (*Handler, client) {
	t.Helper()
	h, err := New(Config{Dir: dir, Now: func() time.Time { return morning }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	t.Cleanup(func() { h.site.files.Close() })
	h.site.prepare(t.Context())
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return h, client{t, server.URL}
}

// TestTheFirstReaderOfAVersionWaitsForNoStatement prepares a version, and requests the pages that are the same
// for every reader: none of them asks the published file anything.
func TestTheFirstReaderOfAVersionWaitsForNoStatement(t *testing.T) {
	h, c := prepared(t, harvested(t))
	asked := errors.New("the published file was read for a page that was prepared")
	h.site.reports.Read = func(context.Context, *warehouse.Warehouse, string, time.Time) (*NightReport, error) {
		return nil, asked
	}
	h.site.news.Read = func(context.Context, *warehouse.Warehouse, string, time.Time) (*feedNews, error) { return nil, asked }
	h.site.dictionaries.Read = func(context.Context, *warehouse.Warehouse, struct{}, time.Time) ([]byte, error) { return nil, asked }
	for path, want := range map[string]string{"/": "Sunday 22 November 2026", "/changes.atom": "2026-11-22", "/watch.atom": "Watched vessels", "/dictionary": "% null"} {
		if page := c.get(path); !strings.Contains(page, want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	counted := h.site.counted.Load()
	if h.site.prepare(t.Context()); h.site.counted.Load() != counted {
		t.Error("the same version is counted twice")
	}
}

// TestAPreparedReaderHasTheSameLists compares what the lists show before and after a version is prepared: every
// list, as it is, of other pages and nights, and sorted and filtered by the columns of views that are kept.
func TestAPreparedReaderHasTheSameLists(t *testing.T) {
	dir := harvested(t)
	h, c := prepared(t, dir)
	fresh := open(t, Config{Dir: dir})
	paths := []string{"/fleet", "/search?q=star", "/list/vessels?page=2", "/list/vessels?is_vessel=true&sort=name&down=1", "/list/vessels?flag=PA", "/list/identity_review?kind=alias",
		"/list/zone_congestion?snapshot_date=2026-11-20", "/list/zone_congestion?category=tanker&sort=waiting", "/list/gone_dark?sort=name", "/list/data_freshness?dataset=sighting"}
	for _, l := range lists.All {
		paths = append(paths, "/list/"+l.Name)
	}
	for _, path := range paths {
		if diff := gocmp.Diff(fresh.get(path), c.get(path)); diff != "" {
			t.Errorf("%s (-computed +kept)\n%s", path, diff)
		}
	}
	err := h.site.files.Read(t.Context(), func(_ context.Context, w *warehouse.Warehouse) error {
		for _, name := range []string{"vessels", "gone_dark", "identity_review", "data_freshness", "zone_congestion_newest"} {
			if !w.Keeps(name) {
				t.Errorf("the prepared reader does not keep %s", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNobodyWaitsForTheCounts requests the dictionary before its version is counted, and after the next is
// published: it has no counts, and then those of the version before, whose night it names.
func TestNobodyWaitsForTheCounts(t *testing.T) {
	dir := harvested(t)
	if page := open(t, Config{Dir: dir}).get("/dictionary"); strings.Contains(page, "% null") || !strings.Contains(page, `id="vessels"`) {
		t.Error("the dictionary is counted while a reader waits")
	}
	h, c := prepared(t, dir)
	path := warehouse.Path(dir)
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path+".new", copied, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
	first := *h.site.counted.Load()
	if c.get("/dictionary") != string(first) {
		t.Error("a reader waits for the counts of the next version")
	}
	h.site.prepare(t.Context())
	if again := *h.site.counted.Load(); &again[0] == &first[0] {
		t.Error("the next version is not counted")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if status, _, page := c.ask("GET", "/dictionary", nil); status != 404 || !strings.Contains(page, "No night yet") {
		t.Errorf("without a published file: %d\n%s", status, page)
	}
}

// TestPrepareFollowsTheVersions runs Prepare from before the first version until its context ends.
func TestPrepareFollowsTheVersions(t *testing.T) {
	source, dir := harvested(t), t.TempDir()
	h, err := New(Config{Dir: dir, Now: func() time.Time { return morning }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { h.Prepare(ctx); close(done) }()
	if err := os.Rename(filepath.Join(source, "warehouse"), filepath.Join(dir, "warehouse")); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); h.site.counted.Load() == nil; time.Sleep(10 * time.Millisecond) { // the file appears at no time of its own
		if time.Since(begun) > time.Minute {
			t.Fatal("the version that was published is not prepared")
		}
	}
	cancel()
	<-done
	if _, err := h.site.files.Refresh(); err != nil {
		t.Error(err)
	}
}
