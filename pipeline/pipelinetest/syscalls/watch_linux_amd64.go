package syscalls

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// names maps the system calls that are reported to those of a Call. A call without a name cannot be
// made for the process; it ends the watch with an error if it is made below a watched directory.
var names = map[uintptr]string{
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite", unix.SYS_COPY_FILE_RANGE: "copy", unix.SYS_FALLOCATE: "allocate",
	unix.SYS_OPEN: "create", unix.SYS_OPENAT: "create", unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync",
	unix.SYS_FTRUNCATE: "truncate", unix.SYS_TRUNCATE: "truncate",
	unix.SYS_MKDIR: "mkdir", unix.SYS_MKDIRAT: "mkdir", unix.SYS_RMDIR: "rmdir", unix.SYS_UNLINK: "unlink",
	unix.SYS_UNLINKAT: "unlink",
	unix.SYS_RENAME:   "rename", unix.SYS_RENAMEAT: "rename", unix.SYS_RENAMEAT2: "rename", unix.SYS_LINK: "link",
	unix.SYS_LINKAT:  "link",
	unix.SYS_SYMLINK: "symlink", unix.SYS_SYMLINKAT: "symlink",
	unix.SYS_WRITEV: "", unix.SYS_PWRITEV: "", unix.SYS_PWRITEV2: "", unix.SYS_SENDFILE: "", unix.SYS_SPLICE: "",
	unix.SYS_SYNC: "", unix.SYS_SYNCFS: "",
}

// Watch is a process whose calls are watched.
type Watch struct {
	cmd      *exec.Cmd
	dirs     []string
	decide   func(Call) Action
	listener int
	done     chan struct{}
	err      error
}

// Start starts a command, whose program calls Obey, and passes each of its calls below the directories
// to decide, one at a time, in the order in which they are made. The error is errors.ErrUnsupported
// where the kernel does not do that; it has the reason.
func Start(cmd *exec.Cmd, dirs []string, decide func(Call) Action) (*Watch, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "channel")
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], fmt.Sprint(channel, "=", 3+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	if err := errors.Join(cmd.Start(), theirs.Close()); err != nil {
		return nil, err
	}
	w := &Watch{cmd: cmd, dirs: dirs, decide: decide, done: make(chan struct{})}
	if w.listener, err = receive(pair[0]); err != nil {
		cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait())
	}
	go w.serve()
	return w, nil
}

// receive takes the listener that Obey sends.
func receive(socket int) (int, error) {
	text, rights := make([]byte, 256), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := unix.Recvmsg(socket, text, rights, unix.MSG_CMSG_CLOEXEC)
	switch {
	case err != nil:
		return -1, fmt.Errorf("watch: %w", err)
	case n == 0:
		return -1, errors.New("watch: the program ended before it called Obey")
	case m == 0:
		return -1, fmt.Errorf("watch: %s: %w", text[:n], errors.ErrUnsupported)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err != nil {
		return -1, fmt.Errorf("watch: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, fmt.Errorf("watch: %w", err)
	}
	return fds[0], nil
}

// Wait waits for the end of the process and of those that it started. The error is one of the watch,
// not of the process, whose state the command has.
func (w *Watch) Wait() error {
	err := w.cmd.Wait()
	<-w.done
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		err = nil
	}
	return errors.Join(err, w.err)
}

// notification and reply are struct seccomp_notif and struct seccomp_notif_resp.
type notification struct {
	id           uint64
	pid, flags   uint32
	number       int32
	architecture uint32
	at           uint64
	args         [6]uint64
}

type reply struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// serve answers the notifications until no process of the filter is left.
func (w *Watch) serve() {
	defer close(w.done)
	defer unix.Close(w.listener)
	for {
		polled := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(polled, -1); err != nil && err != unix.EINTR {
			w.err = fmt.Errorf("watch: poll: %w", err)
			return
		}
		switch {
		case polled[0].Revents&unix.POLLIN != 0:
		case polled[0].Revents&unix.POLLHUP != 0:
			return
		default:
			continue
		}
		var n notification
		if errno := w.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno != 0 {
			continue // the process that made the call is dead
		}
		r := reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if c, watched := w.call(&n); watched {
			w.act(&n, c, &r)
		}
		w.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // a process that is dead needs no answer
	}
}

func (w *Watch) ioctl(request uintptr, p unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), request, uintptr(p))
	return errno
}

