package warehouse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse/durable"
	"golang.org/x/sys/unix"
)

// replace publishes a finished file under its name, so that it survives a crash.
func replace(temporary, path string) error {
	if err := durable.Replace(temporary, path); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// copyFile copies a file. On file systems that can share blocks it costs nothing.
func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Close()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// lockedForWriting reports whether another process has DuckDB's lock of a file that it writes to: to ask the
// system is much cheaper than to open the file with DuckDB. A file that cannot be asked for counts as free, since
// whoever opens it next gets the error.
func lockedForWriting(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart} // the whole file
	return unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock) == nil && lock.Type != unix.F_UNLCK
}

// readLines returns the lines of a file but the empty ones and those that begin with #; nil if there
// is no file.
func readLines(path string) (map[string]bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			found[line] = true
		}
	}
	return found, lines.Err()
}
