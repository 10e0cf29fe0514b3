package server

import (
	"context"
	"net"
	"runtime/debug"

	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Memory of the network process in MiB: that at which Go's runtime saves memory, and that of each DuckDB in it, of which
// some read for pages at the same time.
const (
	goMiB     = 160
	duckDBMiB = 160
)

// Serve is what the network process does: it reads its setup, of which create makes a configuration, and serves on so many
// sockets until the scheduler asks it to stop, or is gone.
func Serve[Setup any](ctx context.Context, sockets int, create func(Setup) (Config, error)) error {
	if err := worker.CloseInherited(network.LastDescriptor(sockets)); err != nil {
		return err
	}
	debug.SetMemoryLimit(goMiB << 20)
	warehouse.SetLimits(duckDBMiB, warehouse.DefaultThreads)
	var setup Setup
	link, err := network.Inherited(&setup)
	if err != nil {
		return err
	}
	c, err := create(setup)
	if err != nil {
		return err
	}
	n, err := New(c, link.Ask)
	if err != nil {
		return err
	}
	listeners := make([]net.Listener, sockets)
	for i := range listeners {
		if listeners[i], err = network.Listener(i); err != nil {
			return err
		}
	}
	stop, err := n.Open(listeners)
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
