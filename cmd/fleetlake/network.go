package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/schedules/flight"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/spf13/cobra"
	"golang.org/x/sync/singleflight"
)

// networkVerb runs the process that serves page and Flight SQL. Its argument is how many sockets it is given.
const networkVerb = "serve-network"

// Memory of the network process in MiB: that at which it is ended (600 MB), at which Go's runtime saves memory, and of
// each DuckDB in it, of which some read for pages at the same time.
const (
	networkMemoryMiB = 572
	networkGoMiB     = 160
	networkDuckDBMiB = 160
)

// networkSetup is what the scheduler sends the network process.
type networkSetup struct {
	Config  config.Config // without secrets of others
	Zones   []string      // the time zones of its jobs, which JSON does not have
	Token   string        // of the page
	Clients []flight.Client
	Page    bool // it is served, on the first socket
	Flight  bool // likewise, on the last
}

// setupOf reads what the network process needs and may not read itself.
func setupOf(c config.Config) (networkSetup, error) {
	token, err := c.Serve.Token()
	if err != nil {
		return networkSetup{}, &config.Error{Problems: []string{err.Error()}}
	}
	s := networkSetup{Config: c.ForNetwork(), Token: token}
	if c.Flight.Listen != "" {
		if s.Clients, err = flightClients(c.Flight); err != nil {
			return networkSetup{}, &config.Error{Problems: []string{err.Error()}}
		}
	}
	for _, j := range c.Jobs {
		s.Zones = append(s.Zones, j.Job.Location.String())
	}
	return s, nil
}

// configuration is the configuration with the time zones of its jobs.
func (s networkSetup) configuration() (config.Config, error) {
	if len(s.Zones) != len(s.Config.Jobs) {
		return config.Config{}, fmt.Errorf("%d time zones of %d jobs", len(s.Zones), len(s.Config.Jobs))
	}
	for i, name := range s.Zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return config.Config{}, err
		}
		j := &s.Config.Jobs[i]
		j.Job.Location, j.Spec.Location = zone, zone
	}
	return s.Config, nil
}

// askFunc asks the scheduler, as network.Link.Ask does.
type askFunc func(ctx context.Context, q network.Request, value any) error

// networkServer is the state of the network process.
type networkServer struct {
	setup     networkSetup
	config    config.Config
	ask       askFunc
	pool      *worker.Pool // runs the queries of strangers
	metrics   *metrics.Published
	forecasts *forecasts
	making    *turns.Turns // a place per file that is made for the page
	probing   singleflight.Group
	log       *slog.Logger
}

// networkCommand is for `fleetlake serve`, which starts it.
func (a *app) networkCommand() *cobra.Command {
	return &cobra.Command{
		Use:    networkVerb + " SOCKETS",
		Short:  "Serve page and Flight SQL for `fleetlake serve`, which starts this verb",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.logs = true
			sockets, err := strconv.Atoi(args[0])
			if err != nil {
				return errUsage
			}
			return a.serveNetwork(cmd.Context(), sockets)
		},
	}
}

// serveNetwork is what the network process does: it serves until the scheduler asks it to stop, or is gone.
func (a *app) serveNetwork(ctx context.Context, sockets int) error {
	if err := worker.CloseInherited(network.LastDescriptor(sockets)); err != nil {
		return err
	}
	debug.SetMemoryLimit(networkGoMiB << 20)
	warehouse.SetLimits(networkDuckDBMiB, warehouse.DefaultThreads)
	var setup networkSetup
	link, err := network.Inherited(&setup)
	if err != nil {
		return err
	}
	n, err := newNetworkServer(setup, link.Ask, a.log())
	if err != nil {
		return err
	}
	listeners := make([]net.Listener, sockets)
	for i := range listeners {
		if listeners[i], err = network.Listener(i); err != nil {
			return err
		}
	}
	stop, err := n.open(listeners)
	if err != nil {
		return err
	}
	defer stop()
	select {
	case <-link.Stop():
	case <-ctx.Done():
	}
	return nil
}

// newNetworkServer serves nothing yet.
func newNetworkServer(setup networkSetup, ask askFunc, log *slog.Logger) (*networkServer, error) {
	c, err := setup.configuration()
	if err != nil {
		return nil, err
	}
	n := &networkServer{setup: setup, config: c, ask: ask, log: log, forecasts: newForecasts(c),
		making: turns.New(filesAtOnce, filesWaiting)}
	n.metrics, err = metrics.NewPublished(metrics.PublishedConfig{Dir: c.DataDir, Spending: n.spending})
	return n, err
}

// open serves on the sockets. The returned function ends it, within shutdownTimeout.
func (n *networkServer) open(sockets []net.Listener) (stop func(), err error) {
	if need := len(n.parts()); need != len(sockets) {
		return nil, fmt.Errorf("%d sockets, expected %d", len(sockets), need)
	}
	closePool, err := n.openPool()
	if err != nil {
		return nil, err
	}
	var stops []func()
	stop = func() {
		var stopping sync.WaitGroup
		for _, one := range stops {
			stopping.Go(one)
		}
		stopping.Wait()
		closePool()
	}
	for i, part := range n.parts() {
		one, err := part(sockets[i])
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, one)
	}
	return stop, nil
}

// parts are what is served, in the order of the sockets.
func (n *networkServer) parts() (all []func(net.Listener) (stop func(), err error)) {
	if n.setup.Page {
		all = append(all, n.openPage)
	}
	if n.setup.Flight {
		all = append(all, n.openFlight)
	}
	return all
}
