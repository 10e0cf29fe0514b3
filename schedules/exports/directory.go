package exports

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// checkDirectory checks that a target that is a directory can be written, or made.
func (s Settings) checkDirectory() error {
	if strings.Contains(s.Target, "://") {
		return nil
	}
	path, err := filepath.Abs(s.Target)
	if err != nil {
		return fmt.Errorf("look at %s: %w", s.Target, err)
	}
	info, err := os.Stat(path)
	for errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) { // the export makes what is missing
		path = filepath.Dir(path)
		info, err = os.Stat(path)
	}
	if err != nil {
		return fmt.Errorf("look at the export's target: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("the export's target %s: %s is not a directory: %w", s.Target, path, unix.ENOTDIR)
	}
	if err := unix.Access(path, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("write into %s: %w", path, err)
	}
	return nil
}