// act does what was decided about a call. A sync that passes is made here, so that it has ended before
// the next call is reported.
func (w *Watch) act(n *notification, c Call, r *reply) {
	a := w.decide(c)
	if c.Name == "" {
		w.err = errors.Join(w.err, fmt.Errorf("watch: system call %d of %s is not known", n.number, c.Path))
		return
	}
	if a == (Action{}) && !c.Syncs() {
		return
	}
	r.flags = 0
	if a.Make == All || a.Make == Half && c.Writes() {
		value, err := w.perform(n, c, a.Make == Half)
		errno := unix.Errno(0)
		if err != nil && !errors.As(err, &errno) {
			w.err = errors.Join(w.err, fmt.Errorf("watch: %s: %w", c, err))
		}
		r.value, r.errno = int64(value), -int32(errno)
	}
	if a.Errno != 0 {
		r.value, r.errno = 0, -int32(a.Errno)
	}
	if a.Kill {
		w.err = errors.Join(w.err, w.cmd.Process.Kill())
	}
}

// below reports whether a path is in one of the watched directories, or is one.
func (w *Watch) below(path string) bool {
	for _, dir := range w.dirs {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// call reads what a call is about, and returns whether that is watched. Sockets and pipes are not.
func (w *Watch) call(n *notification) (c Call, watched bool) {
	nr := uintptr(n.number)
	c.Name = names[nr]
	at := func(dir, name int) string { return w.named(n, int32(n.args[dir]), n.args[name]) }
	const here = unix.AT_FDCWD
	switch nr {
	case unix.SYS_OPEN, unix.SYS_TRUNCATE, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_UNLINK:
		c.Path = w.named(n, here, n.args[0])
	case unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_UNLINKAT:
		c.Path = at(0, 1)
	case unix.SYS_RENAME, unix.SYS_LINK:
		c.Path, c.To = w.named(n, here, n.args[0]), w.named(n, here, n.args[1])
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT:
		c.Path, c.To = at(0, 1), at(2, 3)
	case unix.SYS_SYMLINK:
		c.Path = w.named(n, here, n.args[1])
	case unix.SYS_SYMLINKAT:
		c.Path = at(1, 2)
	case unix.SYS_COPY_FILE_RANGE:
		c.Path, c.Bytes = w.opened(n, n.args[2]), int(n.args[4])
	case unix.SYS_SENDFILE:
		c.Path = w.opened(n, n.args[0])
	case unix.SYS_SPLICE:
		c.Path = w.opened(n, n.args[2])
	case unix.SYS_FALLOCATE:
		c.Path, c.Bytes = w.opened(n, n.args[0]), int(n.args[3])
	case unix.SYS_SYNC:
		return c, false
	default:
		c.Path = w.opened(n, n.args[0])
		if c.Writes() {
			c.Bytes = int(n.args[2])
		}
	}
	return c, w.below(c.Path) || c.To != "" && w.below(c.To)
}

// opened is the path of an open file.
func (w *Watch) opened(n *notification, fd uint64) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(fd))) // "" is not watched
	return strings.TrimSuffix(path, " (deleted)")
}

// named is the path that a call names, absolute.
func (w *Watch) named(n *notification, dir int32, at uint64) string {
	path := w.text(n, at)
	if path == "" || filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	base := fmt.Sprintf("/proc/%d/cwd", n.pid)
	if dir != unix.AT_FDCWD {
		base = fmt.Sprintf("/proc/%d/fd/%d", n.pid, dir)
	}
	base, _ = os.Readlink(base)
	return filepath.Join(base, path)
}
