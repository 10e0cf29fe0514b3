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
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// idleProcess is how long a process for queries stays without one.
const idleProcess = time.Minute

// openFlight serves Flight SQL, if the configuration has an address for it.
func (s *server) openFlight() (stop func(), err error) {
	f := s.config.Flight
	if f.Listen == "" {
		return func() {}, nil
	}
	clients, security, err := flightSecurity(f, s.log)
	if err != nil {
		return nil, &config.Error{Problems: []string{err.Error()}}
	}
	sql, err := flight.New(flight.Config{Pool: s.pool, Clients: clients, TLS: security, Version: version(), Log: s.log})
	if err != nil {
		return nil, &config.Error{Problems: []string{"flight.tokens_file: " + err.Error()}}
	}
	l, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return nil, fmt.Errorf("serve Flight SQL: %w", err)
	}
	scheme := "grpc://"
	if security != nil {
		scheme = "grpc+tls://"
	}
	s.log.Info("Flight SQL", "address", scheme+l.Addr().String(), "tokens", len(clients))
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := sql.Serve(l); err != nil {
			s.log.Error("Flight SQL ended", "error", err)
		}
	})
	return func() {
		sql.Stop(shutdownTimeout)
		serving.Wait()
	}, nil
}

// flightReady reads what Flight SQL needs, and says where it would be served.
func flightReady(c config.Config) (string, error) {
	clients, _, err := flightSecurity(c.Flight, slog.New(slog.DiscardHandler))
	return fmt.Sprintf("%s, %d tokens", c.Flight.Listen, len(clients)), err
}

// flightSecurity reads the tokens and the certificate.
func flightSecurity(f config.Flight, log *slog.Logger) ([]flight.Client, *tls.Config, error) {
	clients, err := f.Clients()
	if err != nil || f.Certificate == "" {
		return clients, nil, err
	}
	if err := f.CheckKey(); err != nil {
		return nil, nil, err
	}
	security, err := flight.Certificate(f.Certificate, f.KeyFile, log)
	return clients, security, err
}

// openPool makes the processes for the queries of others, for the page and Flight SQL. They end with the
// returned function. Without either there is no pool.
func (s *server) openPool() (stop func(), err error) {
	if s.config.Serve.Listen == "" && s.config.Flight.Listen == "" {
		return func() {}, nil
	}
	program, err := worker.Program()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	temporary, remove, err := load.Scratch(os.TempDir(), "fleetlake-serve-")
	if err != nil {
		return nil, err
	}
	var counted *metrics.Queries
	q := s.config.Queries
	pool, err := worker.New(worker.Config{Dir: s.config.DataDir, Command: []string{program, workerVerb}, Temp: temporary, Limits: q.Limits,
		Concurrent: q.Concurrent, Queue: q.Queue, Wait: q.Wait, Idle: idleProcess, Log: s.log,
		Ended: func(outcome string, took time.Duration) { counted.Ended(outcome, took) }})
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	counted, err = s.metrics.Queries(worker.Outcomes, func() (running, waiting, started int) {
		now := pool.Stats()
		return now.Running, now.Waiting, now.Started
	})
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	s.pool = pool
	return func() {
		pool.Close()
		if err := remove(); err != nil {
			s.log.Warn("temporary files of queries not removed", "error", err)
		}
	}, nil
}
