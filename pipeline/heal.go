package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
)

// heal rebuilds warehouse and lake from the journal if a part of them is damaged or missing, or if
// another version of this program made them, and returns the runs that are published then. It comes
// before the first request, so that no run is paid for that could not be published.
func (p *Pipeline) heal(ctx context.Context) (map[string]bool, error) {
	known, err := p.published(ctx)
	if warehouse.IsDamaged(err) && ctx.Err() == nil {
		if _, err := p.setAside(ctx); err != nil {
			return nil, err
		}
		known, err = p.published(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := p.checkProgram(ctx); errors.Is(err, warehouse.ErrOtherProgram) {
		p.Log.Warn("an older or a different version of fleetlake made the warehouse: lake and warehouse are rebuilt from the journal, with 0 requests", "runs", len(known))
		if _, err := p.rebuild(ctx, RebuildOptions{only: known}); err != nil {
			return nil, fmt.Errorf("an older or a different version of fleetlake made the warehouse, and it cannot be rebuilt: %w", err)
		}
		return p.published(ctx)
	} else if err != nil {
		return nil, err
	}
	reason, err := p.faultOfLake(known)
	if err != nil || reason == "" {
		return known, err
	}
	if _, err := p.rebuild(ctx, RebuildOptions{only: known}); err != nil {
		return nil, fmt.Errorf("%s, and the lake cannot be rebuilt: %w", reason, err)
	}
	return p.published(ctx)
}

// faultOfLake returns, and logs, why the lake of the published runs must be rebuilt; empty if it need
// not be. Files with other columns than this program's could not be loaded again, and readers of the
// lake expect one set of columns in all of it.
func (p *Pipeline) faultOfLake(known map[string]bool) (string, error) {
	missing, err := load.Missing(p.Dir, known)
	if err != nil {
		return "", err
	}
	if len(missing) > 0 {
		p.Log.Error("published files are missing from the lake: lake and warehouse are rebuilt from the journal", "files", len(missing), "first", missing[0])
		return missing[0], nil
	}
	outdated, err := load.Outdated(p.Dir, known)
	if err != nil || len(outdated) == 0 {
		return "", err
	}
	p.Log.Warn("an older or a different version of fleetlake wrote the lake: lake and warehouse are rebuilt from the journal, with 0 requests", "runs", len(outdated))
	return fmt.Sprintf("an older or a different version of fleetlake wrote the lake files of %d runs", len(outdated)), nil
}

// checkProgram returns an error if this program cannot continue the published file.
func (p *Pipeline) checkProgram(ctx context.Context) error {
	w, err := warehouse.Open(ctx, warehouse.Path(p.Dir), warehouse.Options{MemoryMiB: warehouse.DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(w.CheckProgram(ctx), w.Close())
}

// setAside moves damaged files of the warehouse out of the way, and reports whether there were any.
func (p *Pipeline) setAside(ctx context.Context) (bool, error) {
	aside, err := warehouse.Heal(ctx, p.Dir)
	for _, path := range aside {
		p.Log.Error("a file of the warehouse is damaged: it is set aside, and rebuilt from the journal", "file", path)
	}
	return len(aside) > 0, err
}

// healing calls f. If f reports a damaged warehouse, healing sets the file aside, publishes its runs
// again from the journal, and calls f once more.
func (p *Pipeline) healing(ctx context.Context, f func() error) error {
	err := f()
	if !warehouse.IsDamaged(err) || errors.Is(err, journal.ErrDamaged) || ctx.Err() != nil {
		return err
	}
	found, again := p.setAside(ctx)
	if again != nil || !found {
		return errors.Join(err, again)
	}
	if _, err := p.Recover(ctx); err != nil {
		return err
	}
	return f()
}
