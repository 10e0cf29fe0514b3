package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/spf13/cobra"
)

const (
	demoDir    = "fleetlake-demo"
	demoMarker = ".demo" // file in a directory that demo may delete
	demoNights = 15
)

// demoQueries are the first questions of an analyst.
var demoQueries = []struct{ title, sql string }{
	{"The ten largest flags, as listed last night", `SELECT country, flag, count(*) AS vessels, count(*) FILTER (category = 'tanker') AS tankers
FROM vessels WHERE listed AND is_vessel GROUP BY ALL ORDER BY vessels DESC, country LIMIT 10`},
	{"Reflagged during the week: one hull, two flags", `SELECT old.vessel_id, old.name, old.flag AS flag_before, new.flag AS flag_now, (new.valid_from AT TIME ZONE 'UTC')::DATE AS since
FROM registration old JOIN registration new ON new.vessel_id = old.vessel_id AND new.valid_from = old.valid_to
WHERE old.flag <> new.flag ORDER BY since DESC, old.vessel_id LIMIT 8`},
	{"Where most vessels are at anchor", `SELECT world_zone, count(*) AS at_anchor, round(100 * count(*) / sum(count(*)) OVER (), 1) AS percent
FROM vessels WHERE navigational_status = 'at-anchor' GROUP BY world_zone ORDER BY at_anchor DESC, world_zone LIMIT 8`},
	{"The oldest large bulk carriers that were looked up", `SELECT vessel_id, name, flag, year_built, deadweight_t, manager
FROM vessels WHERE vessel_type = 'Bulk Carrier' AND deadweight_t > 30000 AND year_built IS NOT NULL
ORDER BY year_built, vessel_id LIMIT 8`},
	{"What each night cost, and what it proved", `SELECT r.snapshot_date, r.state, r.requests, r.credits_spent, c.complete, c.other
FROM runs r JOIN (SELECT run_id, count(*) FILTER (state = 'complete') AS complete, count(*) FILTER (state <> 'complete') AS other
FROM coverage GROUP BY run_id) c USING (run_id) ORDER BY r.run_id`},
}

func (a *app) demoCommand() *cobra.Command {
	var vessels int
	c := &cobra.Command{
		Use:   "demo",
		Short: "Harvest seven nights of a simulated fleet; no key, no network",
		Long: `Start the simulated service on loopback with raised limits, harvest seven nights of an evolving
fleet into ` + demoDir + ` (or --data), publish, and print the last report and five queries with
their results. The directory of an earlier demo is replaced.`,
		Example: "  fleetlake demo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := a.dataDir
			if dir == "" {
				dir = demoDir
			}
			return a.demo(cmd.Context(), dir, vessels)
		},
	}
	c.Flags().IntVar(&vessels, "vessels", 6_000, "vessels on the first night")
	return c
}

func (a *app) demo(ctx context.Context, dir string, vessels int) error {
	if err := freshDemo(dir); err != nil {
		return err
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, 1-demoNights)
	fleet := simulator.Demo(vessels, first)
	fleet.Limits = unlimitedLanes(-1)
	sim, err := simulator.New(fleet)
	if err != nil {
		return err
	}
	base, stop, err := serveLoopback(sim)
	if err != nil {
		return err
	}
	defer stop()
	unlock, err := lock(dir, "demo")
	if err != nil {
		return err
	}
	defer unlock()
	job := config.DefaultJob("nightly").Job
	job.Lookup = plan.Lookup{Want: plan.Datasets, MaxAge: 30 * 24 * time.Hour, MaxRequests: max(1, vessels/10)}
	service := extract.Service{BaseURL: base, Key: "demo", Limits: unlimitedLanes(10_000_000), MaxInFlight: 8}
	began := time.Now()
	var last report.Report
	for day := range demoNights {
		sim.SetDay(day)
		if last, err = a.demoNight(ctx, dir, service, job, first.AddDate(0, 0, day)); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "night %s  %-5s %6d requests  %6d credits  %d listed\n", last.Date, last.State, last.Requests(), last.Credits.Spent, last.Rows["listings"])
	}
	fmt.Fprintf(a.stdout, "\n%d nights of about %d vessels in %.1f s\n\n", demoNights, vessels, time.Since(began).Seconds())
	if err := console.WriteReport(a.stdout, last); err != nil {
		return err
	}
	if err := a.demoQueries(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nAsk more:  fleetlake query --data %s \"SELECT ...\"    Tables:  fleetlake schema --data %s\n", dir, dir)
	return nil
}

// demoNight runs one night, with the clock set back to two o'clock of its date.
func (a *app) demoNight(ctx context.Context, dir string, service extract.Service, job plan.Job, date time.Time) (report.Report, error) {
	offset := time.Since(date.Add(2 * time.Hour))
	service.Now = func() time.Time { return time.Now().Add(-offset) }
	p := &pipeline.Pipeline{Dir: dir, Service: service, Now: service.Now, Log: a.log(), Version: version()}
	return p.Run(ctx, job, date.Format(time.DateOnly))
}

func (a *app) demoQueries(ctx context.Context, dir string) error {
	for _, q := range demoQueries {
		fmt.Fprintf(a.stdout, "\n%s\n\n%s\n\n", q.title, q.sql)
		if err := a.query(ctx, dir, q.sql, queryOptions{format: "table", memoryMiB: queryMemoryMiB, spillMiB: querySpillMiB}); err != nil {
			return err
		}
	}
	return nil
}

// freshDemo creates an empty directory, in place of that of an earlier demo.
func freshDemo(dir string) error {
	mark := filepath.Join(dir, demoMarker)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		if _, err := os.Stat(mark); err != nil {
			return fmt.Errorf("%s is not the directory of a demo and was not changed; name another with --data: %w", dir, errUsage)
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove the last demo: %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return os.WriteFile(mark, []byte("fleetlake demo replaces this directory\n"), 0o644)
}

// serveLoopback serves the simulator on a free port of this machine.
func serveLoopback(s *simulator.Simulator) (base string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve simulator: %w", err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(l) }) // it ends with ErrServerClosed; what else ends it fails the requests of the demo
	stop = func() { server.Close(); serving.Wait() }
	return "http://" + l.Addr().String() + simulator.BasePath, stop, nil
}
