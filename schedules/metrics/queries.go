package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Queries are the metrics of queries from a network.
type Queries struct {
	ended   *prometheus.CounterVec
	seconds prometheus.Counter
}

// Queries registers the metrics of queries: of those that end, by their outcomes, and what stats returns:
// how many run and wait, and how many processes were started for them. It can be called once.
func (p *Published) Queries(outcomes []string, stats func() (running, waiting, started int)) (*Queries, error) {
	q := &Queries{
		ended:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "fleetlake_queries_total", Help: "Queries from the network that have ended, by how."}, []string{"outcome"}),
		seconds: prometheus.NewCounter(prometheus.CounterOpts{Name: "fleetlake_query_seconds_total", Help: "Time that these queries took, their turn included."}),
	}
	for _, word := range outcomes {
		q.ended.WithLabelValues(word)
	}
	of := func(pick func(running, waiting, started int) int) func() float64 {
		return func() float64 { return float64(pick(stats())) }
	}
	return q, errors.Join(
		p.own.Register(q.ended), p.own.Register(q.seconds),
		p.own.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "fleetlake_queries_running", Help: "Queries from the network that run."}, of(func(n, _, _ int) int { return n }))),
		p.own.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "fleetlake_queries_waiting", Help: "Queries from the network that wait for their turn."}, of(func(_, n, _ int) int { return n }))),
		p.own.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "fleetlake_query_processes_started_total", Help: "Processes that were started for queries."}, of(func(_, _, n int) int { return n }))),
	)
}

// Ended counts a query.
func (q *Queries) Ended(outcome string, took time.Duration) {
	q.ended.WithLabelValues(outcome).Inc()
	q.seconds.Add(took.Seconds())
}
