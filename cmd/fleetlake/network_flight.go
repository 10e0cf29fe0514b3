package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/schedules/flight"
	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// idleProcess is how long a process for queries stays without one.
const idleProcess = time.Minute

// openFlight serves Flight SQL.
func (n *networkServer) openFlight(l net.Listener) (stop func(), err error) {
	security, err := flightSecurity(n.config.Flight, n.log)
	if err != nil {
		return nil, err
	}
	sql, err := flight.New(flight.Config{Pool: n.pool, Clients: n.setup.Clients, TLS: security, Version: version(),
		Log: n.log})
	if err != nil {
		return nil, err
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := sql.Serve(l); err != nil {
			n.log.Error("Flight SQL ended", "error", err)
		}
	})
	return func() {
		sql.Stop(shutdownTimeout)
		serving.Wait()
	}, nil
}

// flightReady reads what Flight SQL needs, and says where it would be served.
func flightReady(c config.Config) (string, error) {
	clients, err := flightClients(c.Flight)
	if err == nil {
		_, err = flightSecurity(c.Flight, slog.New(slog.DiscardHandler))
	}
	if err == nil && listen.IsUnix(c.Flight.Listen) {
		err = listen.Free(c.Flight.Listen)
	}
	return fmt.Sprintf("%s, %d tokens", c.Flight.Listen, len(clients)), err
}

// flightClients reads the tokens.
func flightClients(f config.Flight) ([]flight.Client, error) {
	clients, err := f.Clients()
	if err != nil {
		return nil, err
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

// openPool makes the processes for the queries of strangers. They end with the returned function.
func (n *networkServer) openPool() (stop func(), err error) {
	program, err := worker.Program()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	temporary, remove, err := load.Scratch(os.TempDir(), "fleetlake-serve-")
	if err != nil {
		return nil, err
	}
	var counted *metrics.Queries
	q := n.config.Queries
	pool, err := worker.New(worker.Config{Dir: n.config.DataDir, Command: []string{program, workerVerb}, Temp: temporary, Limits: q.Limits,
		Concurrent: q.Concurrent, Queue: q.Queue, Wait: q.Wait, Idle: idleProcess, Log: n.log,
		Ended: func(outcome string, took time.Duration) { counted.Ended(outcome, took) }})
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	counted, err = n.metrics.Queries(worker.Outcomes, func() (running, waiting, started int) {
		now := pool.Stats()
		return now.Running, now.Waiting, now.Started
	})
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	n.pool = pool
	return func() {
		pool.Close()
		if err := remove(); err != nil {
			n.log.Warn("temporary files of queries not removed", "error", err)
		}
	}, nil
}
