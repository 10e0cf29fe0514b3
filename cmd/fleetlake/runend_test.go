package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/report"
)

// runEnd is how a process ended, how long it took and its peak memory.
type runEnd struct {
	outcome
	report report.Report
	took   time.Duration
	rss    int64 // bytes
	hung   bool
}

// within runs the program and ends it, with its goroutines on standard error, when it takes
// longer than it may. What it prints as JSON is its report.
func (w *world) within(limit time.Duration, args ...string) (e runEnd) {
	w.t.Helper()
	start := time.Now()
	p := w.prepare(args...)
	if err := p.cmd.Start(); err != nil {
		w.t.Error(err)
		return e
	}
	peak := peakMemory(p.cmd.Process.Pid)
	quit := time.AfterFunc(limit, func() { p.cmd.Process.Signal(syscall.SIGQUIT) })
	kill := time.AfterFunc(limit+5*time.Second, func() { p.cmd.Process.Kill() })
	o, err := p.wait()
	kill.Stop()
	e.hung = !quit.Stop()
	if err != nil {
		w.t.Error(err)
	}
	e.outcome, e.took = o, time.Since(start)
	e.rss = <-peak
	json.Unmarshal([]byte(o.stdout), &e.report) // an error prints none
	return e
}

// peakMemory watches a process and returns its peak memory when it has ended.
// What the kernel says at the end is of no use: it counts the parent before the exec.
func peakMemory(pid int) <-chan int64 {
	peak := make(chan int64, 1)
	go func() {
		var most int64
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, after, found := strings.Cut(string(status), "VmHWM:")
			if err != nil || !found { // gone, or a zombie without memory
				peak <- most
				return
			}
			var kib int64
			fmt.Sscan(after, &kib)
			most = max(most, kib<<10)
			time.Sleep(20 * time.Millisecond) // the kernel reports the peak of another process only when it is read
		}
	}()
	return peak
}

func (e runEnd) String() string {
	if e.hung {
		_, stacks, _ := strings.Cut(e.stderr, "SIGQUIT")
		return fmt.Sprintf("it had to be ended after %v\n%s", e.took.Round(time.Second), stacks[:min(len(stacks), 6000)])
	}
	return fmt.Sprintf("exit code %d after %v, %d MiB, state %q, stop %q, reason %q, left out %q\n%s", e.code, e.took.Round(10*time.Millisecond), e.rss>>20,
		e.report.State, e.report.Stop, e.report.Reason, e.report.LeftOut, lastLines(e.stderr, 12))
}

// lastLines are the last lines of a text, each cut to the width of a screen.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, l := range lines {
		lines[i] = l[:min(len(l), 300)]
	}
	return strings.Join(lines, "\n")
}

// inMoney checks that the report brackets what the double billed.
func (e runEnd) inMoney(t testing.TB, log []event) {
	t.Helper()
	c := e.report.Credits
	if bill := spent(log); bill < c.Spent-c.Unknown || bill > c.Spent {
		t.Errorf("billed %d, the report says %d of which %d are unknown", bill, c.Spent, c.Unknown)
	}
}

// filesWith lists the files below a directory that contain one of some texts.
func filesWith(dir string, texts []string) (found []string) {
	filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, plain := range append(unpacked(whole), whole) {
			for _, text := range texts {
				if strings.Contains(string(plain), text) {
					found = append(found, filepath.Base(path)+" contains "+text)
				}
			}
		}
		return nil
	})
	return found
}

// TestAnAnswerThatIsTooLargeLeavesANightPartial, as a service that is away for a part of it.
func TestAnAnswerThatIsTooLargeLeavesANightPartial(t *testing.T) {
	for _, stop := range []report.Stop{report.StopTooLarge, report.StopService} {
		if code := codeOf(report.Report{State: report.StatePartial, Stop: stop, Lanes: []report.Lane{{Operation: "by-type", Answers: 1}}}, 0); code != exitPartial {
			t.Errorf("stopped for %q, the exit code is %d", stop, code)
		}
	}
}
