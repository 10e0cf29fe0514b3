//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// benchReaders is how many clients of Flight SQL BenchmarkReaders has.
const benchReaders = 20

// readersConfig has limits that are eight times the documented ones, so that a harvest takes a minute.
const readersConfig = `api: {limits: {by-type: 400}}
budget: {per_run: 0}
serve: {listen: '127.0.0.1:0'}
flight: {listen: '127.0.0.1:0'}
jobs:
  nightly: {list: {by: country, max_age: 0s}, sweep: {statuses: []}, lookup: {want: []}}
`

func init() { processes["readers"] = readOverFlight }

// BenchmarkReaders runs nights at their limits while a daemon answers 20 clients of Flight SQL, which ask again
// as soon as they have an answer, and as many nights while nobody asks, in turns. It prints how much longer the
// harvest, the publish and both take beside the clients. These are a process of the lowest priority: elsewhere
// they would be other machines.
//
//	go test ./cmd/fleetlake -run '^$' -bench Readers -benchtime 1x -timeout 0
//
// FLEETLAKE_BENCH_VESSELS is the size of the fleet, and FLEETLAKE_BENCH_PAIRS the number of nights of each kind.
func BenchmarkReaders(b *testing.B) {
	vessels, pairs := benchNumber("FLEETLAKE_BENCH_VESSELS", 20_000), benchNumber("FLEETLAKE_BENCH_PAIRS", 3)
	n := newBenchNights(b, vessels, 0)
	w := &world{t: b, dir: n.halves, env: append(os.Environ(), beFleetlake+"=1", "FLEETLAKE_API_KEY=key", "FLEETLAKE_BASE_URL=http://127.0.0.1:9")} // which has no job to run
	w.write("fleetlake.yaml", readersConfig)
	n.benchHalves(1)
	d := w.serve()
	address := d.flightAddress()
	defer func() { d.cmd.Process.Signal(syscall.SIGTERM); d.ends() }()
	for b.Loop() {
		var harvest, publish [2]time.Duration // without readers, beside them
		for night := range 2 * pairs {
			beside := night % 2
			stop := func() string { return "nobody asked" }
			if beside == 1 {
				stop = startReaders(b, address)
			}
			h, p := n.benchHalves(night + 2)
			harvest[beside] += h
			publish[beside] += p
			fmt.Printf("night %d: harvest %.1f s, publish %.2f s; %s\n", night+1, h.Seconds(), p.Seconds(), stop())
		}
		for name, t := range map[string][2]time.Duration{"harvest": harvest, "publish": publish, "night": {harvest[0] + publish[0], harvest[1] + publish[1]}} {
			b.ReportMetric(t[1].Seconds()/t[0].Seconds(), name+"-beside/alone")
		}
	}
}

// benchHalves harvests and publishes a night, and returns how long each took.
func (n *benchNights) benchHalves(night int) (harvest, publish time.Duration) {
	n.b.Helper()
	base, stop := startCanned(n.b, n.vessels, night)
	defer stop()
	n.service = base
	harvest = n.process("harvest", n.halves, "nightly", n.first.AddDate(0, 0, night-1).Format(time.DateOnly)).wall
	return harvest, n.process("derive", n.halves, "").wall
}

// startReaders starts the clients. The returned function ends them, and says how many answers they had.
func startReaders(b *testing.B, address string) (stop func() string) {
	b.Helper()
	c := exec.Command(os.Args[0], address)
	var out, log bytes.Buffer
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), beFleetlake+"=readers"), &out, &log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // whose priority it lowers
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	return func() string {
		in.Close()
		if err := c.Wait(); err != nil {
			b.Fatalf("the clients: %v\n%s", err, log.String())
		}
		return strings.TrimSpace(out.String())
	}
}

// readerStatements are what the clients ask in turn.
var readerStatements = []string{
	"SELECT flag, count(*), sum(deadweight_t) FROM vessels WHERE listed AND is_vessel GROUP BY flag",
	"SELECT * FROM vessels ORDER BY vessel_id LIMIT 1000",
	"SELECT snapshot_date, field, count(*) FROM changes GROUP BY ALL",
	"FROM runs",
}

// readOverFlight is the process of the clients. They ask the server at an address until the input ends, or one
// of them gets an error.
func readOverFlight(ctx context.Context, address string) error {
	if err := syscall.Setpriority(syscall.PRIO_PGRP, 0, 19); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { io.Copy(io.Discard, os.Stdin); cancel(io.EOF) }()
	var answers atomic.Int64
	var group sync.WaitGroup
	for range benchReaders {
		c, err := flightsql.NewClient(address, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return err
		}
		group.Go(func() {
			defer c.Close()
			for i := 0; ctx.Err() == nil; i++ {
				if err := readAnswer(ctx, c, readerStatements[i%len(readerStatements)]); err != nil {
					cancel(err) // what ended the context first stays its cause
					return
				}
				answers.Add(1)
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != io.EOF {
		return err
	}
	fmt.Printf("%d answers to %d clients\n", answers.Load(), benchReaders)
	return nil
}

// readAnswer reads all rows of an answer.
func readAnswer(ctx context.Context, c *flightsql.Client, statement string) error {
	info, err := c.Execute(ctx, statement)
	if err != nil {
		return err
	}
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
	}
	return r.Err()
}
