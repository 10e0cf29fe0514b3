package warehouse

import (
	"bufio"
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
)

// publishedMode is that of a published file and of its version, which are one file: whoever
// opens it by hand can only read it.
const publishedMode = 0o444

// A DuckDB file begins with its header and the two that it writes in turn. Blocks follow, and
// each begins with a checksum of what it holds.
const (
	headerBytes   = 3 * 4096
	blockBytes    = 256 << 10
	checksumBytes = 8
)

const fingerprintsWords = "# What the published file and its versions looked like when they were published: size, and\n" +
	"# SHA-256 of DuckDB's headers and of its checksums of all blocks.\n"

func fingerprintsPath(dir string) string { return filepath.Join(dir, "warehouse", "fingerprints") }

// fingerprint is a text that tells a file from what DuckDB makes of it by writing. It reads
// little of a large file; whether a block is whole DuckDB finds when it reads the block.
func fingerprint(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", path, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, headerBytes)); err != nil {
		return "", fmt.Errorf("look at %s: %w", path, err)
	}
	var checksum [checksumBytes]byte
	for at := int64(headerBytes); at+checksumBytes <= info.Size(); at += blockBytes {
		if _, err := f.ReadAt(checksum[:], at); err != nil {
			return "", fmt.Errorf("look at %s: %w", path, err)
		}
		sum.Write(checksum[:])
	}
	return fmt.Sprintf("%d %x", info.Size(), sum.Sum(nil)), nil
}

// readFingerprints returns those of the files that were published; nil if none were kept yet.
func readFingerprints(dir string) (map[string]bool, error) {
	f, err := os.Open(fingerprintsPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read fingerprints: %w", err)
	}
	defer f.Close()
	prints := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := lines.Text(); line != "" && !strings.HasPrefix(line, "#") {
			prints[line] = true
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read fingerprints: %w", err)
	}
	return prints, nil
}

// genuine reports whether a file is as it was published, as far as anybody can tell.
func genuine(known map[string]bool, path string) bool {
	print, err := fingerprint(path)
	return known == nil || err == nil && known[print]
}

// remember keeps the fingerprints of files that are about to be published, and of those that
// are there and are as they were published. Of files from before the first fingerprint nobody
// can tell.
func remember(dir string, paths ...string) error {
	known, err := readFingerprints(dir)
	if err != nil {
		return err
	}
	vs, err := kept(dir)
	if err != nil {
		return err
	}
	there := []string{Path(dir)}
	for _, v := range vs {
		there = append(there, v.path)
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
	temporary := fingerprintsPath(dir) + ".part"
	text := fingerprintsWords + strings.Join(slices.Compact(prints), "\n") + "\n"
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write fingerprints: %w", err)
	}
	return replace(temporary, fingerprintsPath(dir))
}

// Restore looks whether the published file is what was published. Whoever can write it all the
// same, as root can, may hold it open for writing, or may have changed it: then no run could
// read it, or would plan on what is not ours. It takes the file away from a writer that has
// changed nothing yet, sets one that was changed aside, and publishes the version before it,
// onto which the next start brings the runs that it lacks. What it did it says. The caller
// holds the data directory's lock.
func Restore(ctx context.Context, dir string) (said []string, err error) {
	path := Path(dir)
	print, err := fingerprint(path)
	if errors.Is(err, fs.ErrNotExist) {
		return clearBeside(dir)
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
	_, err = os.Lstat(path + ".wal")
	logged := err == nil
	_, _, err = runsOf(ctx, path)
	if !logged && !openForWriting(err) {
		return clearBeside(dir)
	}
	said, err = takeAway(dir, print)
	if err != nil {
		return said, err
	}
	return append([]string{path + " was opened for writing by another program, which keeps a file of its own now; the published one is as it was published"}, said...), nil
}

// takeAway publishes a copy of the file and of its version, so that a writer that has it open
// writes into a file that nobody reads.
func takeAway(dir, print string) (said []string, err error) {
	temporary := filepath.Join(dir, "warehouse", ".copy.duckdb")
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("restore: %w", err)
	}
	if err := copyFile(Path(dir), temporary); err != nil {
		return nil, err
	}
	if got, err := fingerprint(temporary); err != nil || got != print {
		return nil, errors.Join(fmt.Errorf("restore %s: another program writes it just now: close that program", Path(dir)), err, os.Remove(temporary))
	}
	if err := errors.Join(os.Chmod(temporary, publishedMode), flush(temporary)); err != nil {
		return nil, fmt.Errorf("restore: %w", err)
	}
	vs, err := kept(dir)
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
	if said, err = clearBeside(dir); err != nil {
		return said, err
	}
	return said, replace(temporary, Path(dir))
}

// setAside gives the changed file, with its log, a name of its own, and publishes the latest
// version that is as it was published.
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
	next := "the next start makes it anew from the journal, without a request"
	if version == "" {
		err = os.Remove(path)
	} else {
		err = publishAgain(dir, version)
		next = filepath.Base(version) + " is published again, and the next start adds the runs that it lacks, without a request"
	}
	if err != nil {
		return nil, fmt.Errorf("set %s aside: %w", path, err)
	}
	return []string{fmt.Sprintf("%s was changed by another program, and is set aside as %s; %s", path, away, next)}, flush(filepath.Dir(path))
}

// latestGenuine finds the latest version that can be published again, and removes those that
// were changed: they are other names of the file that is set aside.
func latestGenuine(ctx context.Context, dir string, known map[string]bool) (string, error) {
	vs, err := kept(dir)
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
		if runs, _, err := runsOf(ctx, v.path); err == nil && !holdsAny(runs, out) {
			found = v.path
		}
	}
	return found, nil
}

// clearBeside removes what programs that died left beside the published file: a log, which
// DuckDB would play onto whatever file has that name, and temporary files.
func clearBeside(dir string) (said []string, err error) {
	log := Path(dir) + ".wal"
	switch err := os.Remove(log); {
	case err == nil:
		said = append(said, "removed "+log+", which another program left: it would have been played onto the published file")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("remove a stray log: %w", err)
	}
	spilled, err := clearSpilled(Path(dir) + ".tmp")
	return append(said, spilled...), err
}
