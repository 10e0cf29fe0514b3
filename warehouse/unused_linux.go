package warehouse

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// notBeingWritten reports whether no process has a file open for writing: the kernel grants a read
// lease only then. An error means that this file system has no leases, or that the file is another user's.
func notBeingWritten(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close() // and with it the lease
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if errors.Is(err, unix.EAGAIN) {
		return false, nil
	}
	return err == nil, err
}
