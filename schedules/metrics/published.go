package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// PublishedConfig is the source of the metrics of what is published.
type PublishedConfig struct {
	Dir string           // the data directory
	Now func() time.Time // nil is time.Now

	// Spending returns what was spent, and what the caps leave to the next runs; nil is unknown.
	Spending func() (pipeline.Spending, error)
}

// Published are the metrics of what is published and stored, and of queries.
type Published struct {
	own *prometheus.Registry
}

// NewPublished registers the metrics. It fails without a data directory, and if a metric is described twice.
func NewPublished(c PublishedConfig) (*Published, error) {
	if c.Dir == "" {
		return nil, errors.New("metrics without a data directory")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Published{own: prometheus.NewRegistry()}
	if err := p.own.Register(newStored(c)); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return p, nil
}

// Handler serves these metrics and those of the scheduler, which it asks for their text. It answers two scrapes at a
// time. Without an answer of the scheduler it has none.
func (p *Published) Handler(scheduler func(context.Context) (string, error)) http.Handler {
	turns := make(chan struct{}, 2)
	own := promhttp.HandlerFor(p.own, promhttp.HandlerOpts{DisableCompression: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
		default:
			http.Error(w, "two others ask already", http.StatusServiceUnavailable)
			return
		}
		first, err := scheduler(r.Context())
		second := ""
		if err == nil {
			second, err = textOf(own)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, first+second) // the client may have gone
	})
}

// textOf returns what a handler of metrics answers who asks for text.
func textOf(h http.Handler) (string, error) {
	r, err := http.NewRequest(http.MethodGet, "/metrics", nil)
	if err != nil {
		return "", err
	}
	a := &written{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(a, r)
	if a.status != http.StatusOK {
		return "", fmt.Errorf("collect metrics: %s", a.String())
	}
	return a.String(), nil
}

// written is an answer in memory.
type written struct {
	bytes.Buffer
	header http.Header
	status int
}

func (w *written) Header() http.Header { return w.header }
func (w *written) WriteHeader(s int)   { w.status = s }
