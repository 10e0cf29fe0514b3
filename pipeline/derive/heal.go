package derive

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
)

// heal rebuilds warehouse and lake from the journal if a part of them is damaged or missing, or if
// another version of this program made them, and opens the published file as it is then. It comes
// before the first request, so that no run is paid for that could not be published.
func heal(ctx context.Context, d Deriver) (*warehouse.Published, error) {
	known, err := warehouse.OpenPublished(ctx, d.Dir)
	if warehouse.IsDamaged(err) && ctx.Err() == nil {
		if _, err := setAside(ctx, d); err != nil {
			return nil, err
		}
		known, err = warehouse.OpenPublished(ctx, d.Dir)
	}
	if err != nil {
		return nil, err
	}
	cause, err := causeToRebuild(ctx, d, known)
	if err == nil && cause == "" {
		return known, nil
	}
	if err := errors.Join(err, known.Close()); err != nil {
		return nil, err
	}
	if err := rebuildPublished(ctx, d, known.Runs); err != nil {
		return nil, fmt.Errorf("%s cannot be rebuilt: %w", cause, err)
	}
	return warehouse.OpenPublished(ctx, d.Dir)
}

// causeToRebuild logs why lake and warehouse must be rebuilt, and returns the cause as the beginning of an error; ""
// if this program can continue them. A file that it cannot read, or that a newer program made, is an error.
func causeToRebuild(ctx context.Context, d Deriver, known *warehouse.Published) (string, error) {
	if err := known.CheckProgram(ctx); errors.Is(err, warehouse.ErrOtherProgram) {
		d.Log.Warn("an older or a different version of fleetlake made the warehouse: lake and warehouse are rebuilt "+
			"from the journal, with 0 requests", "runs", len(known.Runs))
		return "an older or a different version of fleetlake made the warehouse, and it", nil
	} else if err != nil {
		return "", err
	}
	missing, err := load.Missing(d.Dir, known.Runs)
	if err != nil {
		return "", err
	}
	if len(missing) > 0 {
		d.Log.Error("published files are missing from the lake: lake and warehouse are rebuilt from the journal",
			"files", len(missing), "first", missing[0])
		return missing[0] + ", and the lake", nil
	}
	outdated, err := load.Outdated(d.Dir, known.Runs) // readers of the lake expect one set of columns in all of it
	if err != nil || len(outdated) == 0 {
		return "", err
	}
	d.Log.Warn("an older or a different version of fleetlake wrote the lake: lake and warehouse are rebuilt from "+
		"the journal, with 0 requests", "runs", len(outdated))
	return fmt.Sprintf("an older or a different version of fleetlake wrote the lake files of %d runs, and the lake",
		len(outdated)), nil
}

// setAside moves damaged files of the warehouse out of the way, and reports whether there were any.
func setAside(ctx context.Context, d Deriver) (bool, error) {
	aside, err := warehouse.Heal(ctx, d.Dir)
	for _, path := range aside {
		d.Log.Error("a file of the warehouse is damaged: it is set aside, and rebuilt from the journal", "file", path)
	}
	return len(aside) > 0, err
}

// Retry calls f, which reads or publishes the warehouse. If f reports that its file is damaged,
// Retry sets the file aside, publishes its runs again from the journal, and calls f once more. It
// returns the error of the last call of f, or that of Recover, which kept it from the second call.
// A damaged journal is not retried. The caller holds the lock.
func Retry(ctx context.Context, d Deriver, f func() error) error {
	d = d.withDefaults()
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
