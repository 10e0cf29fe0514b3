package derive

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Lacking returns a line for each file of the published runs that a data directory lacks: manifests and files of the
// lake, or the published file itself. The next run rebuilds them from the journal before its first request. Lacking
// reads file names only, and returns nothing while another process writes, because files are replaced then.
func Lacking(ctx context.Context, dir string) ([]string, error) {
	before := lastPublished(dir)
	known, err := warehouse.PublishedRuns(ctx, dir)
	if err != nil {
		return nil, err
	}
	var lacking []string
	if known == nil {
		lacking, err = unpublished(dir)
	} else {
		lacking, err = load.Missing(dir, known)
	}
	if err != nil || len(lacking) == 0 {
		return nil, err
	}
	words, err := datadir.Holder(dir)
	if err != nil || words != "" || before != lastPublished(dir) {
		return nil, err
	}
	return lacking, nil
}

// unpublished returns a line about the missing published file, if there is a run that should be in it.
func unpublished(dir string) ([]string, error) {
	heldBack, err := ReadHeldBack(dir)
	if err != nil {
		return nil, err
	}
	paths, err := journal.Segments(filepath.Join(dir, "journal"))
	if err != nil {
		return nil, err
	}
	waits := 0
	for _, path := range paths {
		if _, end, err := journal.Bounds(path); err == nil && end != nil {
			waits++
		}
	}
	if waits <= len(heldBack) {
		return nil, nil
	}
	return []string{fmt.Sprintf("%s is missing, and %d runs of the journal should be in it", warehouse.Path(dir),
		waits-len(heldBack))}, nil
}
