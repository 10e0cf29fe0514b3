package warehouse

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// replace renames a finished file to its name, so that it survives a crash.
func replace(temporary, path string) error {
	if err := flush(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return flush(filepath.Dir(path))
}

// flush waits until a file, or the names in a directory, are on disk.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
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
