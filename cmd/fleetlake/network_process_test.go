package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/exports"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// networkProcess is the network process of a daemon, other than one before. It waits for it.
func (d *served) networkProcess(before int) int {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) { // another process has no event
		if all := descendants(d.cmd.Process.Pid, networkVerb); len(all) == 1 && all[0] != before {
			return all[0]
		}
	}
	d.t.Fatalf("no network process within a minute:\n%s", d.said())
	return 0
}

// ending sends a signal to the network process, and waits until the daemon has noticed that it ended.
func (d *served) ending(pid int, signal syscall.Signal) {
	d.t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		d.t.Fatal(err)
	}
	d.hears("the network process ended")
}

// TestTheNightGoesOnWhateverStrangersDo to the process that they reach: the night is complete, its slot is recorded,
// it is exported, which had failed at the start, recipients are notified of both, and the page is back at its address.
func TestTheNightGoesOnWhateverStrangersDo(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc to look at processes")
	}
	for name, harm := range map[string]func(t *testing.T, d *served, page string, sends func(int)) (stop func()){
		"it is killed again and again": func(t *testing.T, d *served, page string, sends func(int)) func() {
			pid := 0
			for i := range 4 {
				pid = d.networkProcess(pid)
				sends(4 * (i + 1))
				d.ending(pid, syscall.SIGKILL)
			}
			return func() {}
		},
		"it panics": func(t *testing.T, d *served, page string, sends func(int)) func() {
			pid := d.networkProcess(0)
			if code, _ := get(t, page+"/healthz"); code != http.StatusOK { // it handles signals by now
				t.Errorf("status %d", code)
			}
			d.ending(pid, syscall.SIGABRT)
			d.ending(d.networkProcess(pid), syscall.SIGSEGV)
			return func() {}
		},
		"it is flooded": func(t *testing.T, _ *served, page string, sends func(int)) func() {
			sends(4)
			stop := flood(t, strings.TrimPrefix(page, "http://"), 300)
			sends(12)
			return stop
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notified := make(chan string, 10)
			w := newWorld(t, simulator.Config{Vessels: 500})
			w.write("exported", "a file where the directory must be")
			w.due(1200, stopJob, "export: {target: exported}\n"+fmt.Sprintf("notify: {webhook: {url: %s}}\n", newReceiver(t, notified)))
			w.faults(simulator.Fault{Kind: simulator.Slow, Least: 300 * time.Millisecond, Most: 300 * time.Millisecond})
			d := w.serve()
			page := d.page()
			if text := <-notified; !strings.Contains(text, string(notify.ExportFailed)) {
				t.Errorf("notified: %s", text)
			}
			stop := harm(t, d, page, w.sends)
			w.faults()
			if err := os.Remove(filepath.Join(w.dir, "exported")); err != nil {
				t.Fatal(err)
			}
			if line := d.hears("run published"); !strings.Contains(line, `"state":"`+report.StateDone+`"`) {
				t.Errorf("the night: %s", line)
			}
			d.hears("slot done")
			if text := <-notified; !strings.Contains(text, string(notify.ExportRecovered)) {
				t.Errorf("notified: %s", text)
			}
			data := filepath.Join(w.dir, "fleetlake-data")
			state, err := exports.ReadState(data)
			if err != nil || state.Success == nil || state.Failing() || state.Success.SnapshotDate != time.Now().UTC().Format(time.DateOnly) {
				t.Errorf("the export: %+v, %v", state, err)
			}
			if missed, err := schedules.ReadSlotLog(data, 9); err != nil || len(missed) > 0 {
				t.Errorf("slots without a good run: %v, %v", missed, err)
			}
			stop()
			if code, text := get(t, page+"/"); code != http.StatusOK || !strings.Contains(text, "nightly") {
				t.Errorf("the page: status %d\n%s", code, text)
			}
			d.cmd.Process.Signal(syscall.SIGTERM)
			if code, took := d.ends(); code != exitDone || took > 10*time.Second {
				t.Errorf("exit code %d after %v\n%s", code, took, d.said())
			}
			w.checkBill(0)
		})
	}
}

