package derive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// aside is the directory where a rebuild is made.
func aside(dir string) string { return filepath.Join(dir, "work", "rebuild") }

// ready is the file whose presence says that a rebuild is complete.
func ready(dir string) string { return filepath.Join(aside(dir), "ready") }

// makeReady writes the file ready when everything that was built is on disk: the switch can begin. A
// rebuild of the published runs keeps those out that were rolled back.
func (r *rebuild) makeReady(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.only != nil {
		out, err := warehouse.RolledBack(r.d.Dir, r.only)
		if err == nil {
			err = warehouse.MarkRolledBack(aside(r.d.Dir), out)
		}
		if err != nil {
			return err
		}
	}
	if err := warehouse.Prepare(ctx, r.d.Dir, aside(r.d.Dir)); err != nil {
		return err
	}
	text := "This rebuild is complete. The next start of fleetlake completes the switch to it.\n"
	if err := durable.WriteFile(ready(r.d.Dir), []byte(text), 0o644); err != nil {
		return fmt.Errorf("make ready: %w", err)
	}
	return nil
}

// settle completes the switch to a rebuild that a crash interrupted, and removes a rebuild that is not
// complete. Every writer of a data directory calls it first.
func settle(d Deriver) error {
	_, err := os.Stat(ready(d.Dir))
	switch {
	case err == nil:
		err := load.Promote(d.Dir, aside(d.Dir))
		if err == nil {
			var warnings []string
			warnings, err = warehouse.Promote(d.Dir, aside(d.Dir))
			warn(d, warnings)
		}
		if err != nil {
			return fmt.Errorf("publish what was rebuilt: %w; the next start tries again", err)
		}
		// The file ready is removed first, because RemoveAll removes the others in any order.
		if err := errors.Join(os.Remove(ready(d.Dir)), durable.SyncDir(aside(d.Dir))); err != nil {
			return fmt.Errorf("publish what was rebuilt: %w", err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look for a rebuild: %w", err)
	}
	if err := os.RemoveAll(aside(d.Dir)); err != nil {
		return fmt.Errorf("remove a rebuild: %w", err)
	}
	return nil
}
