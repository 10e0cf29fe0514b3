package syscalls

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// channel in the environment is the descriptor of the socket over which a process that Start started
// sends the listener.
const channel = "FLEETLAKE_TEST_SYSCALLS"

// Obey makes this process, and those that it starts, report their system calls to the one that started
// it with Start. Otherwise it does nothing. If the kernel refuses, the process ends.
func Obey() {
	socket, err := strconv.Atoi(os.Getenv(channel))
	if err != nil {
		return
	}
	os.Unsetenv(channel) // a child inherits the filter
	listener, err := install()
	if err != nil {
		unix.Sendmsg(socket, []byte(err.Error()), nil, nil, 0)
		os.Exit(1)
	}
	if err := unix.Sendmsg(socket, []byte("listener"), unix.UnixRights(listener), nil, 0); err != nil {
		os.Exit(1)
	}
	unix.Close(socket)
	unix.Close(listener)
}

// install installs the filter in all threads and returns the descriptor of the listener.
func install() (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("no new privileges: %w", err)
	}
	program := filter()
	p := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// A thread whose call is being answered is interrupted only by what kills it: Go's own signals would
	// make the call a second time.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_TSYNC |
		unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	return int(fd), nil
}

// Offsets in the data that a filter sees.
const (
	number       = 0
	architecture = 4
	argument     = 16 // the lower half of the first; each has eight bytes
)

// filter is the program that decides which calls are reported.
func filter() []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(test uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: k, Jt: yes, Jf: no}
	}
	end := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	allow, report := end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_USER_NOTIF)
	p := []unix.SockFilter{load(architecture), jump(unix.BPF_JEQ, unix.AUDIT_ARCH_X86_64, 1, 0), allow, load(number)}
	for nr := range names {
		switch nr {
		case unix.SYS_WRITE, unix.SYS_OPENAT, unix.SYS_OPEN:
		default:
			p = append(p, jump(unix.BPF_JEQ, uint32(nr), 0, 1), report)
		}
	}
	for nr, flags := range map[uint32]uint32{unix.SYS_OPENAT: argument + 16, unix.SYS_OPEN: argument + 8} {
		p = append(p, jump(unix.BPF_JEQ, nr, 0, 4), load(flags),
			jump(unix.BPF_JSET, unix.O_CREAT|unix.O_TRUNC, 0, 1), report, allow)
	}
	return append(p, jump(unix.BPF_JEQ, unix.SYS_WRITE, 0, 3), // to standard output and error is none of a file
		load(argument), jump(unix.BPF_JGT, 2, 0, 1), report, allow)
}
