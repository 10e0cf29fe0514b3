package derive

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// What the tests need of packages above this one; external_test.go sets it.
var (
	Week      func(t testing.TB) (dir string)             // is pipelinetest.Week
	TwoNights func(t testing.TB) (dir string)             // is pipelinetest.TwoNights
	Run       func(ctx context.Context, dir string) error // starts a run, whose service must not be asked
)

// weekStart is the first night of the week.
var weekStart = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// copyOfWeek returns a copy of the data directory of the week, which a test may change.
func copyOfWeek(t *testing.T) *Deriver {
	t.Helper()
	return deriver(Week(t))
}

// copyOfTwoNights returns a copy of the data directory as it was after two nights of the week.
func copyOfTwoNights(t *testing.T) *Deriver {
	t.Helper()
	return deriver(TwoNights(t))
}

func deriver(dir string) *Deriver {
	d := Deriver{Dir: dir, Now: func() time.Time { return weekStart.AddDate(0, 1, 0) }}.withDefaults()
	return &d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hashes returns the hashes of the published tables.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := warehouse.Hashes(t.Context(), warehouse.Path(dir), t.TempDir())
	must(t, err)
	byTable := map[string]string{}
	for _, h := range all {
		byTable[h.Table] = h.Hash
	}
	return byTable
}

// tree returns every file below a directory, by name, with its size.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files := map[string]int64{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		files[path] = info.Size()
		return err
	}))
	return files
}
