package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/spf13/cobra"
)

func (a *app) simulateCommand() *cobra.Command {
	var listen, start string
	var unlimited bool
	sim := simulator.Config{}
	c := &cobra.Command{
		Use:   "simulate",
		Short: "Serve a simulated vessel API",
		Long: `Serve a simulated vessel API with a fleet that changes from day to day, with prices, rate
limits and errors, for a demo in two terminals and for tests. The paths below /simulator/ report
what was billed, and set the day and the faults.`,
		Example: `  fleetlake simulate --vessels 5000 --unlimited
  FLEETLAKE_BASE_URL=http://127.0.0.1:8700/api/vessels_operations FLEETLAKE_API_KEY=simulated fleetlake run nightly`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if start != "" {
				day, err := time.Parse(time.DateOnly, start)
				if err != nil {
					return fmt.Errorf("--start %q: want YYYY-MM-DD; %w", start, errUsage)
				}
				sim.Start = day
			}
			if unlimited {
				sim.Limits = unlimitedLanes(-1)
			}
			return a.serveSimulator(cmd.Context(), listen, sim)
		},
	}
	f := c.Flags()
	f.StringVar(&listen, "listen", "127.0.0.1:8700", "address to serve on")
	f.IntVar(&sim.Vessels, "vessels", 1000, "vessels on the first day")
	f.Uint64Var(&sim.Seed, "seed", 1, "seed of the fleet")
	f.StringVar(&sim.Key, "key", "simulated", "the API key that is accepted")
	f.IntVar(&sim.Credits, "credits", 1_000_000, "opening balance")
	f.StringVar(&start, "start", "", "civil date of the first day (default 2026-01-01)")
	f.BoolVar(&unlimited, "unlimited", false, "apply no rate limits")
	goneFlags(c, "the journal of the run, which has every request, and GET /simulator/bill for what was billed", "log")
	return c
}

// serveSimulator serves until ctx is done.
func (a *app) serveSimulator(ctx context.Context, listen string, cfg simulator.Config) error {
	s, err := simulator.New(cfg)
	if err != nil {
		return fmt.Errorf("%w; %w", err, errUsage)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("serve simulator: %w", err)
	}
	fmt.Fprintf(a.stdout, "serving http://%s%s with key %s\n", l.Addr(), simulator.BasePath, cfg.Key)
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve simulator: %w", err)
	}
	return nil
}

// unlimitedLanes sets the same limit for every operation.
func unlimitedLanes(perMinute int) map[string]int {
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = perMinute
	}
	return limits
}
