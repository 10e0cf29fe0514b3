package datadir

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestADirectoryOfAReadOnlyFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_RDONLY, ""); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	if err := CheckWritable(dir); !errors.Is(err, unix.EROFS) || !strings.Contains(err.Error(), "until it is mounted for writing") {
		t.Errorf("%v", err)
	}
}
