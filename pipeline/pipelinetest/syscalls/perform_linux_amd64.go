package syscalls

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// text reads a string of the process that ends with a zero.
func (w *Watch) text(n *notification, at uint64) string {
	var path []byte
	for len(path) < unix.PathMax {
		part, err := memory(n, at, 256-int(at%256)) // never beyond its page, which may be the last
		if err != nil {
			return ""
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(path, part[:end]...))
		}
		path, at = append(path, part...), at+uint64(len(part))
	}
	return ""
}

// memory reads a part of the process's memory.
func memory(n *notification, at uint64, size int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	b := make([]byte, size)
	got, err := unix.ProcessVMReadv(int(n.pid), []unix.Iovec{{Base: &b[0], Len: uint64(size)}},
		[]unix.RemoteIovec{{Base: uintptr(at), Len: size}}, 0)
	return b[:max(got, 0)], err
}

// perform makes a call, or its first half, in place of the process, with the descriptors of the process
// and so at its place in the file. A file that it creates stays closed: the process is about to be killed.
func (w *Watch) perform(n *notification, c Call, half bool) (int, error) {
	size := c.Bytes
	if half {
		size /= 2
	}
	switch c.Name {
	case "mkdir":
		return 0, unix.Mkdir(c.Path, uint32(n.args[mode[uintptr(n.number)]]))
	case "rmdir":
		return 0, unix.Rmdir(c.Path)
	case "unlink":
		if uintptr(n.number) == unix.SYS_UNLINKAT {
			return 0, unix.Unlinkat(unix.AT_FDCWD, c.Path, int(n.args[2]))
		}
		return 0, unix.Unlink(c.Path)
	case "rename":
		return 0, unix.Rename(c.Path, c.To)
	case "link":
		return 0, unix.Link(c.Path, c.To)
	case "symlink":
		return 0, unix.Symlink(w.text(n, n.args[0]), c.Path)
	case "create":
		flags := mode[uintptr(n.number)] - 1
		fd, err := unix.Open(c.Path, int(n.args[flags])|unix.O_CLOEXEC, uint32(n.args[flags+1]))
		if err == nil {
			unix.Close(fd)
		}
		return 0, err
	}
	if uintptr(n.number) == unix.SYS_TRUNCATE {
		return 0, unix.Truncate(c.Path, int64(n.args[1]))
	}
	return w.performOpen(n, c, size)
}

// mode is which argument of a call has the permissions of a new file.
var mode = map[uintptr]int{unix.SYS_MKDIR: 1, unix.SYS_MKDIRAT: 2, unix.SYS_OPEN: 2, unix.SYS_OPENAT: 3}

// performOpen makes a call on an open file.
func (w *Watch) performOpen(n *notification, c Call, size int) (int, error) {
	descriptor := n.args[0]
	if c.Name == "copy" {
		descriptor = n.args[2]
	}
	fd, err := duplicate(n, descriptor)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	switch c.Name {
	case "fsync":
		return 0, unix.Fsync(fd)
	case "fdatasync":
		return 0, unix.Fdatasync(fd)
	case "truncate":
		return 0, unix.Ftruncate(fd, int64(n.args[1]))
	case "allocate":
		return 0, unix.Fallocate(fd, uint32(n.args[1]), int64(n.args[2]), int64(n.args[3]))
	case "copy":
		from, err := duplicate(n, n.args[0])
		if err != nil {
			return 0, err
		}
		defer unix.Close(from)
		if n.args[1] != 0 || n.args[3] != 0 {
			return 0, fmt.Errorf("copy at an offset: not known")
		}
		return unix.CopyFileRange(from, nil, fd, nil, size, 0)
	}
	b, err := memory(n, n.args[1], size)
	if err != nil {
		return 0, err
	}
	if c.Name == "pwrite" {
		return unix.Pwrite(fd, b, int64(n.args[3]))
	}
	return unix.Write(fd, b)
}

// duplicate opens a descriptor of the process here.
func duplicate(n *notification, descriptor uint64) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.pid))
	if err != nil {
		return -1, err
	}
	var process int
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "Tgid: %d", &process); err == nil {
			break
		}
	}
	pid, err := unix.PidfdOpen(process, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(pid)
	return unix.PidfdGetfd(pid, int(int32(descriptor)), 0)
}
