package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestQueries(t *testing.T) {
	m, err := NewPublished(PublishedConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	q, err := m.Queries([]string{"done", "crashed"}, func() (running, waiting, started int) { return 1, 2, 3 })
	if err != nil {
		t.Fatal(err)
	}
	q.Ended("done", 1500*time.Millisecond)
	q.Ended("done", 500*time.Millisecond)
	want := `
# HELP fleetlake_queries_running Queries from the network that run.
# TYPE fleetlake_queries_running gauge
fleetlake_queries_running 1
# HELP fleetlake_queries_total Queries from the network that have ended, by how.
# TYPE fleetlake_queries_total counter
fleetlake_queries_total{outcome="crashed"} 0
fleetlake_queries_total{outcome="done"} 2
# HELP fleetlake_queries_waiting Queries from the network that wait for their turn.
# TYPE fleetlake_queries_waiting gauge
fleetlake_queries_waiting 2
# HELP fleetlake_query_processes_started_total Processes that were started for queries.
# TYPE fleetlake_query_processes_started_total counter
fleetlake_query_processes_started_total 3
# HELP fleetlake_query_seconds_total Time that these queries took, their turn included.
# TYPE fleetlake_query_seconds_total counter
fleetlake_query_seconds_total 2
`
	if err := testutil.GatherAndCompare(m.own, strings.NewReader(want), "fleetlake_queries_running", "fleetlake_queries_total",
		"fleetlake_queries_waiting", "fleetlake_query_processes_started_total", "fleetlake_query_seconds_total"); err != nil {
		t.Error(err)
	}
	if _, err := m.Queries(nil, nil); err == nil {
		t.Error("registered twice")
	}
}
