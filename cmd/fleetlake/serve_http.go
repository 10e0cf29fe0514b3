package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/schedules/share"
)

// Limits of the clients of the page. A slow client is cut off; any number of clients takes few
// connections and little memory, and does not slow the harvest.
const (
	maxConnections = 64
	maxHeader      = 16 << 10
	headerTimeout  = 5 * time.Second
	readTimeout    = 10 * time.Second
	writeTimeout   = 30 * time.Second
)

// maxRecords is how many slots without a good run the page lists.
const maxRecords = 20

// openPage serves the status page, unless the configuration has no address for it. If the default
// address is in use, the server runs without a page; a configured address must work.
func (s *server) openPage() (stop func(), err error) {
	if s.config.Serve.Listen == "" {
		return func() {}, nil
	}
	handler, err := s.page()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", s.config.Serve.Listen)
	if err != nil && !s.config.Serve.ListenGiven {
		s.log.Warn("status page not served: set serve.listen to a free address, or to \"\" for none", "error", err)
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("serve status page: %w", err)
	}
	s.log.Info("status page", "address", "http://"+l.Addr().String())
	ctx, cancel := context.WithCancel(context.Background())
	var preparing sync.WaitGroup
	preparing.Go(func() { handler.Prepare(ctx) })
	stopServing := serveOn(l, handler, s.log)
	return func() {
		cancel()
		stopServing()
		preparing.Wait()
		s.forecasts.stop()
		if err := handler.Close(); err != nil {
			s.log.Warn("published file not closed", "error", err)
		}
	}, nil
}

// serveOn serves until it is stopped.
func serveOn(l net.Listener, handler http.Handler, log *slog.Logger) (stop func()) {
	limited := newLimitListener(l, maxConnections)
	web := &http.Server{
		ConnState: limited.state, ConnContext: withConn,
		Handler: watchBodies(handler), MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	web.SetKeepAlivesEnabled(false) // an idle connection would block that of a monitor
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := web.Serve(limited); !errors.Is(err, http.ErrServerClosed) {
			log.Error("status page ended", "error", err)
		}
	})
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		if err := web.Shutdown(ctx); err != nil {
			web.Close()
		}
		serving.Wait()
	}
}

// page returns the handler of the status page, metrics and probes.
func (s *server) page() (*page.Handler, error) {
	token, err := s.config.Serve.Token()
	if err != nil {
		return nil, &config.Error{Problems: []string{err.Error()}}
	}
	b := s.config.Budget
	s.forecasts = newForecasts(s.config)
	return page.New(page.Config{
		Dir: s.config.DataDir, Hosts: s.config.Serve.Hosts, Token: token, Version: version(), Log: s.log,
		TrustLoopback: s.config.Serve.Trust == config.TrustLoopback, Proxies: s.config.Serve.Proxies,
		Live: s.live, Slots: s.slotRecords, RunNow: s.runner.Trigger, PriceAgain: s.priceAgain, Troubles: s.dataTroubles, Stop: s.runner.StopRun,
		Metrics: s.metrics.Handler(), Share: share.New(s.config.DataDir, s.log), Export: s.exportLine, Healthy: s.healthy, Ready: s.isReady,
		Answer: s.answer, Ask: s.ask, AskFile: s.askFile, Watch: s.config.Watched(), Forecast: s.forecasts.of, ForecastJobs: s.config.JobNames(),
		Scores: func(ctx context.Context, vesselID string) ([]wording.VesselScore, error) {
			return scoreByJob(ctx, s.config, vesselID)
		},
		Spending: s.spending,
		Caps:     page.Caps{PerRun: b.PerRun, PerDay: b.PerDay, PerMonth: b.PerMonth, Floor: b.Floor},
	})
}

// spending is what was spent, and what the caps leave to the next runs.
func (s *server) spending() (pipeline.Spending, error) {
	p := &pipeline.Pipeline{Dir: s.config.DataDir}
	return p.Spending(s.config.PlanJobs())
}

// live is the run that is under way.
func (s *server) live() page.Live {
	now := s.runner.Snapshot()
	if now.Running.Job == "" {
		return page.Live{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	live := page.Live{Job: now.Running.Job, Date: now.Running.Date, Started: now.Started}
	if !s.progress.At.Before(now.Started) { // else it is that of the previous run
		live.Progress = s.progress
	}
	return live
}

// slotRecords are the next slots, and the latest without a good run.
func (s *server) slotRecords() []page.SlotView {
	var all []page.SlotView
	for _, p := range s.runner.Snapshot().Next {
		all = append(all, page.SlotView{Job: p.Job, Date: p.Date, At: p.Start, State: "next", Reason: s.withoutPaths(p.Reason)})
	}
	for _, r := range s.slots.Latest(maxRecords) {
		all = append(all, page.SlotView{Job: r.Job, Date: r.Date, At: r.Slot, State: r.State, Reason: s.withoutPaths(r.Reason)})
	}
	return all
}
