package server

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/fleetlake/fleetlake/schedules/listen"
	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// MemoryMiB is that of the network process without its queries, at which it is ended (600 MB).
const MemoryMiB = 572

// stopGrace is how long the network process may take to stop: to let clients end, and to end its own processes.
const stopGrace = shutdownTimeout + 2*time.Second

// environment are the variables that the network process gets: none has a secret.
var environment = []string{"TZ", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR"}

// Process starts and keeps the network process.
type Process struct {
	// Page and Flight are its addresses, HOST:PORT or unix: and a path; "" is none. If that of the page is in use and
	// not required, there is no page.
	Page, Flight string
	PageRequired bool
	Encrypted    bool // Flight SQL has TLS
	Tokens       int  // that it has

	Command []string                    // of the process, to which the number of its sockets is added
	Flags   []string                    // after that
	Setup   func(page, flight bool) any // what it is sent, given what is served
	Getenv  func(string) string
	Log     *slog.Logger
}

// Start starts the process that serves page and Flight SQL for a daemon, if there is an address for one. The
// sockets are this process's, so that an address in use is an error now, and clients wait while the other process is
// started again. It returns nil without a process.
func (p Process) Start(d *daemon.Server) (k *Kept, err error) {
	page, sql, err := p.listen()
	var sockets []*listen.Socket
	for _, one := range []*listen.Socket{page, sql} {
		if one != nil {
			sockets = append(sockets, one)
		}
	}
	k = &Kept{sockets: sockets, log: p.Log}
	if err != nil || len(sockets) == 0 {
		k.closeSockets()
		return nil, err
	}
	var files []*os.File
	for _, one := range sockets {
		files = append(files, one.File)
	}
	temporary, remove, err := load.Scratch(os.TempDir(), "fleetlake-network-")
	if err != nil {
		k.closeSockets()
		return nil, err
	}
	k.remove = remove
	variables := []string{"TMPDIR=" + temporary}
	for _, name := range environment {
		if value := p.Getenv(name); value != "" {
			variables = append(variables, name+"="+value)
		}
	}
	command := slices.Concat(p.Command, []string{strconv.Itoa(len(sockets))}, p.Flags)
	k.keeper, err = network.Keep(network.Config{Command: command, Env: variables, Setup: func() any { return p.Setup(page != nil, sql != nil) },
		Listeners: files, MemoryMiB: MemoryMiB, Resident: worker.ResidentMiB, Grace: stopGrace, Log: p.Log,
		Answer: Answers(d), Restarted: d.NetworkRestarted,
		Confine: func() error { return worker.Confine(writes(temporary, p.Getenv("GOCOVERDIR"))...) }})
	if err != nil {
		k.closeSockets()
		return nil, errors.Join(err, remove())
	}
	return k, nil
}

// writes are the directories that the network process may write into: its temporary one, that by which it makes its
// queries the first processes that are killed, and that of a measured coverage.
func writes(temporary, coverage string) []string {
	return slices.DeleteFunc([]string{temporary, worker.ProcessFiles, coverage}, func(dir string) bool { return dir == "" })
}

// listen opens the sockets; nil is none.
func (p Process) listen() (page, sql *listen.Socket, err error) {
	if page, err = p.listenPage(); err != nil || p.Flight == "" {
		return page, nil, err
	}
	if sql, err = listen.Open(p.Flight); err != nil {
		return page, nil, fmt.Errorf("serve Flight SQL: %w", err)
	}
	scheme := "grpc"
	if p.Encrypted {
		scheme = "grpc+tls"
	}
	p.Log.Info("Flight SQL", "address", withScheme(scheme, sql.Address), "tokens", p.Tokens)
	return page, sql, nil
}

// listenPage opens the socket of the status page. If an address that is not required is in use, there is no page.
func (p Process) listenPage() (*listen.Socket, error) {
	if p.Page == "" {
		return nil, nil
	}
	socket, err := listen.Open(p.Page)
	if err != nil && !p.PageRequired {
		p.Log.Warn("status page not served: set serve.listen to a free address, or to \"\" for none", "error", err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("serve status page: %w", err)
	}
	p.Log.Info("status page", "address", withScheme("http", socket.Address))
	return socket, nil
}

// withScheme is an address as clients are told it.
func withScheme(scheme, at string) string {
	if unixsocket.Is(at) {
		return at
	}
	return scheme + "://" + at
}

// Kept is a network process that runs.
type Kept struct {
	keeper  *network.Keeper
	sockets []*listen.Socket
	remove  func() error // its temporary files
	log     *slog.Logger
}

// Stop ends the process.
func (k *Kept) Stop() {
	k.keeper.Stop()
	k.closeSockets()
	if err := k.remove(); err != nil {
		k.log.Warn("temporary files of the network process not removed", "error", err)
	}
}

// Renew has another process with the present setup take the place of the one that runs.
func (k *Kept) Renew() { k.keeper.Renew() }

// Bytes is the memory of the process.
func (k *Kept) Bytes() int { return k.keeper.ResidentMiB() << 20 }

func (k *Kept) closeSockets() {
	for _, one := range k.sockets {
		if err := one.Close(); err != nil {
			k.log.Warn("socket not removed", "address", one.Address, "error", err)
		}
	}
}
