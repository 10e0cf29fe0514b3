package datadir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckWritable returns an error, of which fs.ErrPermission is true, if this user may not write some of the files and
// directories that a run writes: most often somebody wrote there as root. It names them, and the command that mends
// it; to who is not the owner of the directory it says whose it is. A directory that does not exist is none to mend. On
// a file system that is mounted read-only, the error is EROFS.
func CheckWritable(dir string) error {
	var refused []string
	for _, path := range written(dir) {
		err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
		if errors.Is(err, unix.EROFS) {
			return fmt.Errorf("write into %s: %w: nothing can be stored until it is mounted for writing", path, err)
		}
		if errors.Is(err, unix.EACCES) {
			refused = append(refused, cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, dir), "/"), "."))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	named := strings.Join(refused[:min(3, len(refused))], ", ")
	if n := len(refused) - 3; n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		whole = dir
	}
	if info, err := os.Stat(dir); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != uint32(os.Geteuid()) {
			return fmt.Errorf("user %d may not write into %s, which belongs to user %d: run this as that user, or as root: %w",
				os.Geteuid(), whole, owner.Uid, fs.ErrPermission)
		}
	}
	return fmt.Errorf("user %d may not write %s in %s: somebody else, such as root, wrote there. Mend it as root: "+
		"chown -R %[1]d:%[4]d %[3]s: %[5]w",
		os.Geteuid(), named, whole, os.Getegid(), fs.ErrPermission)
}

// written lists what a run writes of a data directory, as far as it exists: all directories that get files, and the
// files that grow or are written over. Of the journal, and of each table of the lake, that is the directory of the
// latest night.
func written(dir string) []string {
	paths := []string{dir}
	for _, name := range []string{"lock", "slots.ndjson", "journal", "lake", "warehouse", "work"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	below := func(name string) []string {
		found, _ := filepath.Glob(filepath.Join(dir, name, "*")) // whose only error is that of a bad pattern
		return found
	}
	tables := below("lake")
	paths = append(append(paths, tables...), filepath.Join(dir, "warehouse", "versions"))
	for _, parent := range append(tables, "journal") {
		if nights := below(strings.TrimPrefix(parent, dir)); len(nights) > 0 {
			paths = append(paths, slices.Max(nights))
		}
	}
	return paths
}
