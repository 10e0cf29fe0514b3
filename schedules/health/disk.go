package health

import (
	"fmt"

	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"golang.org/x/sys/unix"
)

// wantFree is the least free disk space, in bytes: some nights of a large fleet.
const wantFree = 2 << 30

// Free says how much space the disk of a directory has, which need not exist yet, and returns an error if that is too
// little.
func Free(dir string) (string, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(datadir.Nearest(dir), &disk); err != nil {
		return "", fmt.Errorf("disk of %s: %w", dir, err)
	}
	left := disk.Bavail * uint64(disk.Bsize)
	if left < wantFree {
		return "", fmt.Errorf("%d MiB free at %s, want %d: %w", left>>20, dir, wantFree>>20, unix.ENOSPC)
	}
	return fmt.Sprintf("%d GiB free", left>>30), nil
}
