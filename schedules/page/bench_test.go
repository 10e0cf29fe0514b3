//go:build unix

package page

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/warehouse"
)

// maxPageMs is the bound of every page, with 100,000 vessels and 1,000 nights on two cores.
const maxPageMs = 150

// BenchmarkPages requests each page of the status site over a data directory, such as one that
// BenchmarkHistory of package load has left, and prints a line for each:
//
//	FLEETLAKE_BENCH_DIR=/var/tmp/years go test ./schedules/page -run '^$' -bench Pages -benchtime 1x
//
// The published file is copied, and the copy gets the views of this program. The site has it open and has
// prepared the version, as in `fleetlake serve`. first is the first request for the page, ms the median of later ones, and
// cpu the median of their CPU time, which says more on a busy machine; alone is a request to a site that has
// just started and has nothing open. No request is answered from what an earlier one read, but where the site
// prepares the page for everybody. FLEETLAKE_BENCH_PAGES is a regular expression of the pages to measure.
func BenchmarkPages(b *testing.B) {
	from := os.Getenv("FLEETLAKE_BENCH_DIR")
	if from == "" {
		b.Skip("FLEETLAKE_BENCH_DIR names no data directory")
	}
	wanted := regexp.MustCompile(os.Getenv("FLEETLAKE_BENCH_PAGES"))
	dir := updated(b, warehouse.Path(from))
	sample := sampleOf(b, dir)
	h := benched(b, dir, sample)
	defer h.Close()
	h.site.prepare(b.Context())
	server := httptest.NewServer(h)
	defer server.Close()
	pages := sample.pages()
	slices.Sort(pages)
	for b.Loop() {
		over := 0
		fmt.Printf("%-100s %8s %8s %8s %8s\n", "page", "first", "ms", "cpu", "alone")
		for _, path := range slices.Compact(pages) {
			if wanted.MatchString(path) && !benchPage(b, server, path, dir, sample) {
				over++
			}
		}
		fmt.Printf("%d pages take more than %d ms\n", over, maxPageMs)
		b.ReportMetric(float64(over), "pages-over")
	}
}

// updated copies a published file into a data directory, with the views of this program.
func updated(b *testing.B, path string) (dir string) {
	dir = b.TempDir()
	if err := warehouse.Update(b.Context(), warehouse.Build{Dir: dir, RunID: "bench", From: path, MemoryMiB: 1024}); err != nil {
		b.Fatal(err)
	}
	return dir
}

// benched is a site over a data directory.
func benched(b *testing.B, dir string, s sample) *Handler {
	h, err := New(Config{Dir: dir, Now: func() time.Time { return s.finished.Add(time.Hour) }, Watch: []string{s.vessel[3:]}})
	if err != nil {
		b.Fatal(err)
	}
	return h
}

// benchPage prints the line of a page, and reports whether the page is within the bound.
func benchPage(b *testing.B, server *httptest.Server, path, dir string, s sample) bool {
	first := serving(b, server, path)
	var walls, cpus []time.Duration
	for range 5 {
		before := cpu(b)
		walls = append(walls, serving(b, server, path))
		cpus = append(cpus, cpu(b)-before)
	}
	h := benched(b, dir, s)
	alone := httptest.NewServer(h)
	fresh := serving(b, alone, path)
	alone.Close()
	h.Close()
	mark, wall := "", medianMs(walls)
	if wall > maxPageMs {
		mark = " over"
	}
	fmt.Printf("%-100s %8.0f %8.0f %8.0f %8.0f%s\n", path, medianMs([]time.Duration{first}), wall, medianMs(cpus), medianMs([]time.Duration{fresh}), mark)
	return wall <= maxPageMs
}