// flood opens connections that ask for the page and for the whole warehouse, and read nothing, until the returned
// function is called. Those that the server closes are opened again.
func flood(t *testing.T, address string, n int) (stop func()) {
	t.Helper()
	ended := make(chan struct{})
	var flooding sync.WaitGroup
	for i := range n {
		flooding.Go(func() {
			for {
				c, err := net.DialTimeout("tcp", address, 10*time.Second)
				if err == nil {
					fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", []string{"/", "/warehouse/fleet.duckdb", "/list/vessels", "/ask?sql=FROM+vessels"}[i%4])
				}
				select {
				case <-ended:
				case <-time.After(time.Duration(500+i) * time.Millisecond):
				}
				if err == nil {
					c.Close()
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	return sync.OnceFunc(func() { close(ended); flooding.Wait() })
}

// TestAKilledDaemonLeavesNoProcess behind: it can close nothing and ask nobody to stop.
func TestAKilledDaemonLeavesNoProcess(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc to look at processes")
	}
	for name, signal := range map[string]syscall.Signal{"a network process that works": 0, "a network process that is stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simulator.Config{Vessels: 400})
			w.configure(1_000_000, smallJob+"\n    schedule: '0 0 1 1 *'\nserve: {listen: '127.0.0.1:0'}\n")
			d := w.serve()
			if code, _ := get(t, d.page()+"/healthz"); code != http.StatusOK {
				t.Errorf("status %d", code)
			}
			pid := d.networkProcess(0)
			if err := syscall.Kill(pid, signal); err != nil {
				t.Fatal(err)
			}
			if err := d.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			d.ends()
			for end := time.Now().Add(10 * time.Second); !gone(pid); time.Sleep(10 * time.Millisecond) { // another process has no event
				if time.Now().After(end) {
					syscall.Kill(pid, syscall.SIGKILL)
					t.Fatal("it stays")
				}
			}
		})
	}
}

// gone reports whether a process has ended, whether or not its parent has looked.
func gone(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// TestTheNetworkProcessHasNoSecretOfOthers in its environment, its command line or its setup.
func TestTheNetworkProcessHasNoSecretOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("tokens", "analyst planted-token-of-the-analyst\n")
	w.env = append(w.env, "FLEETLAKE_WEBHOOK_SECRET=planted-webhook", "FLEETLAKE_EXPORT_ACCESS_KEY=planted-access", "FLEETLAKE_EXPORT_SECRET_KEY=planted-secret", "FLEETLAKE_NOTIFY_URLS=generic://127.0.0.1:9/planted-path")
	w.configure(1_000_000, smallJob+"\n    schedule: '0 0 1 1 *'\nserve: {listen: '127.0.0.1:0'}\nflight: {listen: '127.0.0.1:0', tokens_file: "+filepath.Join(w.dir, "tokens")+"}\nexport: {target: 's3://bucket/prefix'}\n")
	s := w.server()
	setup, err := setupOf(s.config)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(setup)
	if err != nil || !strings.Contains(string(text), "planted-token-of-the-analyst") {
		t.Errorf("no token of a client: %v", err)
	}
	outputs := map[string]string{"setup": string(text)}
	if _, err := os.Stat("/proc/self/environ"); err == nil {
		d := w.serve()
		d.page()
		pid := d.networkProcess(0)
		for _, name := range []string{"environ", "cmdline"} {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err != nil {
				t.Fatal(err)
			}
			outputs[name] = string(text)
		}
		d.cmd.Process.Signal(syscall.SIGTERM)
		d.ends()
	}
	for what, text := range outputs {
		for _, secret := range []string{"planted-key", "planted-webhook", "planted-access", "planted-secret", "planted-path", w.base} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s: %s", what, secret, text)
			}
		}
	}
}

