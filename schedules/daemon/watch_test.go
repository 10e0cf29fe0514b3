package daemon

import (
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules"
)

func TestHealthFollowsTheScheduler(t *testing.T) {
	s := &Server{pipeline: &pipeline.Pipeline{Dir: filepath.Join(t.TempDir(), "data")}}
	s.runner = &schedules.Runner{Pulse: s.pulse()}
	if s.healthy() == nil || s.Ready() == nil {
		t.Error("healthy although the scheduler has not begun for long")
	}
	s.beat()
	if err := s.Ready(); err != nil {
		t.Error(err)
	}
	long := time.Now().Add(-4 * s.runner.Pulse)
	s.beaten.Store(&long)
	if s.healthy() == nil || s.Ready() == nil {
		t.Error("healthy although the scheduler hangs")
	}
	s.beat()
	s.ending.Store(true)
	if s.Ready() == nil || s.healthy() != nil {
		t.Error("while it stops it is healthy and not ready")
	}
}

func TestWordsForOthersHaveNoPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := &Server{pipeline: &pipeline.Pipeline{Dir: dir}}
	if got := s.withoutPaths("open " + dir + "/journal: no space left"); got != "open DATA/journal: no space left" {
		t.Errorf("got %q", got)
	}
}

func TestWatchdog(t *testing.T) {
	for name, c := range map[string]struct {
		systemd systemd
		want    time.Duration
	}{
		"no systemd":            {systemd{}, defaultPulse},
		"no watchdog":           {systemd{socket: "@x"}, defaultPulse},
		"a slow one":            {systemd{"@x", "600000000", ""}, defaultPulse},
		"a quick one":           {systemd{"@x", "3000000", ""}, time.Second},
		"one of another":        {systemd{"@x", "3000000", "1"}, defaultPulse},
		"one that is no number": {systemd{"@x", "soon", ""}, defaultPulse},
	} {
		if got := (&Server{systemd: c.systemd}).pulse(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if err := (systemd{socket: filepath.Join(t.TempDir(), "nobody")}).notify("READY=1"); err == nil {
		t.Error("a socket that nobody hears is no error")
	}
}

// TestADeafManagerDoesNotStopTheScheduler fills the queue of a socket that nobody reads.
func TestADeafManagerDoesNotStopTheScheduler(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	deaf, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	start := time.Now()
	for err == nil && time.Since(start) < time.Minute {
		err = systemd{socket: socket}.notify("WATCHDOG=1")
	}
	if took := time.Since(start); err == nil || took > 10*time.Second {
		t.Errorf("gave up after %v: %v", took, err)
	}
}

// TestSystemdIsNotifiedBeforeTheEnd has the stop begin twice, by the signal and by the scheduler's
// return: the second waits until systemd is notified, because the process ends after it.
func TestSystemdIsNotifiedBeforeTheEnd(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	states := listenAsSystemd(t, socket)
	begun, release := make(chan struct{}), make(chan struct{})
	s := &Server{systemd: systemd{socket: socket}, log: slog.New(slog.NewTextHandler(blocker{begun, release}, nil))}
	go s.stopping()
	<-begun
	second := make(chan struct{})
	go func() {
		s.stopping()
		close(second)
	}()
	select {
	case <-second:
		t.Error("the process ends before systemd is notified")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	<-second
	if got := <-states; got != "STOPPING=1" {
		t.Errorf("notified: %s", got)
	}
}

// blocker is a log that says when it is first written to, and waits.
type blocker struct{ begun, release chan struct{} }

func (b blocker) Write(line []byte) (int, error) {
	close(b.begun)
	<-b.release
	return len(line), nil
}

// listenAsSystemd receives the states of a service until the test ends.
func listenAsSystemd(t *testing.T, socket string) <-chan string {
	t.Helper()
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { manager.Close() })
	states := make(chan string, 10_000)
	go func() {
		for buffer := make([]byte, 100); ; {
			n, err := manager.Read(buffer)
			if err != nil {
				return
			}
			states <- string(buffer[:n])
		}
	}()
	return states
}