// serving is how long a server takes to answer a request.
func serving(b *testing.B, server *httptest.Server, path string) time.Duration {
	start := time.Now()
	client := *server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the vessel's page has its own line
	r, err := client.Get(server.URL + path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK && r.StatusCode != http.StatusSeeOther {
		b.Fatalf("GET %s: %d, %v\n%.4000s", path, r.StatusCode, err, body)
	}
	return time.Since(start)
}

// cpu is the CPU time of this process.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func medianMs(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}

// sample is what the addresses of the pages have: a vessel, a night of the middle and so on.
type sample struct {
	vessel, mmsi, name, before, owner, zone, flag, category string
	first, middle, last, run                                string
	finished                                                time.Time
	columns                                                 map[string]bool // of the lists, as list.column
}

// sampleOf finds vessels and nights in a published file.
func sampleOf(b *testing.B, dir string) (s sample) {
	w, err := warehouse.Open(b.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	ask(b, w, `SELECT strftime(min(snapshot_date), '%Y-%m-%d'), strftime(quantile_disc(snapshot_date, 0.5), '%Y-%m-%d'), strftime(max(snapshot_date), '%Y-%m-%d'), quantile_disc(run_id, 0.5), max(finished_at) FROM runs`, func(r record) {
		s.first, s.middle, s.last, s.run, s.finished = r.Text(0), r.Text(1), r.Text(2), r.Text(3), r[4].(time.Time)
	})
	ask(b, w, `SELECT vessel_id, coalesce(mmsi, ''), coalesce(name, ''), coalesce(flag, ''), coalesce(category, '') FROM registration WHERE valid_to IS NULL AND name IS NOT NULL ORDER BY hash(vessel_id) LIMIT 1`, func(r record) {
		s.vessel, s.mmsi, s.name, s.flag, s.category = r.Text(0), r.Text(1), r.Text(2), r.Text(3), r.Text(4)
	})
	ask(b, w, `SELECT name FROM registration WHERE valid_to IS NOT NULL AND name IS NOT NULL ORDER BY hash(vessel_id) LIMIT 1`, func(r record) { s.before = r.Text(0) })
	ask(b, w, `SELECT registered_owner FROM management WHERE registered_owner IS NOT NULL ORDER BY hash(vessel_id) LIMIT 1`, func(r record) { s.owner = r.Text(0) })
	s.columns = map[string]bool{}
	for _, l := range lists.All {
		columns, err := l.Describe(b.Context(), w)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range columns {
			s.columns[l.Name+"."+c.Name] = true
		}
	}
	ask(b, w, `SELECT world_zone FROM episodes WHERE world_zone IS NOT NULL GROUP BY world_zone ORDER BY count(*) DESC LIMIT 1`, func(r record) { s.zone = r.Text(0) })
	return s
}

func ask(b *testing.B, w *warehouse.Warehouse, sql string, take func(record)) {
	rows, err := w.Query(context.Background(), sql)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			b.Fatal(err)
		}
		take(row)
	}
}

// pages lists the addresses: every page, and the lists as the links of the pages lead to them, with usual
// filters, and sorted by each of their columns.
func (s sample) pages() []string {
	q := url.QueryEscape
	all := []string{"/", "/live", "/nights/" + s.first, "/nights/" + s.middle, "/nights/" + s.last, "/runs/" + s.run, "/runs/" + s.run + "/file", "/fleet", "/dictionary", "/changes.atom", "/watch.atom",
		"/zone/" + s.zone, "/vessel/" + s.vessel, "/vessel/" + cmp.Or(s.mmsi, s.vessel), "/vessel/" + s.vessel + "?format=json",
		"/search", "/search?q=" + q(s.name), "/search?q=" + q(s.before), "/search?q=" + q(s.name[:min(3, len(s.name))]), "/search?q=" + q(s.vessel[3:]), "/search?q=" + q(cmp.Or(s.mmsi, s.name)), "/search?q=" + q(cmp.Or(s.owner, s.name))}
	for _, l := range lists.All {
		list := "/list/" + l.Name
		all = append(all, list, list+"?page=2", list+"?page=100")
		for _, column := range l.Columns {
			all = append(all, list+"?sort="+column, list+"?down=1&sort="+column)
		}
		if l.Nights != "" {
			for _, night := range []string{s.last, s.middle} {
				all = append(all, list+"?"+l.Nights+"="+night, list+"?sort="+l.Nights, list+"?"+l.Nights+".from="+s.middle)
			}
		}
		for column, value := range map[string]string{"vessel_id": s.vessel, "category": s.category, "flag": s.flag, "world_zone": s.zone, "name": s.name, "is_vessel": "true"} {
			if s.columns[l.Name+"."+column] && value != "" {
				all = append(all, list+"?"+column+"="+q(value), list+"?sort=name&"+column+"="+q(value), list+"?"+l.Nights+".from="+s.middle+"&"+column+"="+q(value))
			}
		}
	}
	all = slices.DeleteFunc(all, func(path string) bool {
		return strings.Contains(path, "?.from") || strings.Contains(path, "sort=name") && !s.columns[strings.TrimPrefix(path[:strings.Index(path, "?")], "/list/")+".name"]
	})
	return append(all, "/list/reflaggings?flag_before=PA&is_vessel=true", "/list/ownership_changes?company_before="+q(cmp.Or(s.owner, "X")),
		"/list/arrivals?from_zone="+s.zone+"&snapshot_date="+s.last, "/list/arrivals?from_zone="+s.zone+"&world_zone="+s.zone, "/list/departures?snapshot_date.from="+s.middle+"&world_zone="+s.zone+"&sort=name",
		"/list/zone_congestion?sort=waiting", "/list/zone_congestion?world_zone="+s.zone+"&snapshot_date.to="+s.middle, "/list/gone_dark?proved=true", "/list/identity_review?kind=alias", "/list/identity_review?since="+s.middle,
		"/list/vessels?listed=true&is_vessel=true&flag="+s.flag, "/list/vessels?year_built.from=2000&year_built.to=2004&listed=true",
		"/list/listed?from_date="+s.middle+"&is_vessel=true", "/list/listed?absent_on="+s.middle+"&is_vessel=true",
		"/list/episodes?navigational_status=aground&first_date="+s.middle+"&is_vessel=true", "/list/episodes?navigational_status=at-anchor&world_zone="+s.zone+"&is_vessel=true",
		"/list/issues?snapshot_date="+s.last, "/list/coverage?snapshot_date="+s.last+"&state=complete")
}
