package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
)

// flightAddress is the address of Flight SQL in the log.
func (d *served) flightAddress() string {
	_, rest, _ := strings.Cut(d.hears(`"Flight SQL"`), `grpc://`)
	address, _, _ := strings.Cut(rest, `"`)
	return address
}

// asked is the first value of an answer over Flight SQL.
func asked(t *testing.T, address, token, sql string) (string, error) {
	c, err := flightsql.NewClient(address, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return "", err
	}
	defer c.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
	info, err := c.Execute(ctx, sql)
	if err != nil {
		return "", err
	}
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		return "", err
	}
	defer r.Release()
	value := ""
	for r.Next() {
		value = r.Record().Column(0).ValueStr(0)
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return value, nil
}

// descendants are the processes that a process has started, and those that they have, if they run a verb.
func descendants(pid int, verb string) (all []int) {
	parents := map[int]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			child, _ := strconv.Atoi(e.Name())
			parents[child], _ = strconv.Atoi(fields[1])
		}
	}
	for child := range parents {
		for above := parents[child]; above > 1; above = parents[above] {
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child)); above == pid && strings.Contains(string(line), "\x00"+verb+"\x00") {
				all = append(all, child)
			}
		}
	}
	return all
}

// computes reports whether a process has taken more of the CPU than it takes to start one: half a second.
func computes(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return false
	}
	user, _ := strconv.Atoi(fields[11]) // in hundredths of a second
	return user >= 50
}

// TestServeAnswersFlightSQL with a token, from a process without the key of the service; a query that
// takes its process down ends neither the daemon nor the next query; and no process stays.
func TestServeAnswersFlightSQL(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc to look at processes")
	}
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("tokens", "analyst planted-token-of-the-analyst\n")
	w.due(1_000_000, smallJob, "flight: {listen: '127.0.0.1:0', tokens_file: tokens}\nqueries: {memory: 128MiB, time: 20m}\n")
	d := w.serve()
	page := d.page()
	address := d.flightAddress()
	d.hears("slot done")
	if got, err := asked(t, address, "planted-token-of-the-analyst", "SELECT count(*) FROM runs"); err != nil || got != "2" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := asked(t, address, "planted-token-of-nobody", "SELECT 1"); grpcstatus.Code(err) != codes.Unauthenticated {
		t.Errorf("another token: %v", err)
	}
	processes := descendants(d.cmd.Process.Pid, workerVerb)
	if len(processes) == 0 { // those that are ready for the next queries
		t.Fatal("no process")
	}
	if environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(processes[0]), "environ")); err != nil || len(environ) > 0 {
		t.Errorf("environment of the process: %q, %v", environ, err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := asked(t, address, "planted-token-of-the-analyst", "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b")
		ended <- err
	}()
	for !slices.ContainsFunc(descendants(d.cmd.Process.Pid, workerVerb), computes) {
		time.Sleep(10 * time.Millisecond) // another process has no event
	}
	for _, pid := range slices.DeleteFunc(descendants(d.cmd.Process.Pid, workerVerb), func(pid int) bool { return !computes(pid) }) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	if err := <-ended; grpcstatus.Code(err) != codes.Aborted || !strings.Contains(err.Error(), "the query ended the process that ran it") {
		t.Errorf("the query whose process was killed: %v", err)
	}
	if got, err := asked(t, address, "planted-token-of-the-analyst", "SELECT 1"); err != nil || got != "1" {
		t.Errorf("the next query: %s, %v", got, err)
	}
	if _, text := get(t, page+"/metrics"); !strings.Contains(text, `fleetlake_queries_total{outcome="crashed"} 1`) {
		t.Errorf("metrics: %s", text)
	}
	processes = append(descendants(d.cmd.Process.Pid, workerVerb), descendants(d.cmd.Process.Pid, networkVerb)...)
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, took := d.ends(); code != exitDone && code != exitInterrupted || took > 10*time.Second {
		t.Errorf("ended with %d after %v", code, took)
	}
	for _, pid := range processes {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d stays: %v", pid, err)
		}
	}
	if strings.Contains(d.said(), "planted-token") {
		t.Errorf("the log has a token: %s", d.said())
	}
}

// TestProcessesEndWithAKilledDaemon, which can close nothing.
func TestProcessesEndWithAKilledDaemon(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc to look at processes")
	}
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.due(1_000_000, smallJob, "flight: {listen: '127.0.0.1:0'}\n")
	d := w.serve()
	address := d.flightAddress()
	if _, err := asked(t, address, "", "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	go asked(t, address, "", "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b") // until the daemon is killed
	processes := append(descendants(d.cmd.Process.Pid, workerVerb), descendants(d.cmd.Process.Pid, networkVerb)...)
	if len(processes) < 2 {
		t.Fatal("no process")
	}
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	d.ends()
	for _, pid := range processes {
		for end := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; {
			if stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); strings.Contains(string(stat), ") Z ") {
				break // its new parent has not looked yet
			}
			if time.Now().After(end) {
				t.Fatalf("process %d stays", pid)
			}
			time.Sleep(10 * time.Millisecond) // another process has no event
		}
	}
}

// TestDoctorReadsTheTokens as serve would.
func TestDoctorReadsTheTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob+"\nflight: {listen: '127.0.0.1:0', tokens_file: tokens}\n")
	w.write("tokens", "analyst planted\n")
	if o := w.fleetlake("doctor"); o.code == exitDone || !strings.Contains(o.stdout, "FAIL  flight") || !strings.Contains(o.stdout, "line 1: the token has 7 characters") {
		t.Errorf("a short token: %d\n%s", o.code, o.stdout)
	}
	w.write("tokens", "analyst planted-token-of-the-analyst\nanalyst planted-token-of-another\n")
	for _, verb := range []string{"doctor", "serve"} {
		if o := w.fleetlake(verb); o.code == exitDone || !strings.Contains(o.stdout+o.stderr, "have the same name or token") {
			t.Errorf("%s with two clients of a name: %d\n%s%s", verb, o.code, o.stdout, o.stderr)
		}
	}
	w.write("tokens", "analyst planted-token-of-the-analyst\n")
	if o := w.fleetlake("doctor"); !strings.Contains(o.stdout, "flight           127.0.0.1:0, 1 tokens") {
		t.Errorf("a token: %s", o.stdout)
	}
}
