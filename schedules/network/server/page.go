package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/schedules/share"
	"github.com/fleetlake/fleetlake/warehouse"
)

// How long the page waits for the scheduler: for what it has in memory, and for what it may read from the disk first.
const (
	stateTimeout = 2 * time.Second
	readyTimeout = 10 * time.Second
)

// Handler returns the handler of the status page, metrics and probes.
func (n *Server) Handler() (*page.Handler, error) {
	c := n.config
	return page.New(page.Config{
		Dir: c.Dir, Hosts: c.Hosts, Token: c.Token, Version: c.Version, Log: n.log,
		TrustLoopback: c.TrustLoopback, Proxies: c.Proxies,
		Schedule: n.schedule, RunNow: n.runNow, PriceAgain: n.priceAgain, Price: n.price, Troubles: n.troubles, Stop: n.stopRun,
		Metrics: n.metrics.Handler(n.schedulerMetrics), Share: share.New(c.Dir, n.log), Export: n.exportLine,
		Healthy: n.healthy, Ready: n.ready, Answer: n.answer, Ask: n.askRows, AskFile: n.askFile,
		Own:   func() ([]warehouse.WorkedQuery, error) { return warehouse.OwnQueries(c.QueriesDir) },
		Times: n.times, Watch: c.Watched,
		Forecast: n.forecasts.of, ForecastJobs: c.jobNames(),
		Scores: c.Scores, Spending: n.spending, Caps: c.Caps,
	})
}

// within asks the scheduler for so long.
func (n *Server) within(most time.Duration, q network.Request, value any) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	return n.ask(ctx, q, value)
}

// state is what the scheduler does now.
func (n *Server) state() (s daemon.State, err error) {
	return s, n.within(stateTimeout, network.Request{Verb: verbState}, &s)
}

// schedule is what the page shows of the scheduler.
func (n *Server) schedule() (page.Schedule, error) {
	s, err := n.state()
	shown := page.Schedule{Live: page.Live(s.Live), Exporting: s.Exporting}
	for _, slot := range s.Slots {
		shown.Slots = append(shown.Slots, page.SlotView{Job: slot.Job, Date: slot.Date, At: slot.At, State: slot.State, Reason: slot.Reason})
	}
	return shown, err
}

func (n *Server) runNow(job string, again bool) error {
	return n.within(stateTimeout, network.Request{Verb: verbRun, Job: job, Again: again}, nil)
}

func (n *Server) stopRun() error {
	return n.within(stateTimeout, network.Request{Verb: verbStop}, nil)
}

func (n *Server) priceAgain(ctx context.Context, job string) (p *pipeline.Preview, err error) {
	return p, n.ask(ctx, network.Request{Verb: verbPrice, Job: job}, &p)
}

// priceKept is after how long a price is made again although the published file is the same: data age slowly.
const priceKept = 10 * time.Minute

// pricedRun is a price, when it was asked for, and of which published file; nil without one.
type pricedRun struct {
	at      time.Time
	file    os.FileInfo
	preview *pipeline.Preview
}

// price is what a run of a job would cost now. Everybody gets one answer, which is made again for another published file.
// Who asks for the first of a file waits no longer than for what the scheduler has in memory, and for a later one not at
// all.
func (n *Server) price(ctx context.Context, job string) (*pipeline.Preview, error) {
	file, err := os.Stat(warehouse.Path(n.config.Dir))
	if err != nil {
		file = nil // nothing is published
	}
	n.pricing.Lock()
	known, ok := n.prices[job]
	n.pricing.Unlock()
	if ok = ok && samePublished(known.file, file); ok && time.Since(known.at) < priceKept {
		return known.preview, nil
	}
	priced := n.probing.DoChan(verbFirst+" "+job, func() (any, error) {
		var p *pipeline.Preview
		if err := n.within(times.Read, network.Request{Verb: verbFirst, Job: job}, &p); err != nil {
			return p, err
		}
		n.pricing.Lock()
		defer n.pricing.Unlock()
		n.prices[job] = pricedRun{time.Now(), file, p}
		return p, nil
	})
	if ok {
		return known.preview, nil
	}
	ctx, cancel := context.WithTimeout(ctx, stateTimeout)
	defer cancel()
	select {
	case answer := <-priced:
		p, _ := answer.Val.(*pipeline.Preview)
		return p, answer.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// healthy returns an error if the scheduler hangs, or does not answer. All monitors who ask meanwhile get one answer.
func (n *Server) healthy() error {
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
func (n *Server) ready() error {
	_, err, _ := n.probing.Do(verbReady, func() (any, error) {
		return nil, n.within(readyTimeout, network.Request{Verb: verbReady}, nil)
	})
	return err
}

func (n *Server) schedulerMetrics(ctx context.Context) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return text, n.ask(ctx, network.Request{Verb: verbMetrics}, &text)
}

// spending is what was spent, and what the caps leave to the next runs.
func (n *Server) spending() (pipeline.Spending, error) {
	p := &pipeline.Pipeline{Dir: n.config.Dir}
	return p.Spending(n.config.Jobs)
}

// troubles is what the page says besides the verdict on the night.
func (n *Server) troubles() []page.Trouble {
	var all []page.Trouble
	add := func(title, words string) {
		all = append(all, page.Trouble{Title: title, Words: datadir.WithoutPath(n.config.Dir, words)})
	}
	data, err := health.DataProblems(context.Background(), n.config.Dir, "")
	if err != nil {
		add("The data directory cannot be read", err.Error())
	}
	export, err := n.config.Health.ExportProblems()
	if err != nil {
		add("The state of the export cannot be read", err.Error())
	}
	for _, t := range append(data, export...) {
		add(t.Title, t.Words)
	}
	return all
}

// exportLine is what the page says of the last export; nothing without one in the configuration.
func (n *Server) exportLine() string {
	if !n.config.Health.Exports {
		return ""
	}
	state, err := exports.ReadState(n.config.Dir)
	switch {
	case err != nil:
		return "The state of the export cannot be read."
	case state.Success == nil:
		return "Nothing is exported yet."
	}
	return fmt.Sprintf("Last export: %s UTC, %s.", state.Success.At.UTC().Format("2006-01-02 15:04"), health.ExportedWords(*state.Success))
}
