package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/warehouse"
)

// heal rebuilds warehouse and lake from the journal if a part of them is damaged or missing, or if
// another version of this program made them, and returns the runs that are published then. It comes
// before the first request, so that no run is paid for that could not be published.
func heal(ctx context.Context, d derive.Deriver) (map[string]bool, error) {
	known, err := warehouse.PublishedRuns(ctx, d.Dir)
	if warehouse.IsDamaged(err) && ctx.Err() == nil {
		if _, err := setAside(ctx, d); err != nil {
			return nil, err
		}
		known, err = warehouse.PublishedRuns(ctx, d.Dir)
	}
	if err != nil {
		return nil, err
	}
	if err := checkProgram(ctx, d.Dir); errors.Is(err, warehouse.ErrOtherProgram) {
		d.Log.Warn("an older or a different version of fleetlake made the warehouse: lake and warehouse are rebuilt from the journal, with 0 requests", "runs", len(known))
		if err := rebuildPublished(ctx, d, known); err != nil {
			return nil, fmt.Errorf("an older or a different version of fleetlake made the warehouse, and it cannot be rebuilt: %w", err)
		}
		return warehouse.PublishedRuns(ctx, d.Dir)
	} else if err != nil {
		return nil, err
	}
	missing, err := load.Missing(d.Dir, known)
	if err != nil || len(missing) == 0 {
		return known, err
	}
	d.Log.Error("published files are missing from the lake: lake and warehouse are rebuilt from the journal", "files", len(missing), "first", missing[0])
	if err := rebuildPublished(ctx, d, known); err != nil {
		return nil, fmt.Errorf("%s, and the lake cannot be rebuilt: %w", missing[0], err)
	}
	return warehouse.PublishedRuns(ctx, d.Dir)
}

// checkProgram returns an error if this program cannot continue the published file.
func checkProgram(ctx context.Context, dir string) error {
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(w.CheckProgram(ctx), w.Close())
}

// setAside moves damaged files of the warehouse out of the way, and reports whether there were any.
func setAside(ctx context.Context, d derive.Deriver) (bool, error) {
	aside, err := warehouse.Heal(ctx, d.Dir)
	for _, path := range aside {
		d.Log.Error("a file of the warehouse is damaged: it is set aside, and rebuilt from the journal", "file", path)
	}
	return len(aside) > 0, err
}

// Retry calls f, which reads or publishes the warehouse. If f reports that its file is damaged, Retry
// sets the file aside, publishes its runs again from the journal, and calls f once more. The caller
// holds the lock.
func Retry(ctx context.Context, d derive.Deriver, f func() error) error {
	d = d.WithDefaults()
	err := f()
	if !warehouse.IsDamaged(err) || errors.Is(err, journal.ErrDamaged) || ctx.Err() != nil {
		return err
	}
	found, again := setAside(ctx, d)
	if again != nil || !found {
		return errors.Join(err, again)
	}
	if _, err := Recover(ctx, d); err != nil {
		return err
	}
	return f()
}
