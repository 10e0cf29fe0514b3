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
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// BenchmarkPages requests each page of the status site from a data directory, such as one that
// BenchmarkHistory of package load has left, and prints how long the server takes for it:
//
//	FLEETLAKE_BENCH_DIR=/var/tmp/years go test ./schedules/page -run '^$' -bench Pages -benchtime 5x
//
// Nothing that an earlier request read is cached: a page takes as long as the first one after a publish.
// The metric ms is the median, ms-again that of a second request for the same page, and cpu-ms the mean of
// the process's CPU time for both: on a busy machine it says more than the others. The metric ms-served is
// that of the first request where Prepare has seen the version, as in `fleetlake serve`.
func BenchmarkPages(b *testing.B) {
	dir := os.Getenv("FLEETLAKE_BENCH_DIR")
	if dir == "" {
		b.Skip("FLEETLAKE_BENCH_DIR names no data directory")
	}
	sample := sampleOf(b, dir)
	open := func() *Handler {
		h, err := New(Config{Dir: dir, Now: func() time.Time { return sample.finished.Add(time.Hour) }, Watch: []string{sample.vessel[3:]}})
		if err != nil {
			b.Fatal(err)
		}
		return h
	}
	h := open()
	defer h.Close()
	h.site.prepare(b.Context())
	served := httptest.NewServer(h)
	defer served.Close()
	for _, path := range sample.pages() {
		b.Run(path, func(b *testing.B) {
			var first, again []time.Duration
			before := cpu(b)
			for b.Loop() {
				h := open()
				server := httptest.NewServer(h)
				first, again = append(first, serving(b, server, path)), append(again, serving(b, server, path))
				server.Close()
				h.Close()
			}
			b.ReportMetric(medianMs([]time.Duration{serving(b, served, path)}), "ms-served")
			b.ReportMetric(medianMs(first), "ms")
			b.ReportMetric(medianMs(again), "ms-again")
			b.ReportMetric((cpu(b)-before).Seconds()*1000/float64(2*len(first)), "cpu-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// serving is how long a server takes to answer a request.
func serving(b *testing.B, server *httptest.Server, path string) time.Duration {
	start := time.Now()
	r, err := server.Client().Get(server.URL + path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		b.Fatalf("GET %s: %d, %v\n%.500s", path, r.StatusCode, err, body)
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
}

// sampleOf finds vessels and nights in a published file.
func sampleOf(b *testing.B, dir string) (s sample) {
	w, err := warehouse.Open(b.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	ask(b, w, `SELECT strftime(min(snapshot_date), '%Y-%m-%d'), strftime(quantile_disc(snapshot_date, 0.5), '%Y-%m-%d'), strftime(max(snapshot_date), '%Y-%m-%d'), quantile_disc(run_id, 0.5), max(finished_at) FROM runs`, func(r record) {
		s.first, s.middle, s.last, s.run, s.finished = r.text(0), r.text(1), r.text(2), r.text(3), r[4].(time.Time)
	})
	ask(b, w, `SELECT vessel_id, coalesce(mmsi, ''), coalesce(name, ''), coalesce(flag, ''), coalesce(category, '') FROM registration WHERE valid_to IS NULL AND name IS NOT NULL ORDER BY hash(vessel_id) LIMIT 1`, func(r record) {
		s.vessel, s.mmsi, s.name, s.flag, s.category = r.text(0), r.text(1), r.text(2), r.text(3), r.text(4)
	})
	ask(b, w, `SELECT name FROM registration WHERE valid_to IS NOT NULL AND name IS NOT NULL ORDER BY hash(vessel_id) LIMIT 1`, func(r record) { s.before = r.text(0) })
	ask(b, w, `SELECT registered_owner FROM management WHERE registered_owner IS NOT NULL ORDER BY hash(vessel_id) LIMIT 1`, func(r record) { s.owner = r.text(0) })
	ask(b, w, `SELECT world_zone FROM episodes WHERE world_zone IS NOT NULL GROUP BY world_zone ORDER BY count(*) DESC LIMIT 1`, func(r record) { s.zone = r.text(0) })
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

// pages lists the addresses: every page, and the lists as the links of the pages lead to them.
func (s sample) pages() []string {
	q := url.QueryEscape
	all := []string{"/", "/nights/" + s.first, "/nights/" + s.middle, "/runs/" + s.run, "/runs/" + s.run + "/file", "/fleet", "/dictionary", "/changes.atom", "/watch.atom",
		"/zone/" + s.zone, "/vessel/" + s.vessel, "/vessel/" + cmp.Or(s.mmsi, s.vessel), "/vessel/" + s.vessel + "?format=json",
		"/search", "/search?q=" + q(s.name), "/search?q=" + q(s.before), "/search?q=" + q(s.name[:min(3, len(s.name))]), "/search?q=" + q(s.vessel[3:]), "/search?q=" + q(cmp.Or(s.owner, s.name))}
	nightly := []string{"reflaggings", "renamings", "ownership_changes", "arrivals", "departures", "zone_congestion", "changes"}
	for _, l := range lists {
		all = append(all, "/list/"+l.Name)
		if slices.Contains(nightly, l.Name) {
			all = append(all, "/list/"+l.Name+"?snapshot_date="+s.last, "/list/"+l.Name+"?snapshot_date="+s.middle, "/list/"+l.Name+"?page=100")
		}
	}
	for _, l := range []string{"arrivals", "departures", "zone_congestion"} {
		all = append(all, fmt.Sprintf("/list/%s?snapshot_date.from=%s&world_zone=%s", l, s.middle, s.zone))
	}
	for _, l := range []string{"reflaggings", "renamings", "arrivals", "departures", "gone_dark", "vessels"} {
		all = append(all, "/list/"+l+"?sort=name", "/list/"+l+"?category="+q(s.category))
	}
	return append(all, "/list/reflaggings?flag_before=PA&is_vessel=true", "/list/ownership_changes?company_before="+q(cmp.Or(s.owner, "X")),
		"/list/vessels?listed=true&is_vessel=true&flag="+s.flag, "/list/vessels?year_built.from=2000&year_built.to=2004&listed=true",
		"/list/listed?from_date="+s.middle+"&is_vessel=true", "/list/listed?absent_on="+s.middle+"&is_vessel=true",
		"/list/episodes?navigational_status=aground&first_date="+s.middle+"&is_vessel=true", "/list/episodes?vessel_id="+s.vessel, "/list/changes?vessel_id="+s.vessel,
		"/list/issues?snapshot_date="+s.last, "/list/coverage?snapshot_date="+s.last)
}
