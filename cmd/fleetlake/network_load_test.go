package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/schedules/network/server"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// loadPaths are what the clients of TestAHundredClients ask the page for.
var loadPaths = []string{
	"/", "/list/vessels", "/list/vessels?format=csv", "/list/vessels?format=parquet", "/warehouse/fleet.duckdb", "/metrics", "/fleet", "/changes.atom", "/dictionary", "/forecast",
	"/list/vessels?sort=name", "/search?q=star", "/list/vessels?sort=owner&format=json", "/list/gone_dark", "/zone/north-sea",
	"/ask?sql=" + url.QueryEscape("SELECT repeat('x', 1000000), i FROM range(100) t(i)"),
	"/ask?format=csv&sql=" + url.QueryEscape("SELECT v.*, i FROM vessels v, range(20) t(i)"),
	"/ask?format=parquet&sql=" + url.QueryEscape("SELECT repeat('x', 10000), i FROM range(20000) t(i)"),
}

// TestAHundredClients of mixed kinds, of whom a third read nothing of what they ask for: the network process stays
// within its memory, is never started again, and answers a monitor.
//
// FLEETLAKE_BENCH_VESSELS is the size of the fleet, and FLEETLAKE_BENCH_SECONDS how long they ask. It prints the most
// memory and what the answers to the monitor took, which shares the CPUs with the clients.
func TestAHundredClients(t *testing.T) {
	if os.Getenv("FLEETLAKE_LONG") == "" && os.Getenv("FLEETLAKE_BENCH_SECONDS") == "" {
		t.Skip("a load for some seconds, which other tests have by kinds of clients: with FLEETLAKE_LONG=1")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("no /proc to read the memory of a process from")
	}
	w := newWorld(t, simulator.Config{Vessels: benchNumber("FLEETLAKE_BENCH_VESSELS", 2000)})
	w.configure(1_000_000, "    schedule: '0 0 1 1 *'\n    missed: skip\n    list: {by: country}\n    sweep: {statuses: [moored], zones: [north-sea]}\n    lookup: {want: []}\n"+
		"serve: {listen: '127.0.0.1:0'}\nflight: {listen: '127.0.0.1:0'}\nqueries: {memory: 128MiB}\n")
	w.must(exitDone, "run", "nightly", "--date", time.Now().UTC().Format(time.DateOnly))
	d := w.serve()
	page, sql := d.page(), d.flightAddress()
	if code, _ := get(t, page+"/healthz"); code != http.StatusOK {
		t.Fatalf("status %d", code)
	}
	pid := d.networkProcess(0)
	stop := make(chan struct{})
	var asking sync.WaitGroup
	var answers atomic.Int64
	for i := range 100 {
		asking.Go(func() {
			for until(stop) {
				answers.Add(1)
				switch {
				case i%3 == 0:
					askUnread(strings.TrimPrefix(page, "http://"), loadPaths[i/3%len(loadPaths)], stop)
				case i%3 == 1:
					askAll(page + loadPaths[i/3%len(loadPaths)])
				case i%6 == 2:
					asked(t, sql, "", "FROM vessels") // refused or cut off: too many ask
				default:
					asked(t, sql, "", "SELECT repeat('x', 100000), i FROM range(5000) t(i)") // likewise
				}
			}
		})
	}
	var took []time.Duration // by each answer to the monitor
	most, requests := 0, 0
	refused := map[string]int{} // requests of the monitor without an answer, by the error
	monitor := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	for end := time.Now().Add(time.Duration(benchNumber("FLEETLAKE_BENCH_SECONDS", 4)) * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		most = max(most, worker.ResidentMiB(pid))
		began := time.Now()
		requests++
		if answer, err := monitor.Get(page + "/healthz"); err == nil {
			answer.Body.Close()
			took = append(took, time.Since(began))
		} else {
			refused[errors.Unwrap(err).Error()]++
		}
	}
	close(stop)
	asking.Wait()
	slices.Sort(took)
	part := func(percent int) time.Duration { return took[(len(took)-1)*percent/100].Round(time.Millisecond) }
	t.Logf("%d requests of clients; the network process took %d MiB at most; of %d answers to the monitor half took at most %v, 99 %% %v, and the slowest %v; without one: %v",
		answers.Load(), most, requests, part(50), part(99), part(100), refused)
	if len(refused) > 0 {
		t.Errorf("the monitor had no answer: %v", refused)
	}
	if d.networkProcess(0) != pid || most > server.MemoryMiB {
		t.Errorf("the network process took %d MiB, and is another one now: %v", most, d.networkProcess(0) != pid)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// until reports whether a channel is still open.
func until(stop chan struct{}) bool {
	select {
	case <-stop:
		return false
	default:
		return true
	}
}

// askUnread asks for a path and reads nothing, for a second.
func askUnread(address, path string, stop chan struct{}) {
	c, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	select {
	case <-stop:
	case <-time.After(time.Second):
	}
}

// askAll reads all of an answer.
func askAll(url string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	if answer, err := client.Get(url); err == nil {
		io.Copy(io.Discard, answer.Body) // it may be cut off
		answer.Body.Close()
	}
}
