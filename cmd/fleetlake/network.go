//go:build !no_network

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/fleetlake/fleetlake/schedules/flight"
	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
	"github.com/fleetlake/fleetlake/schedules/network/server"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/spf13/cobra"
)

// networkVerb runs the process that serves page and Flight SQL. Its argument is how many sockets it is given.
const networkVerb = "serve-network"

// workerVerb runs a process for queries.
const workerVerb = "query-worker"

// keptNetwork is the process that serves page and Flight SQL.
type keptNetwork struct {
	*server.Kept
	setup *atomic.Pointer[networkSetup] // that the next process is sent
}

// renew has page and Flight SQL served by the configuration, from the same sockets.
func (k *keptNetwork) renew(c config.Config) error {
	setup, err := setupOf(c)
	if err != nil {
		return err
	}
	k.setup.Store(&setup)
	k.Renew()
	return nil
}

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
		if _, err := flightSecurity(c.Flight, slog.New(slog.DiscardHandler)); err != nil { // which the process reads again
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

// networkMiB is the most that the network process and its queries take.
func networkMiB(c config.Config) int {
	if c.Serve.Listen == "" && c.Flight.Listen == "" {
		return 0
	}
	return server.MemoryMiB + c.Queries.Concurrent*c.Queries.MemoryMiB
}

// startNetwork starts the process that serves page and Flight SQL for a daemon; nil if the configuration has no address
// for one.
func (a *app) startNetwork(c config.Config, d *daemon.Server) (*keptNetwork, error) {
	setup, err := setupOf(c)
	if err != nil {
		return nil, err
	}
	program, err := worker.Program()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	var next atomic.Pointer[networkSetup]
	next.Store(&setup)
	p := server.Process{Page: c.Serve.Listen, PageRequired: c.Serve.ListenGiven, Flight: c.Flight.Listen,
		Encrypted: c.Flight.Certificate != "", Tokens: len(setup.Clients), Command: []string{program, networkVerb},
		Getenv: a.getenv, Log: d.Log(), Setup: func(page, flight bool) any {
			now := *next.Load()
			now.Page, now.Flight = page, flight
			return now
		}}
	if a.verbose {
		p.Flags = []string{"--verbose"}
	}
	k, err := p.Start(d)
	if k == nil || err != nil {
		return nil, err
	}
	return &keptNetwork{k, &next}, nil
}

// networkCommands are for `fleetlake serve`, which starts the hidden ones, and for assistants.
func (a *app) networkCommands() []*cobra.Command {
	return []*cobra.Command{{
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
			return server.Serve(cmd.Context(), sockets, func(s networkSetup) (server.Config, error) { return a.networkConfig(s) })
		},
	}, {
		Use:    workerVerb,
		Short:  "Run a query for `fleetlake serve` and `fleetlake mcp`, which start this verb",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return worker.Serve(context.WithoutCancel(cmd.Context()), os.Stdin, worker.Answers()) // a signal is for the server, which closes the pipe
		},
	}, a.mcpCommand()}
}

// networkConfig is what the network process serves.
func (a *app) networkConfig(s networkSetup) (server.Config, error) {
	c, err := s.configuration()
	if err != nil {
		return server.Config{}, err
	}
	program, err := worker.Program()
	if err != nil {
		return server.Config{}, fmt.Errorf("find this program: %w", err)
	}
	b, log := c.Budget, a.log()
	return server.Config{Dir: c.DataDir, Version: version(), Log: log, Jobs: c.PlanJobs(), Watched: c.Watched(), Health: healthOf(c),
		Page: s.Page, Hosts: c.Serve.Hosts, Token: s.Token, TrustLoopback: c.Serve.Trust == config.TrustLoopback, Proxies: c.Serve.Proxies,
		Caps:   page.Caps{PerRun: b.PerRun, PerDay: b.PerDay, PerMonth: b.PerMonth, Floor: b.Floor},
		Flight: s.Flight, Clients: s.Clients, TLS: func() (*tls.Config, error) { return flightSecurity(c.Flight, log) },
		Worker:  []string{program, workerVerb},
		Queries: server.Queries(c.Queries), QueriesDir: c.QueriesDir,
		Scenario: func(job string, s forecast.State, days int, now time.Time) (forecast.Scenario, error) {
			return asConfigured(c, job, s, days, now)
		},
		Scores: func(ctx context.Context, vesselID string) ([]wording.VesselScore, error) {
			return scoreByJob(ctx, c, vesselID)
		},
		WriteAnswer: func(ctx context.Context, w *warehouse.Warehouse, st warehouse.Statement, format string, to io.Writer) error {
			return writeAnswer(ctx, w, st, queryOptions{format: forPeople(format)}, to, unlimited)
		},
		WriteRows: writeForPeople,
	}, nil
}

// forPeople is the format of a file that a person got from a browser, and may open in a spreadsheet.
func forPeople(format string) string {
	if format == "csv" {
		return console.Spreadsheet
	}
	return format
}

func writeForPeople(to io.Writer, format string, columns []server.Column, rows iter.Seq2[[]any, error]) error {
	shown := make([]console.Column, len(columns))
	for i, c := range columns {
		shown[i] = console.Column(c)
	}
	_, err := console.WriteRows(to, forPeople(format), 0, shown, rows)
	return err
}

// flightReady reads what Flight SQL needs, and says where it would be served.
func flightReady(c config.Config) (string, error) {
	clients, err := flightClients(c.Flight)
	if err == nil {
		_, err = flightSecurity(c.Flight, slog.New(slog.DiscardHandler))
	}
	if err == nil && unixsocket.Is(c.Flight.Listen) {
		err = listen.Free(c.Flight.Listen)
	}
	return fmt.Sprintf("%s, %d tokens", c.Flight.Listen, len(clients)), err
}

// pageReady returns an error if the socket of the page could not be opened now.
func pageReady(c config.Config) (string, error) { return c.Serve.Listen, listen.Free(c.Serve.Listen) }

// flightClients reads the tokens.
func flightClients(f config.Flight) ([]flight.Client, error) {
	read, err := f.Clients()
	if err != nil {
		return nil, err
	}
	clients := make([]flight.Client, len(read))
	for i, c := range read {
		clients[i] = flight.Client(c)
	}
	if err := flight.CheckClients(clients); err != nil {
		return nil, fmt.Errorf("flight.tokens_file: %w", err)
	}
	return clients, nil
}

// flightSecurity reads the certificate; nil without one.
func flightSecurity(f config.Flight, log *slog.Logger) (*tls.Config, error) {
	if f.Certificate == "" {
		return nil, nil
	}
	if err := f.CheckKey(); err != nil {
		return nil, err
	}
	return flight.Certificate(f.Certificate, f.KeyFile, log)
}
