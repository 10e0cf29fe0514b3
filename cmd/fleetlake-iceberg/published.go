package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// copyOf is the name of the copy of a catalog file that readers open.
func copyOf(file string) string { return strings.TrimSuffix(file, ".db") + "-read.db" }

// publishCopy renames a copy of the catalog into place for those who only read. A process that is killed inside a
// commit leaves the journal of that commit beside the catalog, which a reader may not roll back; the copy is whole at
// any moment, and as old as the last verb that ended. A copy that says the same stays.
func publishCopy(ctx context.Context, db *sql.DB, file string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("publish a copy of catalog %s: %w", file, err)
		}
	}()
	lock := flock.New(file + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	next := file + temporary + "copy" // which a killed process may have left
	if err := os.RemoveAll(next); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", next); err != nil {
		return errors.Join(err, os.RemoveAll(next))
	}
	before, _ := os.ReadFile(copyOf(file)) // none, or one that cannot be read, is replaced
	after, err := os.ReadFile(next)
	if err != nil || bytes.Equal(before, after) {
		return errors.Join(err, os.Remove(next))
	}
	f, err := os.OpenFile(next, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close(), os.Rename(next, copyOf(file))); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(file))
}
