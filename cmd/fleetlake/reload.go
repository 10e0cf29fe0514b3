package main

import (
	"os"
	"reflect"
	"strings"
	"sync"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/schedules/daemon"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// reloader has a daemon take over a changed configuration.
type reloader struct {
	daemon  *daemon.Server
	network *keptNetwork // nil without page and Flight SQL
	inUse   config.Config
	told    notify.Config // the recipients, as they were at the start
	load    func() (config.Config, error)
}

// reloadOn reloads for each signal, until the returned function is called.
func (a *app) reloadOn(signals <-chan os.Signal, r *reloader) (stop func()) {
	end := make(chan struct{})
	var reloads sync.WaitGroup
	reloads.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-signals:
				if err := a.reload(r); err != nil {
					a.log().Error("configuration not reloaded: everything stays as it was", "error", err.Error())
				}
			}
		}
	})
	return func() { close(end); reloads.Wait() }
}

// reload takes over the configuration, or nothing of it if anything is wrong with it. One line of the log says what
// needs a restart.
func (a *app) reload(r *reloader) error {
	cfg, err := r.load()
	if err != nil {
		return err
	}
	to, err := cfg.Notify.Recipients()
	if err != nil {
		return err
	}
	restart := keepUntilRestart(&cfg, r.inUse)
	if !reflect.DeepEqual(to, r.told) {
		restart = append(restart, "notify")
	}
	settings, err := settingsOf(cfg, a.log())
	if err != nil {
		return err
	}
	if r.network != nil {
		if err := r.network.renew(cfg); err != nil {
			return err
		}
	}
	service := cfg.Service()
	service.InFlight = a.inFlight
	r.daemon.Reload(settings, service, cfg.SettleAfter)
	r.inUse = cfg
	words := "nothing"
	if len(restart) > 0 {
		words = strings.Join(restart, ", ")
	}
	a.log().Info("configuration reloaded: page and Flight SQL have it now, jobs with their next run",
		"jobs", strings.Join(cfg.JobNames(), ", "), "restart_needed_for", words)
	return nil
}

// keepUntilRestart puts back the settings that a process has from its start to its end, and names those that changed.
func keepUntilRestart(c *config.Config, inUse config.Config) (changed []string) {
	keep := func(name string, differs bool) {
		if differs {
			changed = append(changed, name)
		}
	}
	keep("data_dir", c.DataDir != inUse.DataDir)
	keep("memory", c.MemoryMiB != inUse.MemoryMiB || networkMiB(*c) != networkMiB(inUse)) // what queries may take leaves less
	keep("threads", c.Threads != inUse.Threads)
	keep("serve.listen", c.Serve.Listen != inUse.Serve.Listen)
	keep("flight.listen", c.Flight.Listen != inUse.Flight.Listen)
	c.DataDir, c.MemoryMiB, c.Threads = inUse.DataDir, inUse.MemoryMiB, inUse.Threads
	c.Serve.Listen, c.Serve.ListenGiven, c.Flight.Listen = inUse.Serve.Listen, inUse.Serve.ListenGiven, inUse.Flight.Listen
	return changed
}
