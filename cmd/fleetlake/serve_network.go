package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// stopGrace is how long the network process may take to stop: to let clients end, and to end its own processes.
const stopGrace = shutdownTimeout + 2*time.Second

// networkEnvironment are the variables that the network process gets: none has a secret.
var networkEnvironment = []string{"TZ", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR"}

// networkMiB is the most that the network process and its queries take.
func networkMiB(c config.Config) int {
	if c.Serve.Listen == "" && c.Flight.Listen == "" {
		return 0
	}
	return networkMemoryMiB + c.Queries.Concurrent*c.Queries.MemoryMiB
}

// openNetwork starts the process that serves page and Flight SQL, if the configuration has an address for one. The
// sockets are this process's, so that an address in use is an error now, and clients wait while the other process is
// started again. The returned function ends it.
func (s *server) openNetwork(getenv func(string) string, verbose bool) (stop func(), err error) {
	setup, err := setupOf(s.config)
	if err != nil {
		return nil, err
	}
	if s.config.Flight.Listen != "" {
		if _, err := flightSecurity(s.config.Flight, s.log); err != nil {
			return nil, &config.Error{Problems: []string{err.Error()}}
		}
	}
	sockets, err := s.listen(&setup)
	closeSockets := func() {
		for _, one := range sockets {
			if err := one.Close(); err != nil {
				s.log.Warn("socket not removed", "address", one.Address, "error", err)
			}
		}
	}
	if err != nil || len(sockets) == 0 {
		closeSockets()
		return func() {}, err
	}
	program, err := worker.Program()
	if err != nil {
		closeSockets()
		return nil, fmt.Errorf("find this program: %w", err)
	}
	command := []string{program, networkVerb, strconv.Itoa(len(sockets))}
	if verbose {
		command = append(command, "--verbose")
	}
	var files []*os.File
	for _, one := range sockets {
		files = append(files, one.File)
	}
	temporary, remove, err := load.Scratch(os.TempDir(), "fleetlake-network-")
	if err != nil {
		closeSockets()
		return nil, err
	}
	environment := []string{"TMPDIR=" + temporary}
	for _, name := range networkEnvironment {
		if value := getenv(name); value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	kept, err := network.Keep(network.Config{Command: command, Env: environment, Setup: setup, Listeners: files,
		MemoryMiB: networkMemoryMiB, Resident: worker.ResidentMiB, Grace: stopGrace, Log: s.log,
		Answer: s.answerNetwork, Restarted: s.metrics.NetworkRestarted,
		Confine: func() error { return worker.Confine(networkWrites(temporary, getenv("GOCOVERDIR"))...) }})
	if err != nil {
		closeSockets()
		return nil, errors.Join(err, remove())
	}
	s.network.Store(kept)
	return func() {
		kept.Stop()
		closeSockets()
		if err := remove(); err != nil {
			s.log.Warn("temporary files of the network process not removed", "error", err)
		}
	}, nil
}

// networkWrites are the directories that the network process may write into: its temporary one, that by which it makes its
// queries the first processes that are killed, and that of a measured coverage.
func networkWrites(temporary, coverage string) []string {
	return slices.DeleteFunc([]string{temporary, worker.ProcessFiles, coverage}, func(dir string) bool { return dir == "" })
}

// listen opens the sockets for page and Flight SQL, and notes in the setup which there are.
func (s *server) listen(setup *networkSetup) (sockets []*listen.Socket, err error) {
	page, err := s.listenPage()
	if page != nil {
		setup.Page, sockets = true, append(sockets, page)
	}
	if err != nil || s.config.Flight.Listen == "" {
		return sockets, err
	}
	sql, err := listen.Open(s.config.Flight.Listen)
	if err != nil {
		return sockets, fmt.Errorf("serve Flight SQL: %w", err)
	}
	scheme := "grpc"
	if s.config.Flight.Certificate != "" {
		scheme = "grpc+tls"
	}
	s.log.Info("Flight SQL", "address", withScheme(scheme, sql.Address), "tokens", len(setup.Clients))
	setup.Flight = true
	return append(sockets, sql), nil
}

// listenPage opens the socket of the status page, unless the configuration has no address for it. If the default
// address is in use, there is no page; a configured address must work.
func (s *server) listenPage() (*listen.Socket, error) {
	if s.config.Serve.Listen == "" {
		return nil, nil
	}
	socket, err := listen.Open(s.config.Serve.Listen)
	if err != nil && !s.config.Serve.ListenGiven {
		s.log.Warn("status page not served: set serve.listen to a free address, or to \"\" for none", "error", err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("serve status page: %w", err)
	}
	s.log.Info("status page", "address", withScheme("http", socket.Address))
	return socket, nil
}

// withScheme is an address as clients are told it.
func withScheme(scheme, address string) string {
	if listen.IsUnix(address) {
		return address
	}
	return scheme + "://" + address
}

// networkBytes is the memory of the network process.
func (s *server) networkBytes() int {
	if kept := s.network.Load(); kept != nil {
		return kept.ResidentMiB() << 20
	}
	return 0
}
