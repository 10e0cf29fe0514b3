package warehouse

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// publishedMode is the mode of a published file and of its version, which are one file: other
// programs can open it only for reading.
const publishedMode = 0o444

// A DuckDB file begins with a main header and two headers that DuckDB writes in turn. Blocks
// follow, and each begins with a checksum of its content.
const (
	headerBytes   = 3 * 4096
	blockBytes    = 256 << 10
	checksumBytes = 8
)

const fingerprintsHeader = "# The published file and its versions as they were published: size, and\n" +
	"# SHA-256 of DuckDB's headers and of its checksums of all blocks.\n"

func fingerprintsPath(dir string) string { return filepath.Join(dir, "warehouse", "fingerprints") }

// fingerprint is a text that changes when DuckDB writes to a file. It reads little of a large
// file: only the checksum of each block, which DuckDB compares when it reads the block.
func fingerprint(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", path, err)
	}
	defer f.Close()
	return Fingerprint(f)
}

// Fingerprint is the fingerprint of an open file: its size in bytes, and a SHA-256 in hexadecimal.
func Fingerprint(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", f.Name(), err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, headerBytes)); err != nil {
		return "", fmt.Errorf("look at %s: %w", f.Name(), err)
	}
	var checksum [checksumBytes]byte
	for at := int64(headerBytes); at+checksumBytes <= info.Size(); at += blockBytes {
		if _, err := f.ReadAt(checksum[:], at); err != nil {
			return "", fmt.Errorf("look at %s: %w", f.Name(), err)
		}
		sum.Write(checksum[:])
	}
	return fmt.Sprintf("%d %x", info.Size(), sum.Sum(nil)), nil
}

// readFingerprints returns the fingerprints of the published files; nil if none were recorded yet.
func readFingerprints(dir string) (map[string]bool, error) {
	prints, err := readLines(fingerprintsPath(dir))
	if err != nil {
		return nil, fmt.Errorf("read fingerprints: %w", err)
	}
	return prints, nil
}

// genuine reports whether a file is as it was published. Without any known fingerprint every
// file counts as genuine.
func genuine(known map[string]bool, path string) bool {
	print, err := fingerprint(path)
	return known == nil || err == nil && known[print]
}

