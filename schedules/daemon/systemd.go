package daemon

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// systemd is the service manager that started this process, if one did. Its protocol is one
// datagram of NAME=VALUE for each state. The daemon package of go-systemd, which speaks it too,
// writes without a deadline: a manager that does not read would stop the scheduler for good.
type systemd struct {
	socket         string // "" is none; @ begins a name that is in no file system
	microseconds   string
	watchedProcess string
}

func systemdOf(getenv func(string) string) systemd {
	return systemd{getenv("NOTIFY_SOCKET"), getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID")}
}

// patience is how long to wait for a manager whose queue is full.
const patience = time.Second

// notify sends a state, such as READY=1.
func (s systemd) notify(state string) error {
	if s.socket == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	defer c.Close()
	c.SetWriteDeadline(time.Now().Add(patience)) // the scheduler must not wait for a manager that does not read
	if _, err := c.Write([]byte(state)); err != nil {
		return fmt.Errorf("notify systemd: %w", err)
	}
	return nil
}

// watchdog is the interval within which the watchdog must be fed; 0 if there is none for this process.
func (s systemd) watchdog() time.Duration {
	n, err := strconv.ParseInt(s.microseconds, 10, 64)
	if err != nil || n <= 0 || s.socket == "" || s.watchedProcess != "" && s.watchedProcess != strconv.Itoa(os.Getpid()) {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}
