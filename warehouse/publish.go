package warehouse

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Versions is how many published files are kept, the latest included. One more is kept while
// it is the last from before the latest night: each run of a night is built on it.
const Versions = 5

// ErrNoVersion says that there is nothing to roll back to.
var ErrNoVersion = errors.New("no earlier version of the warehouse is kept")

// publish replaces the published file by the finished one. Readers keep the file that they have
// open.
func (b *Build) publish() error {
	if err := os.Chmod(b.work(), publishedMode); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := durable.Sync(b.work()); err != nil {
		return err
	}
	if err := durable.MkdirAll(versions(b.Dir), 0o755); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	version := filepath.Join(versions(b.Dir), b.RunID+".duckdb")
	if err := recordOrder(b.Dir, filepath.Base(version)); err != nil {
		return err
	}
	if err := os.Remove(version); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("publish: %w", err)
	}
	if err := os.Link(b.work(), version); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := durable.SyncDir(versions(b.Dir)); err != nil {
		return err
	}
	if err := recordFingerprints(b.Dir, b.work()); err != nil {
		return err
	}
	notices, err := removeLeftovers(b.Dir)
	if b.Warn != nil {
		for _, notice := range notices {
			b.Warn(notice)
		}
	}
	if err != nil {
		return err
	}
	if err := replace(b.work(), Path(b.Dir)); err != nil {
		return err
	}
	return b.prune()
}

func versions(dir string) string { return filepath.Join(dir, "warehouse", "versions") }

// version is a file that was published once.
type version struct {
	path  string
	place int       // in the order in which versions were published; -1 before all that have one
	at    time.Time // when it was built
	info  fs.FileInfo
}

// A rebuild leaves two versions with a single purpose: the file that was published before it, which
// only a rollback may publish, since other rules may have made it; and the one without its last
// night, which only a build may use, since it was never published.
const (
	beforeRebuild = "before-rebuild-"
	baseOnly      = "base-"
)

func (v version) onlyForRollback() bool {
	return strings.HasPrefix(filepath.Base(v.path), beforeRebuild)
}
func (v version) onlyBase() bool { return strings.HasPrefix(filepath.Base(v.path), baseOnly) }

// keptVersions lists the versions of a data directory, the latest first.
func keptVersions(dir string) ([]version, error) {
	entries, err := os.ReadDir(versions(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	order, err := readOrder(dir)
	if err != nil {
		return nil, err
	}
	var vs []version
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".duckdb") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("list versions: %w", err)
		}
		vs = append(vs, version{filepath.Join(versions(dir), e.Name()), slices.Index(order, e.Name()), info.ModTime(), info})
	}
	slices.SortFunc(vs, func(a, b version) int {
		return cmp.Or(cmp.Compare(b.place, a.place), b.at.Compare(a.at), strings.Compare(b.path, a.path))
	})
	return vs, nil
}

// publishedFiles returns the paths of the published file, which may be absent, and of its versions, the
// latest first.
func publishedFiles(dir string) ([]string, error) {
	vs, err := keptVersions(dir)
	if err != nil {
		return nil, err
	}
	paths := []string{Path(dir)}
	for _, v := range vs {
		paths = append(paths, v.path)
	}
	return paths, nil
}

// prune removes the oldest versions, except the one that this build is based on.
func (b *Build) prune() error {
	vs, err := keptVersions(b.Dir)
	if err != nil {
		return err
	}
	for _, v := range vs[min(Versions, len(vs)):] {
		if v.path == b.From {
			continue
		}
		if err := os.Remove(v.path); err != nil {
			return fmt.Errorf("remove old version: %w", err)
		}
	}
	return nil
}
