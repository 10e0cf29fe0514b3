package warehouse_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// troubled is a service with a night's trouble.
type troubled struct {
	http.Handler
	down    bool // it answers nothing but the balance
	garbled bool // every MMSI has a digit too many
}

func (s *troubled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.down && r.URL.Path != simulator.BasePath+api.Credits.Path {
		http.Error(w, `{"message":"maintenance"}`, http.StatusServiceUnavailable)
		return
	}
	if !s.garbled {
		s.Handler.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	s.Handler.ServeHTTP(answer, r)
	for name, values := range answer.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte(`"mmsi":"`), []byte(`"mmsi":"9`)))
}

// TestNights: what the view nights says of nights of every kind.
func TestNights(t *testing.T) {
	start := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	unlimited, fast := map[string]int{}, map[string]int{}
	for _, o := range api.Operations {
		unlimited[o.Name], fast[o.Name] = -1, 1_000_000
	}
	sim, err := simulator.New(simulator.Config{Seed: 7, Vessels: 800, Start: start, Key: "k", Limits: unlimited, Rates: simulator.Rates{Moved: 0.1, Renamed: 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	watched := sim.Truth(0)[0].MMSI
	service := &troubled{Handler: sim}
	server := httptest.NewServer(service)
	defer server.Close()
	p := pipeline.Pipeline{Dir: t.TempDir()}
	night := func(day, hour, budget int) {
		t.Helper()
		sim.SetDay(day)
		offset := time.Since(start.AddDate(0, 0, day).Add(time.Duration(hour) * time.Hour))
		p.Now = func() time.Time { return time.Now().Add(-offset) }
		p.Service = extract.Service{BaseURL: server.URL + simulator.BasePath, Key: "k", Limits: fast, MaxInFlight: 4, Now: p.Now, Patience: time.Millisecond}
		job := plan.Job{Name: "nightly", Location: time.UTC, Budget: budget, List: plan.List{By: "country"}, Sweep: plan.Sweep{Statuses: []string{"moored", "aground"}, Zones: []string{"china-coast", "north-sea"}}}
		if _, err := p.Run(t.Context(), job, ""); err != nil && !service.down && !service.garbled {
			t.Fatalf("night %d: %v", day, err)
		}
	}
	night(0, 0, 0)
	night(1, 0, 200)
	service.down = true
	night(2, 0, 0)
	service.down, service.garbled = false, true
	night(3, 0, 0)
	service.garbled = false
	night(4, 0, 200)
	night(4, 1, 0)
	night(5, 0, 0)
	if _, err := derive.Rollback(t.Context(), derive.Deriver{Dir: p.Dir, Now: p.Now}); err != nil {
		t.Fatal(err)
	}
	night(7, 0, 0)
	// a question of fleetlake probe is no night, and a job that makes no search does not make the nights of others whole
	for _, name := range []string{"positions", "probe"} {
		for _, day := range []int{1, 2} {
			sim.SetDay(day)
			job := plan.Job{Name: name, Location: time.UTC, List: plan.List{By: "none"}, Lookup: plan.Lookup{Want: []string{"position"}, MaxAge: 1, Watch: []string{watched}, WatchedOnly: true}}
			if _, err := p.Run(t.Context(), job, start.AddDate(0, 0, day).Format(time.DateOnly)); err != nil {
				t.Fatal(err)
			}
		}
	}

	w, err := warehouse.Open(t.Context(), warehouse.Path(p.Dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, rows := ask(t, w, "SELECT verdict, reason, by_type_covered, by_type_total, by_status_covered, by_status_total, coalesce(previous_whole_night::VARCHAR, ''), credits, runs, coalesce(left_out, '') FROM nights WHERE job <> 'positions' ORDER BY snapshot_date")
	want := []struct{ verdict, reason, previous string }{
		{"whole", "every search that was due is covered", ""},
		{"partial", " searches are not covered; ", "2026-11-20"},
		{"broken", "no search is covered; ", "2026-11-20"},
		{"held back", "is paid for and is not in this file", "2026-11-20"},
		{"whole", "every search that was due is covered", "2026-11-20"},
		{"held back", "was rolled back", "2026-11-24"},
		{"none", "no run of this night is published", "2026-11-24"},
		{"whole", "every search that was due is covered", "2026-11-24"},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d nights, want %d: %v", len(rows), len(want), rows)
	}
	for i, n := range want {
		row := rows[i]
		t.Log(row...)
		if row[0] != n.verdict || !strings.Contains(row[1].(string), n.reason) || row[6] != n.previous {
			t.Errorf("night %d: %v, want %+v", i, row, n)
		}
		covered, total := row[2].(int32)+row[4].(int32), row[3].(int32)+row[5].(int32)
		if published := fmt.Sprint(row[8]) != "0"; published && (total == 0 || (covered == total) != (n.verdict == "whole") || (covered == 0) != (n.verdict == "broken")) {
			t.Errorf("night %d is %s with %d of %d searches", i, n.verdict, covered, total)
		}
	}
	if _, rows := ask(t, w, "SELECT count(*) FROM nights WHERE job = 'positions' AND verdict = 'whole'"); rows[0][0] != int64(2) {
		t.Errorf("%v nights of positions are whole, want 2", rows[0][0])
	}
	if _, rows := ask(t, w, "SELECT count(*) FILTER (whole), count(*) FILTER (NOT whole) FROM night_verdicts"); rows[0][0] != int64(3) || rows[0][1] != int64(5) {
		t.Errorf("night_verdicts: %v", rows)
	}
	countsHaveTheirVerdict(t, warehouse.Path(p.Dir))
	for _, q := range warehouse.Queries() {
		if q.Name != "counts_with_coverage" {
			continue
		}
		_, rows := ask(t, w, "SELECT verdict, partitions_complete, partitions_planned FROM ("+strings.TrimSuffix(strings.TrimSpace(q.Text), ";")+") ORDER BY night")
		if rows[1][0] != "partial" || rows[1][1].(int32) >= rows[1][2].(int32) {
			t.Errorf("the capped night counts as %v", rows[1])
		}
	}
}

// countsHaveTheirVerdict checks that the counts by night have the verdict of the view.
func countsHaveTheirVerdict(t *testing.T, path string) {
	t.Helper()
	db := sessionWith(t, "ATTACH '"+path+"' AS fleet (READ_ONLY)", "USE fleet")
	for _, table := range []string{"fleet_daily", "zone_daily"} {
		nights, err := number(t, db, "SELECT count(DISTINCT snapshot_date) FROM "+table)
		if err != nil || nights < 3 {
			t.Errorf("%s has %d nights, %v", table, nights, err)
		}
		if n, err := number(t, db, "SELECT count(*) FROM "+table+" AS d LEFT JOIN night_verdicts AS v USING (snapshot_date) WHERE d.verdict IS DISTINCT FROM v.verdict"); n != 0 || err != nil {
			t.Errorf("%d rows of %s have another verdict than their night, %v", n, table, err)
		}
	}
}
