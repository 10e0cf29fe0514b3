package warehouse

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rolledBackWords stand on top of the file of runs that a rollback took out.
const rolledBackWords = `# Runs that a rollback took out of the published warehouse, one id a line. No start publishes
# them again, and no run goes on from them. They are still in the journal, and nothing of them
# is lost: ` + "`fleetlake rollback --undo` and `fleetlake rebuild`" + ` bring them back.
`

func rolledBackPath(dir string) string { return filepath.Join(dir, "warehouse", "rolled_back") }

// RolledBack reads which runs rollbacks took out of the published warehouse. A crash in the
// middle of a rollback leaves marks of runs that are published: such a mark counts for nothing.
func RolledBack(dir string, published map[string]bool) (map[string]bool, error) {
	marks, err := readMarks(dir)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(marks, func(run string, _ bool) bool { return published[run] })
	return marks, nil
}

func readMarks(dir string) (map[string]bool, error) {
	f, err := os.Open(rolledBackPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read runs that were rolled back: %w", err)
	}
	defer f.Close()
	marks := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if run := strings.TrimSpace(lines.Text()); run != "" && !strings.HasPrefix(run, "#") {
			marks[run] = true
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read runs that were rolled back: %w", err)
	}
	return marks, nil
}

// writeMarks replaces the file; no runs remove it.
func writeMarks(dir string, runs map[string]bool) error {
	path := rolledBackPath(dir)
	if len(runs) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget runs that were rolled back: %w", err)
		}
		return flushIfThere(filepath.Dir(path))
	}
	text := rolledBackWords + strings.Join(slices.Sorted(maps.Keys(runs)), "\n") + "\n"
	if err := os.WriteFile(path+".part", []byte(text), 0o644); err != nil {
		return fmt.Errorf("write runs that were rolled back: %w", err)
	}
	return replace(path+".part", path)
}

func flushIfThere(dir string) error {
	if err := flush(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ForgetRolledBack lets the runs that rollbacks took out be published again, and returns them.
func ForgetRolledBack(dir string) ([]string, error) {
	marks, err := readMarks(dir)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(marks)), writeMarks(dir, nil)
}

// Rolled is what a rollback did.
type Rolled struct {
	Version string   // the file that is published now
	Last    string   // its latest run; empty if it has none
	Out     []string // the runs that it lacks, which no start publishes again
	Said    []string // what was found beside the published file and removed
}

// Rollback publishes the version before the published one again, and keeps what that takes
// out from being published by the next start. A published file that cannot be read gives no
// run up: what a version before it lacks is published again.
func Rollback(ctx context.Context, dir string) (Rolled, error) {
	marks, err := readMarks(dir)
	if err != nil {
		return Rolled{}, err
	}
	said, err := clearBeside(dir)
	if err != nil {
		return Rolled{}, fmt.Errorf("roll back: %w", err)
	}
	before, _, err := runsOf(ctx, Path(dir))
	if err != nil && !openForWriting(err) && !errors.Is(err, ErrNone) && !errors.Is(err, ErrDamaged) {
		return Rolled{}, fmt.Errorf("roll back: %w", err)
	}
	maps.DeleteFunc(marks, func(run string, _ bool) bool { return before[run] })
	v, runs, err := earlier(ctx, dir, before, marks)
	if err != nil {
		return Rolled{}, err
	}
	done := Rolled{Version: v.path, Said: said}
	for run := range before {
		if !runs[run] {
			done.Out, marks[run] = append(done.Out, run), true
		}
	}
	for run := range runs {
		done.Last = max(done.Last, run)
	}
	slices.Sort(done.Out)
	// The marks come first: a crash between the two leaves marks of runs that are published,
	// which count for nothing, and not a rollback that the next start undoes.
	if err := writeMarks(dir, marks); err != nil {
		return Rolled{}, err
	}
	return done, publishAgain(dir, v.path)
}

// earlier finds the version before the published one, and its runs. Versions with runs that
// an earlier rollback took out are passed over, and so is what only builds go on from.
func earlier(ctx context.Context, dir string, before, out map[string]bool) (version, map[string]bool, error) {
	vs, err := kept(dir)
	if err != nil {
		return version{}, nil, err
	}
	info, _ := os.Stat(Path(dir)) // nil if nothing is published
	at := slices.IndexFunc(vs, func(v version) bool { return info != nil && os.SameFile(v.info, info) })
	known, err := readFingerprints(dir)
	if err != nil {
		return version{}, nil, err
	}
	for _, v := range vs[at+1:] {
		if v.onlyBase() || !genuine(known, v.path) {
			continue
		}
		runs, _, err := runsOf(ctx, v.path)
		if errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return version{}, nil, fmt.Errorf("roll back: %w", err)
		}
		// Of a published file that no version is, as of one from a backup, only the runs tell
		// what came before it.
		if holdsAny(runs, out) || at < 0 && before != nil && (len(runs) >= len(before) || !within(runs, before)) {
			continue
		}
		return v, runs, nil
	}
	return version{}, nil, fmt.Errorf("roll back %s: %w", dir, ErrNoVersion)
}

// publishAgain puts a version in the place of the published file.
func publishAgain(dir, version string) error {
	temporary := filepath.Join(dir, "warehouse", ".rollback.duckdb")
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("roll back: %w", err)
	}
	if err := os.Link(version, temporary); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return replace(temporary, Path(dir))
}

func holdsAny(runs, some map[string]bool) bool {
	for run := range some {
		if runs[run] {
			return true
		}
	}
	return false
}

func within(runs, others map[string]bool) bool {
	for run := range runs {
		if !others[run] {
			return false
		}
	}
	return true
}
