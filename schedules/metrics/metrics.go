package metrics

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config is the source of the metrics of the scheduler.
type Config struct {
	Version      string     // of the program
	NetworkBytes func() int // the memory of the network process; nil is none
}

// Metrics are those of the scheduler and its process.
type Metrics struct {
	own     *prometheus.Registry // ours
	process *prometheus.Registry // the runtime's

	mu       sync.Mutex // a late progress must not mix with the end of the run
	running  prometheus.Gauge
	credits  prometheus.Gauge
	limit    prometheus.Gauge
	phase    *prometheus.GaugeVec
	done     *prometheus.GaugeVec
	left     *prometheus.GaugeVec
	rate     *prometheus.GaugeVec
	wait     *prometheus.GaugeVec
	spent    *prometheus.GaugeVec
	finished *prometheus.CounterVec

	undelivered prometheus.Counter
	restarts    prometheus.Counter
}

// phases are the phases of a run. Each has a sample, 0 or 1.
var phases = []string{"harvest", "derive", "publish"}

// New registers the metrics. It fails if a metric is described twice.
func New(c Config) (*Metrics, error) {
	if c.NetworkBytes == nil {
		c.NetworkBytes = func() int { return 0 }
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "fleetlake_run_" + name, Help: help})
	}
	vector := func(name, help, label string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fleetlake_run_" + name, Help: help}, []string{label})
	}
	m := &Metrics{
		own:      prometheus.NewRegistry(),
		process:  prometheus.NewRegistry(),
		running:  gauge("in_progress", "Whether a run is under way."),
		credits:  gauge("credits", "Credits that the run under way has spent, requests of unknown outcome included."),
		limit:    gauge("cap_credits", "Credits that the run under way may spend; 0 is no cap."),
		phase:    vector("phase", "The phase of the run under way, as 0 or 1.", "phase"),
		done:     vector("lane_done", "Requests that the run under way has finished.", "operation"),
		left:     vector("lane_left", "Requests that the run under way has left, as far as is known.", "operation"),
		rate:     vector("lane_rate_per_minute", "Requests a minute of the run under way.", "operation"),
		wait:     vector("lane_remaining_seconds", "Time that the requests left will take at the limit of their lane.", "operation"),
		spent:    vector("lane_credits", "Credits that the run under way has spent.", "operation"),
		finished: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "fleetlake_runs_finished_total", Help: "Runs that this process has finished."}, []string{"job", "state"}),
	}
	m.undelivered = prometheus.NewCounter(prometheus.CounterOpts{Name: "fleetlake_notifications_undelivered_total", Help: "Notifications that an address did not get."})
	m.restarts = prometheus.NewCounter(prometheus.CounterOpts{Name: "fleetlake_network_restarts_total", Help: "How often the process for page and Flight SQL ended unasked, and was started again."})
	resident := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "fleetlake_network_resident_memory_bytes", Help: "Memory of the process for page and Flight SQL, without mapped files; 0 without one."},
		func() float64 { return float64(c.NetworkBytes()) })
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "fleetlake_build_info", Help: "The program; always 1.",
		ConstLabels: prometheus.Labels{"version": c.Version, "go_version": runtime.Version()}})
	build.Set(1)
	for _, one := range []prometheus.Collector{build, m.running, m.credits, m.limit, m.phase, m.done, m.left, m.rate, m.wait, m.spent, m.finished, m.undelivered, m.restarts, resident} {
		if err := m.own.Register(one); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	m.process.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.clear()
	return m, nil
}

// Observe sets the metrics of the run under way. It fits Pipeline.Progress.
func (m *Metrics) Observe(p pipeline.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running.Set(1)
	m.credits.Set(float64(p.Credits))
	m.limit.Set(float64(p.Cap))
	for _, phase := range phases {
		m.phase.WithLabelValues(phase).Set(truth(phase == p.Phase))
	}
	for _, l := range p.Lanes {
		m.done.WithLabelValues(l.Operation).Set(float64(l.Done))
		m.left.WithLabelValues(l.Operation).Set(float64(l.Left))
		m.rate.WithLabelValues(l.Operation).Set(l.PerMinute)
		m.wait.WithLabelValues(l.Operation).Set(l.Remaining.Seconds())
		m.spent.WithLabelValues(l.Operation).Set(float64(l.Credits))
	}
}

// Finished counts a run that has ended. Its results are read from the warehouse.
func (m *Metrics) Finished(r report.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finished.WithLabelValues(r.Job, r.State).Inc()
	m.clear()
}

// Failed counts a run that has ended without a report.
func (m *Metrics) Failed(job string) { m.Finished(report.Report{Job: job, State: "failed"}) }

// Idle clears the run under way, without counting one: a run that failed and is tried again has not
// finished.
func (m *Metrics) Idle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
}

// clear resets the metrics of the run under way.
func (m *Metrics) clear() {
	m.running.Set(0)
	m.credits.Set(0)
	m.limit.Set(0)
	for _, phase := range phases {
		m.phase.WithLabelValues(phase).Set(0)
	}
	for _, v := range []*prometheus.GaugeVec{m.done, m.left, m.rate, m.wait, m.spent} {
		v.Reset()
	}
}

// Text returns all metrics in Prometheus' format of text.
func (m *Metrics) Text() (string, error) {
	h := promhttp.HandlerFor(prometheus.Gatherers{m.own, m.process}, promhttp.HandlerOpts{DisableCompression: true})
	return textOf(h)
}

// Undelivered counts a notification that did not reach an address.
func (m *Metrics) Undelivered() { m.undelivered.Inc() }

// NetworkRestarted counts a network process that ended unasked.
func (m *Metrics) NetworkRestarted() { m.restarts.Inc() }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
