package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/schedules"
	"github.com/fleetlake/fleetlake/schedules/notify"
)

// unescaped takes out what a log adds when it quotes a text once more.
var unescaped = strings.NewReplacer(`\`, "")

// misbehave sets the fault of the double while it serves.
func (d *double) misbehave(fault func(call) fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = fault
}

// TestRefusalsFillNoSlot has a slot whose first try meets 422 to everything, and whose second meets
// 500: neither is an answer, so the slot is tried again until its deadline and then given up, and
// one notification is sent. When the service answers, the same slot is done.
func TestRefusalsFillNoSlot(t *testing.T) {
	t.Parallel()
	notified := make(chan string, 10)
	d := newDouble(t, tinyFleet())
	w := newDoubleWorld(t, d, 20_000, 1000, ", timeout: 1s, patience: 1s", fmt.Sprintf(tinyJob, "1h")+fmt.Sprintf("notify: {webhook: {url: %s}}\n", newReceiver(t, notified)))
	s := w.openServer()
	slot := schedules.Slot{Job: "nightly", Date: doubleNight, At: time.Now(), Again: true}
	for try, status := range []int{422, 500} {
		d.misbehave(on(says(status, `{"detail":"no"}`), typeSearch, statusSearch, particulars))
		slot.Try = try
		err := s.Run(t.Context(), slot)
		u, ok := errors.AsType[*schedules.Unfinished](err)
		if !ok || u.Publish || u.Until.Before(time.Now().Add(50*time.Minute)) || u.Until.After(time.Now().Add(time.Hour)) {
			t.Fatalf("%d: got %v, %+v, want another try until the deadline", status, err, u)
		}
		slot.Until = u.Until
		if stored, err := s.Stored("nightly"); err != nil || stored[len(stored)-1].State != schedules.StateUnanswered {
			t.Errorf("%d: a process that starts now sees %+v, %v", status, stored, err)
		}
	}
	s.Recorded(schedules.Record{State: schedules.RecordFailed, Job: slot.Job, Date: slot.Date, Slot: slot.At, Tries: 2, Reason: "tried 2 times"})
	d.misbehave(nil)
	slot.Try = 2
	if err := s.Run(t.Context(), slot); err != nil {
		t.Errorf("the service answers: %v", err)
	}
	if n := s.newestOf(t, slot); n.State != report.StateDone {
		t.Errorf("the night is %+v", n)
	}
	s.Close()
	close(notified)
	if first, second := <-notified, <-notified; !strings.Contains(first, `"partial"`) || second != "" {
		t.Errorf("notified %q and %q, want the first run once", first, second)
	}
}

// TestServeLeaksNoKey has the service echo the key in every shape, like a gateway that repeats a
// request: at debug level no log, no page, no metric, no notification, no trace, no environment of a
// process that answers questions, and no file of a real `serve` has any of them.
func TestServeLeaksNoKey(t *testing.T) {
	t.Parallel()
	for status, ends := range map[int]string{401: "run failed", 500: "slot will be tried again"} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			notified := make(chan string, 10)
			d := newDouble(t, tinyFleet())
			w := newDoubleWorld(t, d, 20_000, 1000, ", timeout: 1s, patience: 1s", fmt.Sprintf(tinyJob, "1h")+
				fmt.Sprintf("    schedule: '0 0 * * *'\nserve: {listen: '127.0.0.1:0'}\nnotify: {webhook: {url: %s}}\n", newReceiver(t, notified)))
			w.must(exitDone, "run", "nightly", "--date", time.Now().UTC().Add(-24*time.Hour).Format(time.DateOnly))
			d.misbehave(always(echo(status)))
			collector := newCollector(t)
			w.env = append(w.env, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.server.URL)
			p := w.serve("--verbose")
			url := p.page()
			p.hears(ends)
			outputs := map[string]string{"the webhook": <-notified}
			for _, path := range []string{"/", "/metrics", "/readyz", "/live?whole=1", "/ask?sql=SELECT+42+AS+n"} {
				_, outputs["the page "+path] = get(t, url+path)
			}
			maps.Copy(outputs, environments(t, p.cmd.Process.Pid))
			for _, verb := range []string{"status", "runs", "check"} {
				o := w.fleetlake(verb)
				outputs[verb] = o.stdout + o.stderr
			}
			p.cmd.Process.Signal(syscall.SIGTERM)
			p.ends()
			slots, err := os.ReadFile(filepath.Join(w.dir, "fleetlake-data", schedules.SlotLogName))
			if err != nil {
				t.Fatal(err)
			}
			outputs["the log"], outputs["the slots"] = p.said()+p.stdout.String(), string(slots)
			outputs["the traces"] = collector.received()
			for what, text := range outputs {
				for _, shape := range shapes(canary) {
					if strings.Contains(unescaped.Replace(text), unescaped.Replace(shape)) {
						t.Errorf("%s contains the key as %s:\n%s", what, shape, text)
					}
				}
			}
			if !strings.Contains(outputs["the log"], fmt.Sprint(status)) {
				t.Errorf("the log does not say what was answered:\n%s", outputs["the log"])
			}
			debugged := status == 401 || strings.Contains(outputs["the log"], `"level":"DEBUG"`) // a refused key ends the run before any such line
			if !debugged || !strings.Contains(outputs["the traces"], "fleetlake.snapshot_date") {
				t.Error("nothing was logged at debug level, or nothing was traced")
			}
			if found := filesWith(w.dir, shapes(canary)); len(found) > 0 {
				t.Errorf("the key is kept: %q", found)
			}
			for _, wrong := range wrongModes(t, filepath.Join(w.dir, "fleetlake-data")) {
				t.Error(wrong)
			}
		})
	}
}

// received is all that the collector received.
func (s *spans) received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// environments returns the environments of the network process of a daemon, and of a process for queries, where the
// system shows processes. One that waits for the next question is started when one was answered.
func environments(t *testing.T, daemon int) map[string]string {
	t.Helper()
	found := map[string]string{}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		return found
	}
	for _, verb := range []string{networkVerb, workerVerb} {
		for deadline := time.After(time.Minute); found[verb] == ""; {
			for _, pid := range descendants(daemon, verb) {
				if environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil {
					found[verb] = verb + ": " + string(environment)
				}
			}
			select {
			case <-deadline:
				t.Errorf("no process of %s", verb)
				return found
			case <-time.After(5 * time.Millisecond): // another process has no event
			}
		}
	}
	return found
}

// wrongModes lists what others than the documentation says can read or write in a data directory.
func wrongModes(t *testing.T, dir string) (wrong []string) {
	t.Helper()
	documented := func(path string, isDir bool) fs.FileMode {
		first, _, _ := strings.Cut(path, "/")
		switch {
		case path == "." || isDir && (first == "journal" || first == "lake"):
			return 0o750
		case first == "journal" || first == "lake" || path == "fleetlake.id":
			return 0o640
		case strings.HasPrefix(path, notify.FileName):
			return 0o600
		case strings.HasSuffix(path, ".duckdb"):
			return 0o444
		case isDir:
			return 0o755
		}
		return 0o644
	}
	seen := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		seen++
		if want := documented(path, entry.IsDir()); info.Mode().Perm() != want {
			wrong = append(wrong, fmt.Sprintf("%s has mode %v, want %v", path, info.Mode().Perm(), want))
		}
		return nil
	})
	if err != nil || seen < 20 {
		t.Fatalf("%d files in %s: %v", seen, dir, err)
	}
	return wrong
}
