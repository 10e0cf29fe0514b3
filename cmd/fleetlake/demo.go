package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

const (
	demoDir    = "fleetlake-demo"
	demoMarker = ".demo" // file in a directory that demo may delete
	demoNights = 15
)

// demoQuestions are worked queries that show what the tool is for: of each, some columns and a few rows.
var demoQuestions = []struct{ query, columns, rows string }{
	{"tankers_reflagged", "night, name, flag_before, flag_after, registry, deadweight_t", "LIMIT 3"},
	{"gone_dark", "name, category, world_zone, last_status, last_sighted, complete_nights_since", "LIMIT 3"},
	{"congestion", "night, world_zone, waiting, usual, times_usual", "LIMIT 4 OFFSET 5"},
	{"identity_conflicts", "vessel_id, name, world_zone, other_zone, since, last_date", "LIMIT 3"},
	{"deadweight_by_flag", "night, flag, vessels, deadweight_million_t, percent_known", "WHERE night = (SELECT max(snapshot_date) FROM runs) LIMIT 3"},
}

// demoCommands is what to continue with, given the directory and a zone.
const demoCommands = `
The pages          fleetlake serve --no-jobs --data %[1]s      then http://127.0.0.1:8080 in a browser
All questions      fleetlake query --list
One, of a zone     fleetlake query gone_dark --param zone=%[2]s --data %[1]s
Your own           fleetlake query --data %[1]s "SELECT flag, count(*) FROM vessels WHERE listed AND is_vessel GROUP BY flag"
Tables, columns    fleetlake schema --data %[1]s
One vessel         fleetlake query vessel_life --data %[1]s
The last night     fleetlake runs --data %[1]s
`

func (a *app) demoCommand() *cobra.Command {
	var vessels int
	c := &cobra.Command{
		Use:   "demo",
		Short: "Harvest two weeks of a simulated fleet; no key, no network",
		Long: `Start the simulated service on loopback with raised limits, harvest 15 nights of an evolving
fleet into ` + demoDir + ` (or --data), publish, and answer five questions. The fleet has what analysts
search for: ships that change to flags of convenience or go dark, two ships under one number, a week
of congestion. The directory of an earlier demo is replaced.`,
		Example: "  fleetlake demo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := a.dataDir
			if dir == "" {
				dir = demoDir
			}
			return a.demo(cmd.Context(), dir, vessels, demoNights)
		},
	}
	c.Flags().IntVar(&vessels, "vessels", 6_000, "vessels on the first night")
	return c
}

// demo harvests the nights that end today, and asks the questions.
func (a *app) demo(ctx context.Context, dir string, vessels, nights int) error {
	if err := freshDemo(dir); err != nil {
		return err
	}
	unlock, err := datadir.LockFor(dir, "demo")
	if err != nil {
		return err
	}
	defer unlock()
	a.bound(a.capacity(config.Config{}, 0))
	if err := a.demoHarvest(ctx, dir, vessels, nights); err != nil {
		return err
	}
	return a.demoAnswers(ctx, dir)
}

// demoHarvest harvests the nights from a simulated service that ends with them.
func (a *app) demoHarvest(ctx context.Context, dir string, vessels, nights int) error {
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-nights)
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
	job := config.DefaultJob("nightly").Job
	job.Lookup = plan.Lookup{Want: plan.Datasets, MaxAge: 30 * 24 * time.Hour, MaxRequests: max(1, vessels/10)}
	service := extract.Service{BaseURL: base, Key: fleet.Key, Limits: unlimitedLanes(10_000_000), MaxInFlight: 8}
	began := time.Now()
	for day := range nights {
		sim.SetDay(day)
		r, err := a.demoNight(ctx, dir, service, job, first.AddDate(0, 0, day))
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "night %s  %-5s %6d requests  %6d credits  %d listed\n", r.Date, r.State, r.Requests(), r.Credits.Spent, r.Rows["listings"])
	}
	fmt.Fprintf(a.stdout, "\n%d nights of about %d vessels in %.1f s\n", nights, vessels, time.Since(began).Seconds())
	return nil
}

// demoNight runs one night, with the clock set back to two o'clock of its date.
func (a *app) demoNight(ctx context.Context, dir string, service extract.Service, job plan.Job, date time.Time) (report.Report, error) {
	offset := time.Since(date.Add(2 * time.Hour))
	service.Now = func() time.Time { return time.Now().Add(-offset) }
	p := &pipeline.Pipeline{Dir: dir, Service: service, Now: service.Now, Log: a.log(), Version: version()}
	return p.Run(ctx, job, date.Format(time.DateOnly))
}

// demoAnswers asks the questions and prints the commands that follow.
func (a *app) demoAnswers(ctx context.Context, dir string) error {
	limits := queryOptions{format: "table", memoryMiB: queryMemoryMiB, spillMiB: querySpillMiB}
	queries := warehouse.Queries()
	for _, d := range demoQuestions {
		i := slices.IndexFunc(queries, func(q warehouse.WorkedQuery) bool { return q.Name == d.query })
		if i < 0 {
			return fmt.Errorf("demo: no worked query %q", d.query)
		}
		fmt.Fprintf(a.stdout, "\n%s   (fleetlake query %s)\n", queries[i].Title, d.query)
		text := strings.TrimSuffix(strings.TrimSpace(queries[i].Text), ";")
		if err := a.query(ctx, dir, "SELECT "+d.columns+" FROM (\n"+text+"\n) "+d.rows, limits); err != nil {
			return err
		}
	}
	zone, err := darkZone(ctx, dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, demoCommands, dir, zone)
	return err
}

// darkZone is the zone in which most vessels have gone dark, so that the command that is shown has rows.
func darkZone(ctx context.Context, dir string) (zone string, err error) {
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		return "", err
	}
	defer w.Close() // of a file that was only read
	rows, err := w.Query(ctx, "SELECT world_zone FROM gone_dark WHERE world_zone IS NOT NULL GROUP BY world_zone ORDER BY count(*) FILTER (WHERE proved) DESC, world_zone LIMIT 1")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	for row, err := range rows.All() {
		if err != nil {
			return "", err
		}
		zone, _ = row[0].(string)
	}
	return cmp.Or(zone, "china-coast"), nil
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
