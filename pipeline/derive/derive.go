package derive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"go.opentelemetry.io/otel/attribute"
)

// Deriver turns segments of the journal into the published rows of a data directory.
type Deriver struct {
	Dir     string
	Journal string             // the directory of the segments; "" is journal below Dir
	Now     func() time.Time   // nil is time.Now
	Log     *slog.Logger       // nil discards
	Phase   func(phase string) // called when a phase begins: derive, publish; may be nil

	// AcceptIssues also publishes runs that load.ErrIssues would hold back, and records in their
	// segments that a person accepted them. A DryRun records nothing.
	AcceptIssues bool
	DryRun       bool
}

// withDefaults returns the deriver with its empty fields set.
func (d Deriver) withDefaults() Deriver {
	if d.Journal == "" {
		d.Journal = filepath.Join(d.Dir, "journal")
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Phase == nil {
		d.Phase = func(string) {}
	}
	return d
}

// Derive publishes the runs of segments, and returns the reports of those that it published, the
// oldest first. It returns a HeldBackError if it held runs back, datadir.ErrLocked if another process
// may write into the data directory, journal.ErrDamaged with what to do about it, and an error for
// which warehouse.IsDamaged is true if the published file cannot be continued.
func (d Deriver) Derive(ctx context.Context, paths ...string) (reports []report.Report, err error) {
	d = d.withDefaults()
	// Rows and pages are most of the memory of a run: an early collection frees it for DuckDB.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	paths, err = d.withHeldBack(paths)
	if err != nil {
		return nil, err
	}
	var heldBack []HeldBackRun
	for _, some := range chunksOf(nightsOf(paths)) {
		runs, err := d.writeAll(ctx, some)
		if err != nil {
			return nil, err
		}
		debug.FreeOSMemory() // writing the files left garbage, and DuckDB needs the memory
		published, out, err := d.publishAll(ctx, runs)
		if err != nil {
			return nil, err
		}
		heldBack = append(heldBack, out...)
		for _, w := range published {
			reports = append(reports, w.Report)
		}
	}
	if err := UpdateHeldBack(d.Dir, heldBack, runsOf(reports)); err != nil {
		return nil, err
	}
	if len(heldBack) > 0 {
		err = &HeldBackError{heldBack}
	}
	return reports, err
}

// writeAll writes the lake files of segments, each in a span of its own.
func (d Deriver) writeAll(ctx context.Context, paths []string) ([]Written, error) {
	var runs []Written
	for _, path := range paths {
		d.Phase("derive")
		_, span := StartSpan(ctx, "transform", attribute.String("fleetlake.run", journal.RunOf(path)))
		w, err := d.Write(path)
		EndSpan(span, &err)
		if err != nil {
			return nil, err
		}
		runs = append(runs, w)
	}
	return runs, nil
}

// publishAll publishes written runs, if this process still has the lock of the data directory.
func (d Deriver) publishAll(ctx context.Context, runs []Written) (published []Written, heldBack []HeldBackRun, err error) {
	d.Phase("publish")
	ctx, span := StartSpan(ctx, "publish", attribute.Int("fleetlake.runs", len(runs)))
	defer EndSpan(span, &err)
	if err := datadir.StillLocked(d.Dir); err != nil {
		return nil, nil, err
	}
	return d.publish(ctx, runs)
}

// nightsOf sorts segments, given by their paths, into the nights of their runs: the oldest night
// first, and in a night the oldest run.
func nightsOf(paths []string) (nights [][]string) {
	paths = slices.Clone(paths)
	dateOf := func(path string) string { return filepath.Base(filepath.Dir(path)) }
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(strings.Compare(dateOf(a), dateOf(b)), strings.Compare(a, b))
	})
	for _, path := range paths {
		last := len(nights) - 1
		if last >= 0 && dateOf(nights[last][0]) == dateOf(path) {
			nights[last] = append(nights[last], path)
		} else {
			nights = append(nights, []string{path})
		}
	}
	return nights
}

// chunk is how many nights one publish loads. More nights cost memory, which is written out at the
// end only; each publish copies the whole file.
const chunk = 30

// chunksOf joins the segments of nights that are published together: up to 30 nights, in their order.
func chunksOf(nights [][]string) (some [][]string) {
	for night := range slices.Chunk(nights, chunk) {
		some = append(some, slices.Concat(night...))
	}
	return some
}

// withAdvice adds what to do about a damaged segment to its error; it returns any other as it is.
func withAdvice(err error) error {
	if !errors.Is(err, journal.ErrDamaged) {
		return err
	}
	return fmt.Errorf("%w; put a good copy in its place, or let `fleetlake verify --salvage` recover its undamaged entries", err)
}

func runsOf(reports []report.Report) map[string]bool {
	runs := map[string]bool{}
	for _, r := range reports {
		runs[r.Run] = true
	}
	return runs
}
