package derive

import (
	"context"
	"path/filepath"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Unpublished returns the runs of a data directory that the next start publishes: those that are neither published
// nor rolled back nor held back. It reads the published file and names of files only, and takes no lock: a run that
// another process is harvesting or publishing now is one of them.
func Unpublished(ctx context.Context, dir string) (map[string]bool, error) {
	published, err := warehouse.PublishedRuns(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := warehouse.RolledBack(dir, published)
	if err != nil {
		return nil, err
	}
	heldBack, err := ReadHeldBack(dir)
	if err != nil {
		return nil, err
	}
	paths, err := journal.Segments(filepath.Join(dir, "journal"))
	if err != nil {
		return nil, err
	}
	waiting := map[string]bool{}
	for _, path := range paths {
		if run := journal.RunOf(path); !published[run] && !out[run] {
			waiting[run] = true
		}
	}
	for _, h := range heldBack {
		delete(waiting, h.Run)
	}
	return waiting, nil
}
