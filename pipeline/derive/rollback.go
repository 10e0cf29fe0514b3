package derive

import (
	"context"
	"slices"

	"github.com/fleetlake/fleetlake/warehouse"
)

// Rollback publishes the previous version. The runs that this removes from the warehouse stay out: no start publishes
// them again, and no run resumes them. Their credits count as spent. It returns warehouse.ErrNoVersion if there is no
// previous version. The caller holds the lock.
func Rollback(ctx context.Context, d Deriver) (warehouse.RollbackResult, error) {
	d = d.withDefaults()
	if err := settle(d); err != nil {
		return warehouse.RollbackResult{}, err
	}
	return warehouse.Rollback(ctx, d.Dir)
}

// UndoRollback publishes the runs again that rollbacks removed, from the journal, and returns their ids in order. A
// crash can leave runs that are no longer marked and not published yet: it publishes and returns those, too. It
// returns none if there was no rollback. With an error it returns the ids, too: the next start publishes these runs.
// The caller holds the lock.
func UndoRollback(ctx context.Context, d Deriver) ([]string, error) {
	d = d.withDefaults()
	back, err := warehouse.ForgetRolledBack(d.Dir)
	if err != nil {
		return nil, err
	}
	published, err := Recover(ctx, d)
	for _, r := range published {
		back = append(back, r.Run)
	}
	slices.Sort(back)
	return slices.Compact(back), err
}
