package network

import (
	"os"
	"strconv"
	"syscall"
)

// attributes make a process the leader of its own group, so that an interrupt from the keyboard reaches the scheduler
// alone, and end it with the thread that starts it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// diesEarly makes a process one that is killed before the scheduler if the machine runs out of memory, and after those
// of queries.
func diesEarly(pid int) {
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("800"), 0) // without /proc, its limits hold
}
