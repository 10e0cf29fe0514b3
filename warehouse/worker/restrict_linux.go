package worker

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// niceness is the priority of a process: 0 is that of the harvest, 19 the lowest.
const niceness = 19

// restrict sets the limits that a process sets itself: it may not take much more memory than DuckDB is
// given, whatever a query does, nor make a file larger than all that DuckDB may spill, it leaves no core file, and the
// harvest has priority. Whoever starts it makes it the leader of its own group. It returns which
// limits the system does not let it set: a service may be forbidden to change its priority. The one of memory protects
// others, and is an error.
func restrict(h hello) (unlimited string, err error) {
	if err := CloseInherited(answersAt); err != nil {
		return "", err
	}
	signal.Ignore(unix.SIGXFSZ) // a file that grows too large is an error of the query
	limits := map[int]uint64{unix.RLIMIT_DATA: uint64(dataMiB(h.Memory)) << 20, unix.RLIMIT_FSIZE: uint64(h.SpillMiB) << 20, unix.RLIMIT_CORE: 0}
	for which, most := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(which, &now); err != nil {
			return "", fmt.Errorf("read a limit: %w", err)
		}
		now.Max = min(now.Max, most)
		now.Cur = now.Max
		if err := unix.Setrlimit(which, &now); err != nil {
			return "", fmt.Errorf("set a limit: %w", err)
		}
	}
	if err := unix.Setpriority(unix.PRIO_PGRP, 0, niceness); err != nil { // all threads of the process
		unlimited = fmt.Sprintf("the lowest priority (%v)", err)
	}
	return unlimited, nil
}

// CloseInherited closes what the process did not open itself, beyond the last descriptor that it was given. DuckDB opens
// files so that a process which is started meanwhile inherits them, such as the file of a night that is being published.
// It is called first: what is open at this point is of Go's runtime, given, or inherited.
func CloseInherited(last int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil // not without /proc
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		n, notNumber := strconv.Atoi(e.Name())
		if err != nil || notNumber != nil || n <= last || strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/") {
			continue
		}
		if err := unix.Close(n); err != nil {
			return fmt.Errorf("close what was inherited: %w", err)
		}
	}
	return nil
}

// diesFirst makes a process the first to be killed if the machine runs out of memory. Without /proc, its limits hold.
func diesFirst(pid int) {
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("1000"), 0)
}

// attributes make a process the leader of its own group, so that an interrupt from the keyboard does
// not end queries before the server does, and end it with the process that starts it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Program is the path of this program, also after its file was replaced.
func Program() (string, error) { return "/proc/self/exe", nil }

// ResidentMiB is the memory of a process without mapped files; 0 if the system does not report it.
func ResidentMiB(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm") // pages: in all, resident, of these shared
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	shared, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return 0
	}
	return (resident - shared) * os.Getpagesize() >> 20
}
