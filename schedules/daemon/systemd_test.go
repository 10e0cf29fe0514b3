package daemon

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestAManagerThatDoesNotListenIsNotWaitedFor fills the queue of a manager that reads nothing:
// the scheduler continues, and logs that systemd was not notified.
func TestAManagerThatDoesNotListenIsNotWaitedFor(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	full, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for err == nil {
		full.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		_, err = full.Write([]byte("x"))
	}
	s := systemd{socket: socket}
	start := time.Now()
	if err := s.notify("WATCHDOG=1"); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) > 5*patience {
		t.Errorf("notified after %v: %v", time.Since(start), err)
	}
	if _, err := manager.Read(make([]byte, 10)); err != nil { // there is room again
		t.Fatal(err)
	}
	if err := s.notify("WATCHDOG=1"); err != nil {
		t.Error(err)
	}
	manager.Close()
	if err := s.notify("WATCHDOG=1"); err == nil {
		t.Error("a manager that is gone has heard")
	}
}

func TestWatchdogIsThatOfThisProcess(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for what, test := range map[string]struct {
		socket, microseconds, process string
		want                          time.Duration
	}{
		"for whatever process":    {"/run/notify", "3000000", "", 3 * time.Second},
		"for this process":        {"/run/notify", "3000000", own, 3 * time.Second},
		"for another process":     {"/run/notify", "3000000", own + "0", 0},
		"nobody listens":          {"", "3000000", "", 0},
		"no watchdog":             {"/run/notify", "", "", 0},
		"no number":               {"/run/notify", "soon", "", 0},
		"a number that is no use": {"/run/notify", "-1", "", 0},
	} {
		env := map[string]string{"NOTIFY_SOCKET": test.socket, "WATCHDOG_USEC": test.microseconds, "WATCHDOG_PID": test.process}
		if got := systemdOf(func(name string) string { return env[name] }).watchdog(); got != test.want {
			t.Errorf("%s: %v, want %v", what, got, test.want)
		}
	}
	if err := (systemd{}).notify("READY=1"); err != nil {
		t.Errorf("without a manager: %v", err)
	}
}
