package journal

import (
	"errors"
	"os"
	"syscall"
)

// reserving lists the file systems, by their magic number, on which allocated blocks belong to a
// file until it is removed, whatever is written elsewhere: ext2 to ext4, XFS and tmpfs.
var reserving = map[int64]bool{0xef53: true, 0x58465342: true, 0x01021994: true}

// allocate allocates disk space for a file without writing it. It returns errors.ErrUnsupported on
// a file system that does not guarantee the space.
func allocate(f *os.File, size int64) error {
	var fs syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &fs); err != nil || !reserving[int64(fs.Type)] {
		return errors.ErrUnsupported
	}
	for {
		if err := syscall.Fallocate(int(f.Fd()), 0, 0, size); err != syscall.EINTR {
			return err
		}
	}
}
