package worker

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// starter starts processes from a thread that Linux's Landlock keeps from writing anywhere but below one directory, and
// from the network. A process inherits that, and cannot undo it. The thread lives for as long as the pool: the processes
// end when it does, and nothing else ever runs on it.
type starter struct {
	jobs      chan func()
	ended     chan struct{}
	unlimited string // why there is no such thread; "" if there is
}

// newStarter returns a starter of processes that may write below temp.
func newStarter(temp string) *starter {
	s := &starter{jobs: make(chan func()), ended: make(chan struct{})}
	begun := make(chan error)
	go func() {
		defer close(s.ended)
		runtime.LockOSThread() // never unlocked, so that the thread ends with the goroutine
		begun <- Confine(temp)
		for job := range s.jobs {
			job()
		}
	}()
	if err := <-begun; err != nil {
		s.unlimited = fmt.Sprintf("Landlock, which would keep it from writing (%v)", err)
	}
	return s
}

// run runs a function on the thread, and returns when it has ended.
func (s *starter) run(job func()) {
	done := make(chan struct{})
	s.jobs <- func() { job(); close(done) }
	<-done
}

// close ends the thread.
func (s *starter) close() {
	close(s.jobs)
	<-s.ended
}

// writing are the rights of Landlock's first version to change files, and those that later versions added.
const (
	writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	writingSince2 = unix.LANDLOCK_ACCESS_FS_REFER
	writingSince3 = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	networkSince4 = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
)

// ProcessFiles are the files by which the system is told about processes, such as which is killed first when memory runs
// out.
const ProcessFiles = "/proc"

// Confine keeps the thread, and the processes that are started from it, from changing files other than those below some
// directories, and from TCP where the kernel can: they may use sockets that they are given. What runs on another thread
// is as free as before. The caller locks its goroutine to the thread, which nothing else may use afterwards.
func Confine(writable ...string) error {
	version, _, no := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if no != 0 {
		return no
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: writing}
	if version >= 2 {
		rules.Handled_access_fs |= writingSince2
	}
	if version >= 3 {
		rules.Handled_access_fs |= writingSince3
	}
	if version >= 4 {
		rules.Handled_access_net = networkSince4
	}
	set, _, no := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if no != 0 {
		return no
	}
	defer unix.Close(int(set))
	for _, dir := range writable {
		if err := allow(set, dir, rules.Handled_access_fs); err != nil {
			return err
		}
	}
	if err := allow(set, os.DevNull, rules.Handled_access_fs&(unix.LANDLOCK_ACCESS_FS_WRITE_FILE|writingSince3)); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, no := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); no != 0 {
		return no
	}
	return nil
}

// allow adds a rule to a set: these rights below a path.
func allow(set uintptr, path string, rights uint64) error {
	at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(at)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(at)}
	if _, _, no := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, set, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); no != 0 {
		return no
	}
	return nil
}
