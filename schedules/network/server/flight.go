package server

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/schedules/flight"
	"github.com/fleetlake/fleetlake/schedules/metrics"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// idleProcess is how long a process for queries stays without one.
const idleProcess = time.Minute

// openFlight serves Flight SQL.
func (n *Server) openFlight(l net.Listener) (stop func(), err error) {
	var security *tls.Config
	if n.config.TLS != nil {
		if security, err = n.config.TLS(); err != nil {
			return nil, err
		}
	}
	sql, err := flight.New(flight.Config{Pool: n.pool, Clients: n.config.Clients, TLS: security, Version: n.config.Version,
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

// openPool makes the processes for the queries of strangers. They end with the returned function.
func (n *Server) openPool() (stop func(), err error) {
	temporary, remove, err := load.Scratch(os.TempDir(), "fleetlake-serve-")
	if err != nil {
		return nil, err
	}
	var counted *metrics.Queries
	q := n.config.Queries
	pool, err := worker.New(worker.Config{Dir: n.config.Dir, Command: n.config.Worker, Temp: temporary, Limits: q.Limits,
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
