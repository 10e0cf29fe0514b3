//go:build no_network

package main

import (
	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/spf13/cobra"
)

// errNoNetwork says that this program has no part that strangers reach.
var errNoNetwork = &config.Error{Problems: []string{"this program is built without page and Flight SQL (build tag no_network): " +
	"set serve.listen and flight.listen to \"\""}}

// keptNetwork is the process that serves page and Flight SQL, which this program has not.
type keptNetwork struct{}

func (*keptNetwork) Bytes() int { return 0 }
func (*keptNetwork) Stop()      {}

func (*keptNetwork) renew(config.Config) error { return nil }

func networkMiB(config.Config) int { return 0 }

// startNetwork refuses an address that the configuration names; the default one is not served.
func (a *app) startNetwork(c config.Config, _ *daemon.Server) (*keptNetwork, error) {
	if c.Serve.ListenGiven && c.Serve.Listen != "" || c.Flight.Listen != "" {
		return nil, errNoNetwork
	}
	return nil, nil
}

func (a *app) networkCommands() []*cobra.Command { return nil }

func pageReady(config.Config) (string, error) { return "", errNoNetwork }

func flightReady(config.Config) (string, error) { return "", errNoNetwork }
