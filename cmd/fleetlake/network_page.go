package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/schedules/share"
)

// How long the page waits for the scheduler: for what it has in memory, and for what it may read from the disk first.
const (
	stateTimeout = 2 * time.Second
	readyTimeout = 10 * time.Second
)

// page returns the handler of the status page, metrics and probes.
func (n *networkServer) page() (*page.Handler, error) {
	b := n.config.Budget
	return page.New(page.Config{
		Dir: n.config.DataDir, Hosts: n.config.Serve.Hosts, Token: n.setup.Token, Version: version(), Log: n.log,
		TrustLoopback: n.config.Serve.Trust == config.TrustLoopback, Proxies: n.config.Serve.Proxies,
		Schedule: n.schedule, RunNow: n.runNow, PriceAgain: n.priceAgain, Troubles: n.troubles, Stop: n.stopRun,
		Metrics: n.metrics.Handler(n.schedulerMetrics), Share: share.New(n.config.DataDir, n.log), Export: n.exportLine,
		Healthy: n.healthy, Ready: n.ready, Answer: n.answer, Ask: n.askRows, AskFile: n.askFile, Stall: n.config.Queries.Stall, Watch: n.config.Watched(),
		Forecast: n.forecasts.of, ForecastJobs: n.config.JobNames(),
		Scores: func(ctx context.Context, vesselID string) ([]wording.VesselScore, error) {
			return scoreByJob(ctx, n.config, vesselID)
		},
		Spending: n.spending,
		Caps:     page.Caps{PerRun: b.PerRun, PerDay: b.PerDay, PerMonth: b.PerMonth, Floor: b.Floor},
	})
}

// within asks the scheduler for so long.
func (n *networkServer) within(most time.Duration, q network.Request, value any) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	return n.ask(ctx, q, value)
}

// state is what the scheduler does now.
func (n *networkServer) state() (s schedulerState, err error) {
	return s, n.within(stateTimeout, network.Request{Verb: verbState}, &s)
}

// schedule is what the page shows of the scheduler.
func (n *networkServer) schedule() (page.Schedule, error) {
	s, err := n.state()
	return s.Schedule, err
}

func (n *networkServer) runNow(job string, again bool) error {
	return n.within(stateTimeout, network.Request{Verb: verbRun, Job: job, Again: again}, nil)
}

func (n *networkServer) stopRun() error {
	return n.within(stateTimeout, network.Request{Verb: verbStop}, nil)
}

func (n *networkServer) priceAgain(ctx context.Context, job string) (p *pipeline.Preview, err error) {
	return p, n.ask(ctx, network.Request{Verb: verbPrice, Job: job}, &p)
}

// healthy returns an error if the scheduler hangs, or does not answer. All monitors who ask meanwhile get one answer.
func (n *networkServer) healthy() error {
	_, err, _ := n.probing.Do(verbState, func() (any, error) {
		s, err := n.state()
		if err == nil && s.Unhealthy != "" {
			err = errors.New(s.Unhealthy)
		}
		return nil, err
	})
	return err
}

// ready returns an error if a run cannot start, or the last nights failed. Likewise.
func (n *networkServer) ready() error {
	_, err, _ := n.probing.Do(verbReady, func() (any, error) {
		return nil, n.within(readyTimeout, network.Request{Verb: verbReady}, nil)
	})
	return err
}

func (n *networkServer) schedulerMetrics(ctx context.Context) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return text, n.ask(ctx, network.Request{Verb: verbMetrics}, &text)
}

// spending is what was spent, and what the caps leave to the next runs.
func (n *networkServer) spending() (pipeline.Spending, error) {
	p := &pipeline.Pipeline{Dir: n.config.DataDir}
	return p.Spending(n.config.PlanJobs())
}

// troubles is what the page says besides the verdict on the night.
func (n *networkServer) troubles() []page.Trouble {
	var all []page.Trouble
	add := func(title, words string) {
		all = append(all, page.Trouble{Title: title, Words: withoutPaths(n.config, words)})
	}
	data, err := dataTroubles(context.Background(), n.config.DataDir, "")
	if err != nil {
		add("The data directory cannot be read", err.Error())
	}
	export, err := exportTroubles(n.config)
	if err != nil {
		add("The state of the export cannot be read", err.Error())
	}
	for _, t := range append(data, export...) {
		add(t.title, t.words)
	}
	return all
}

// exportLine is what the page says of the last export; nothing without one in the configuration.
func (n *networkServer) exportLine() string {
	if n.config.Export.Target == "" {
		return ""
	}
	state, err := exports.ReadState(n.config.DataDir)
	switch {
	case err != nil:
		return "The state of the export cannot be read."
	case state.Success == nil:
		return "Nothing is exported yet."
	}
	return fmt.Sprintf("Last export: %s UTC, %s.", state.Success.At.UTC().Format("2006-01-02 15:04"), exportedWords(*state.Success))
}