// TestTheNetworkProcessInheritsNothing that the daemon has open, such as the file of a night that is being published,
// and is in a group of its own, so that an interrupt from the keyboard reaches the daemon alone.
func TestTheNetworkProcessInheritsNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc to look at open files")
	}
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob+"\n    schedule: '0 0 1 1 *'\nserve: {listen: '127.0.0.1:0'}\n")
	w.write("planted", "")
	f, err := os.Open(filepath.Join(w.dir, "planted"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := w.prepare("serve")
	p.cmd.ExtraFiles = slices.Repeat([]*os.File{f}, 10)
	d := w.daemonOf(p)
	if code, _ := get(t, d.page()+"/healthz"); code != http.StatusOK {
		t.Errorf("status %d", code)
	}
	pid := d.networkProcess(0)
	for process, want := range map[int]int{d.cmd.Process.Pid: 10, pid: 0} {
		open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, path := range open {
			if to, _ := os.Readlink(path); to == f.Name() {
				n++
			}
		}
		if n != want {
			t.Errorf("process %d has the file open %d times, want %d", process, n, want)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if !strings.Contains(string(status), "NoNewPrivs:\t1") && !strings.Contains(d.said(), "the system cannot keep it from that") {
		t.Errorf("it may write wherever serve may: %v", err)
	}
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("its group is %d, %v", group, err)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.ends()
}

// TestTheConfigurationArrives as it was, but for what is left out.
func TestTheConfigurationArrives(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob+"    timezone: Europe/Berlin\nserve: {listen: '127.0.0.1:0', hosts: [localhost], trusted_proxies: [127.0.0.1]}\nqueries: {memory: 128MiB, time: 7s}\n")
	s := w.server()
	setup, err := setupOf(s.config)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(setup)
	if err != nil {
		t.Fatal(err)
	}
	var arrived networkSetup
	if err := json.Unmarshal(text, &arrived); err != nil {
		t.Fatal(err)
	}
	c, err := arrived.configuration()
	if err != nil || !reflect.DeepEqual(c.Jobs, s.config.Jobs) || !reflect.DeepEqual(c.Queries, s.config.Queries) || !reflect.DeepEqual(c.Serve.Proxies, s.config.Serve.Proxies) ||
		!slices.Equal(c.Serve.Hosts, s.config.Serve.Hosts) || !maps.Equal(c.Limits, s.config.Limits) || c.DataDir != s.pipeline.Dir || c.Budget != s.config.Budget {
		t.Errorf("sent %+v, arrived %+v, %v", s.config, c, err)
	}
	arrived.Zones = arrived.Zones[1:]
	if _, err := arrived.configuration(); err == nil {
		t.Error("a job without its time zone")
	}
}

// TestTheNetworkProcessIsForServe: a person who starts it learns that.
func TestTheNetworkProcessIsForServe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	if o := w.must(exitUnexpected, networkVerb, "1"); !strings.Contains(o.stderr, "fleetlake serve") {
		t.Errorf("%s", o.stderr)
	}
}

// TestAStoppedSchedulerIsNotHealthy for a monitor that asks the page, which still answers.
func TestAStoppedSchedulerIsNotHealthy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob+"\n    schedule: '0 0 1 1 *'\nserve: {listen: '127.0.0.1:0'}\n")
	d := w.serve()
	page := d.page()
	for _, step := range []struct {
		signal syscall.Signal
		status int
		page   string
	}{{0, http.StatusOK, "nightly"}, {syscall.SIGSTOP, http.StatusServiceUnavailable, "The scheduler does not answer"}, {syscall.SIGCONT, http.StatusOK, "nightly"}} {
		if err := d.cmd.Process.Signal(step.signal); err != nil {
			t.Fatal(err)
		}
		if step.signal == syscall.SIGSTOP { // other threads run until the one that has the signal gets the CPU
			if _, err := syscall.Wait4(d.cmd.Process.Pid, nil, syscall.WUNTRACED, nil); err != nil {
				t.Fatal(err)
			}
		}
		if code, text := get(t, page+"/healthz"); code != step.status {
			t.Errorf("after signal %d: status %d, want %d: %s", step.signal, code, step.status, text)
		}
		if code, _ := get(t, page+"/metrics"); code != step.status {
			t.Errorf("after signal %d: metrics with status %d, want %d", step.signal, code, step.status)
		}
		if code, text := get(t, page+"/"); code != http.StatusOK || !strings.Contains(text, step.page) {
			t.Errorf("after signal %d: the page has status %d and no %q", step.signal, code, step.page)
		}
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, _ := d.ends(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}
