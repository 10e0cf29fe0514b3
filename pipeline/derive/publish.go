package derive

import (
	"context"
	"errors"
	"slices"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
	"github.com/fleetlake/fleetlake/warehouse"
)

// publish loads written runs into a new warehouse file, and replaces the published one with it. It holds back those
// with too many issues and those that resume them, unless AcceptIssues is set, and returns both kinds, each in the
// order of runs; the lake files of what it holds back are removed.
func (d Deriver) publish(ctx context.Context, runs []Written) (published []Written, heldBack []HeldBackRun, err error) {
	published = slices.Clone(runs)
	for len(published) > 0 {
		var manifests []load.Manifest
		for _, b := range published {
			manifests = append(manifests, b.manifest)
		}
		err := load.Publish(ctx, d.Dir, load.Options{Warn: func(words string) { d.Log.Warn(words) },
			Accounts: d.accounts}, manifests...)
		issues := (*load.IssuesError)(nil)
		if !errors.As(err, &issues) {
			return published, heldBack, err
		}
		i := slices.IndexFunc(published, func(b Written) bool { return b.Report.Run == issues.Run })
		if i < 0 {
			return nil, nil, err
		}
		if d.AcceptIssues {
			if !d.DryRun {
				if err := journal.Accept(published[i].path, d.Now().UTC()); err != nil {
					return nil, nil, err
				}
			}
			published[i].manifest.Accepted = true
			continue
		}
		out := published[i]
		published = slices.Delete(published, i, i+1)
		if published, heldBack, err = holdBack(d.Dir, out, issues.Reason, published, heldBack); err != nil {
			return nil, nil, err
		}
	}
	return published, heldBack, nil
}

// holdBack moves a run, and those that resume it, from published to heldBack.
func holdBack(dir string, out Written, reason string, published []Written, heldBack []HeldBackRun) ([]Written,
	[]HeldBackRun, error) {
	r := out.Report
	heldBack = append(heldBack, HeldBackRun{Run: r.Run, Job: r.Job, Date: r.Date, State: r.State, Reason: reason})
	if err := load.Drop(dir, out.manifest); err != nil {
		return nil, nil, err
	}
	for {
		i := slices.IndexFunc(published, func(b Written) bool { return slices.Contains(b.Report.Continues, r.Run) })
		if i < 0 {
			return published, heldBack, nil
		}
		next := published[i]
		published = slices.Delete(published, i, i+1)
		var err error
		if published, heldBack, err = holdBack(dir, next, "it resumes run "+r.Run+", which is held back", published,
			heldBack); err != nil {
			return nil, nil, err
		}
	}
}

// accounts returns what the runs up to one cost, by the journal.
func (d Deriver) accounts(last string) (all []warehouse.RunAccount, err error) {
	account, err := ledger.ReadUntil(d.Journal, last)
	if err != nil {
		return nil, err
	}
	for _, s := range account.Statements() {
		all = append(all, warehouse.RunAccount{Run: s.Run, Before: s.Before, After: s.After, Settled: s.Settled,
			Drift: s.Drift, Elsewhere: s.Elsewhere, Unproved: s.Unproved, Why: s.Why})
	}
	return all, nil
}