// recordFingerprints stores the fingerprints of files that are about to be published, and of the
// published file and the versions that are genuine. All files from before the first fingerprint
// count as genuine.
func recordFingerprints(dir string, paths ...string) error {
	known, err := readFingerprints(dir)
	if err != nil {
		return err
	}
	there, err := publishedFiles(dir)
	if err != nil {
		return err
	}
	var prints []string
	for i, path := range slices.Concat(paths, there) {
		print, err := fingerprint(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if i < len(paths) || known == nil || known[print] {
			prints = append(prints, print)
		}
	}
	slices.Sort(prints)
	text := fingerprintsHeader + strings.Join(slices.Compact(prints), "\n") + "\n"
	if err := durable.WriteFile(fingerprintsPath(dir), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write fingerprints: %w", err)
	}
	return nil
}

// Restore checks that the published file is what was published. A program that can write it in
// spite of its mode, as root can, may have it open for writing, or may have changed it: then no run
// could read it, or a run would plan on rows that are not ours. Restore replaces a file that is
// only open for writing by a copy. It sets a changed file aside and publishes the version before
// it; the next start adds the runs that this version does not have. It returns what it did, a
// sentence each; without a published file it only removes leftovers. First it removes files that a
// crash left unfinished. The caller has locked the data
// directory.
//
// Its errors are those of the file system, and one without a sentinel if a program writes to the
// file just now: nothing is replaced then, and the same call can be made again.
func Restore(ctx context.Context, dir string) (notices []string, err error) {
	if err := removeUnfinished(dir); err != nil {
		return nil, err
	}
	path := Path(dir)
	print, err := fingerprint(path)
	if errors.Is(err, fs.ErrNotExist) {
		return removeLeftovers(dir)
	}
	if err != nil {
		return nil, err
	}
	known, err := readFingerprints(dir)
	if err != nil {
		return nil, err
	}
	if known != nil && !known[print] {
		return setAside(ctx, dir, known)
	}
	if _, err := os.Lstat(path + ".wal"); err != nil && !lockedForWriting(path) {
		return removeLeftovers(dir)
	}
	notices, err = replaceWithCopy(dir, print)
	if err != nil {
		return notices, err
	}
	return append([]string{path + " was opened for writing by another program, which now writes to a copy that nobody reads; the published file is unchanged"}, notices...), nil
}

// replaceWithCopy replaces the file and its version by a copy, so that a program that has the
// file open for writing writes to one that nobody reads.
func replaceWithCopy(dir, print string) (notices []string, err error) {
	temporary := copyPath(dir)
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err := copyFile(Path(dir), temporary); err != nil {
		return nil, err
	}
	if got, err := fingerprint(temporary); err != nil || got != print {
		return nil, errors.Join(fmt.Errorf("restore %s: another program is writing to it: close that program", Path(dir)), err, os.Remove(temporary))
	}
	if err := errors.Join(os.Chmod(temporary, publishedMode), durable.Sync(temporary)); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	vs, err := keptVersions(dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(Path(dir))
	if err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	for _, v := range vs {
		if os.SameFile(v.info, info) {
			if err := errors.Join(os.Remove(v.path), os.Link(temporary, v.path)); err != nil {
				return nil, fmt.Errorf("restore: %w", err)
			}
		}
	}
	if notices, err = removeLeftovers(dir); err != nil {
		return notices, err
	}
	return notices, replace(temporary, Path(dir))
}

// setAside renames the changed file, with its log, and publishes the latest genuine version.
func setAside(ctx context.Context, dir string, known map[string]bool) ([]string, error) {
	path := Path(dir)
	away := filepath.Join(dir, "warehouse", "changed-"+time.Now().UTC().Format("20060102T150405.000000000Z")+".duckdb")
	if err := os.Link(path, away); err != nil {
		return nil, fmt.Errorf("set %s aside: %w", path, err)
	}
	if err := os.Rename(path+".wal", away+".wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("set %s aside: %w", path, err)
	}
	version, err := latestGenuine(ctx, dir, known)
	if err != nil {
		return nil, err
	}
	next := "the next start rebuilds it from the journal, without a request"
	if version == "" {
		err = os.Remove(path)
	} else {
		err = publishVersion(dir, version)
		next = filepath.Base(version) + " is published again, and the next start adds the missing runs, without a request"
	}
	if err != nil {
		return nil, fmt.Errorf("set %s aside: %w", path, err)
	}
	return []string{fmt.Sprintf("%s was changed by another program, and is set aside as %s; %s", path, away, next)}, durable.SyncDir(filepath.Dir(path))
}

// latestGenuine finds the latest version that can be published again, and removes the changed
// ones: they are other names of the file that was set aside.
func latestGenuine(ctx context.Context, dir string, known map[string]bool) (string, error) {
	vs, err := keptVersions(dir)
	if err != nil {
		return "", err
	}
	out, err := readMarks(dir)
	if err != nil {
		return "", err
	}
	found := ""
	for _, v := range vs {
		if !genuine(known, v.path) {
			if err := os.Remove(v.path); err != nil {
				return "", fmt.Errorf("remove a changed version: %w", err)
			}
			continue
		}
		if found != "" || v.onlyBase() || v.onlyForRollback() {
			continue
		}
		if runs, _, err := runsOf(ctx, v.path); err == nil && !containsAny(runs, out) {
			found = v.path
		}
	}
	return found, nil
}

// removeLeftovers removes what killed programs left beside the published file: a log, which DuckDB
// would apply to any file of that name, and temporary files.
func removeLeftovers(dir string) (notices []string, err error) {
	log := Path(dir) + ".wal"
	switch err := os.Remove(log); {
	case err == nil:
		notices = append(notices, "removed "+log+", which another program left: DuckDB would have applied it to the published file")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("remove a stray log: %w", err)
	}
	spilled, err := clearAllSpilled(Path(dir))
	return append(notices, spilled...), err
}

// copyPath and rollbackPath are the temporary names of a file that is about to be published.
func copyPath(dir string) string     { return filepath.Join(dir, "warehouse", ".copy.duckdb") }
func rollbackPath(dir string) string { return filepath.Join(dir, "warehouse", ".rollback.duckdb") }

// removeUnfinished removes the temporary files that a crash leaves of a writer of the directory: the
// next writer of the same file would replace them, and there may be none for years.
func removeUnfinished(dir string) error {
	for _, path := range []string{copyPath(dir), rollbackPath(dir), fingerprintsPath(dir) + durable.Part, rolledBackPath(dir) + durable.Part, orderPath(dir) + durable.Part} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what a crash left: %w", err)
		}
	}
	return nil
}
