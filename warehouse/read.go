package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"github.com/fleetlake/fleetlake/warehouse/inputs"
	"time"
)

// Run is one row of runs. Credits and balances are in credits; an unknown balance is nil. Times are
// UTC. Its JSON is part of the run's manifest.
type Run struct {
	ID             string    `json:"run_id"`
	Job            string    `json:"job"`
	Date           string    `json:"snapshot_date"` // YYYY-MM-DD
	Started        time.Time `json:"started_at"`
	Finished       time.Time `json:"finished_at"`
	State          string    `json:"state"`
	Stop           string    `json:"stop,omitempty"`
	Reason         string    `json:"reason,omitempty"`
	Requests       int       `json:"requests"`
	CreditsPlanned int       `json:"credits_planned"`
	CreditsSpent   int       `json:"credits_spent"`
	CreditsUnknown int       `json:"credits_unknown"`
	BalanceBefore  *int      `json:"balance_before"`
	BalanceAfter   *int      `json:"balance_after"`
	Continues      string    `json:"continues,omitempty"` // run ids, separated by commas
	Rows           int64     `json:"rows"`
	Report         string    `json:"report,omitempty"` // JSON

	Raw []RawOperation `json:"raw,omitempty"` // operations of its questions, each of which gets a view
}

// Turnover returns what status searches of the last sixty nights show of how often vessels leave: a
// span for each status and zone. Category is the status, Flag the zone, and Dataset is as given. Its errors are
// those of reading, as Warehouse describes.
func (w *Warehouse) Turnover(ctx context.Context, dataset string) ([]inputs.Span, error) {
	return collect(ctx, w.db, "read/turnover", func(rows *sql.Rows) (inputs.Span, error) {
		s := inputs.Span{Dataset: dataset}
		err := rows.Scan(&s.Category, &s.Flag, &s.Unchanged, &s.Changes, &s.Within)
		return s, err
	})
}

// targetsAtOnce is how many vessels Targets joins and reads at a time, for which 96 MiB are enough.
const targetsAtOnce = 100_000

// Targets lists the vessels, in the order of their ids. Its errors are those of reading, as
// Warehouse describes.
func (w *Warehouse) Targets(ctx context.Context) ([]inputs.Target, error) {
	return w.targets(ctx, targetsAtOnce)
}

// targets is Targets, with so many vessels at a time.
func (w *Warehouse) targets(ctx context.Context, atOnce int) ([]inputs.Target, error) {
	type part struct {
		last    string
		vessels int
	}
	parts, err := collect(ctx, w.db, "read/target_parts", func(rows *sql.Rows) (p part, err error) {
		return p, rows.Scan(&p.last, &p.vessels)
	}, atOnce)
	if err != nil {
		return nil, err
	}
	n, after := 0, ""
	for _, p := range parts {
		n += p.vessels
	}
	targets, text, scan := make([]inputs.Target, 0, n), filled("read/targets", nil), scanTarget() // growing it would need three times the memory
	for _, p := range parts {
		if targets, err = collectRows(ctx, w.db, targets, text, scan, sql.Named("after", after), sql.Named("last", p.last)); err != nil {
			return nil, fmt.Errorf("read/targets: %w", err)
		}
		after = p.last
	}
	return targets, nil
}

// scanTarget returns what reads a target from a row. Flags, types and the like are stored once each.
func scanTarget() func(*sql.Rows) (inputs.Target, error) {
	few := map[string]string{}
	return func(rows *sql.Rows) (t inputs.Target, err error) {
		var at [7]sql.NullTime
		err = rows.Scan(&t.VesselID, &t.IMO, &t.MMSI, &t.IsVessel, &t.Category, &t.Listed, &at[0], &at[1], &at[2], &at[3], &at[4], &at[5],
			&t.Name, &t.Flag, &t.VesselType, &t.Status, &t.Zone, &t.Versions, &t.AgeBand, &at[6])
		t.ParticularsAt, t.EngineAt, t.ManagementAt, t.PositionAt, t.ChangedAt, t.FirstSeen = at[0].Time, at[1].Time, at[2].Time, at[3].Time, at[4].Time, at[5].Time
		t.MissingSince = at[6].Time
		for _, s := range []*string{&t.Category, &t.Flag, &t.VesselType, &t.Status, &t.Zone} {
			if kept, ok := few[*s]; ok {
				*s = kept
			} else {
				few[*s] = *s
			}
		}
		return t, err
	}
}

// Totals lists the partitions that have been covered completely at least once. Its errors are those
// of reading, as Warehouse describes.
func (w *Warehouse) Totals(ctx context.Context) ([]inputs.Total, error) {
	return collect(ctx, w.db, "read/totals", func(rows *sql.Rows) (t inputs.Total, err error) {
		var n sql.NullInt64
		var at sql.NullTime
		err = rows.Scan(&t.Operation, &t.Kind, &t.Value, &n, &at)
		t.Rows, t.At = int(n.Int64), at.Time
		return t, err
	})
}

// Runs lists the latest runs, the newest first; a limit of 0 is all. Its errors are those of
// reading, as Warehouse describes.
func (w *Warehouse) Runs(ctx context.Context, limit int) ([]Run, error) {
	return w.RunsUpTo(ctx, "", limit)
}

// RunsUpTo is Runs without those that began after the run of an id; without an id it lists all.
func (w *Warehouse) RunsUpTo(ctx context.Context, id string, limit int) ([]Run, error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	var upTo any
	if id != "" {
		upTo = id
	}
	return collect(ctx, w.db, "read/runs", scanRun, sql.Named("run", nil), sql.Named("up_to", upTo), sql.Named("limit", limit))
}

// ErrNoRun says that no published run has this id.
var ErrNoRun = errors.New("no such run is published")

// Run returns the run of an id, or ErrNoRun.
func (w *Warehouse) Run(ctx context.Context, id string) (Run, error) {
	runs, err := collect(ctx, w.db, "read/runs", scanRun, sql.Named("run", id), sql.Named("up_to", nil), sql.Named("limit", 1))
	if err == nil && len(runs) == 0 {
		err = ErrNoRun
	}
	if err != nil {
		return Run{}, fmt.Errorf("run %s: %w", id, err)
	}
	return runs[0], nil
}

func scanRun(rows *sql.Rows) (r Run, err error) {
	var started, finished sql.NullTime
	var requests, planned, spent, unknown, before, after, n sql.NullInt64
	err = rows.Scan(&r.ID, &r.Job, &r.Date, &started, &finished, &r.State, &r.Stop, &r.Reason, &requests,
		&planned, &spent, &unknown, &before, &after, &r.Continues, &n, &r.Report)
	r.Started, r.Finished, r.Requests = started.Time, finished.Time, int(requests.Int64)
	r.CreditsPlanned, r.CreditsSpent, r.CreditsUnknown = int(planned.Int64), int(spent.Int64), int(unknown.Int64)
	r.BalanceBefore, r.BalanceAfter, r.Rows = known(before), known(after), n.Int64
	return r, err
}

func known(n sql.NullInt64) *int {
	if !n.Valid {
		return nil
	}
	i := int(n.Int64)
	return &i
}

// Published returns the ids of the runs whose answers are in the file. It returns ErrDamaged if the
// file is damaged.
func (w *Warehouse) Published(ctx context.Context) (map[string]bool, error) {
	published, err := collectSet[string](ctx, w.db, "read/published")
	if err != nil && damaged(err) {
		err = fmt.Errorf("%w (%v)", ErrDamaged, err)
	}
	return published, err
}

// RowsOfRun returns how many rows of some tables came from a run, by table: of tables with the column run_id. Another
// table is DuckDB's error.
func (w *Warehouse) RowsOfRun(ctx context.Context, run string, tables ...string) (map[string]int64, error) {
	return collectCounts(ctx, w.db, filled("read/rows_of_run", tables), run)
}

// ParquetRows returns the number of rows of the Parquet files at some paths, from their footers. A file
// that is absent or no Parquet file is DuckDB's error.
func (w *Warehouse) ParquetRows(ctx context.Context, paths ...string) (map[string]int64, error) {
	return collectCounts(ctx, w.db, statement("read/parquet_rows"), paths)
}

// Collect runs one statement that reads and returns its rows as scan reads them; nil without rows.
// It stops at the first error of scan, which it returns like one of reading.
func Collect[T any](ctx context.Context, w *Warehouse, text string, scan func(*sql.Rows) (T, error), args ...any) ([]T, error) {
	return collectRows[T](ctx, w.db, nil, text, scan, args...)
}

// querier is a database, or a transaction in it.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect runs a statement of sql/ and reads its rows.
func collect[T any](ctx context.Context, db querier, name string, read func(*sql.Rows) (T, error), args ...any) ([]T, error) {
	all, err := collectRows(ctx, db, nil, statement(name), read, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// collectSet runs a named statement that reads one column, and returns its values.
func collectSet[T comparable](ctx context.Context, db querier, name string, args ...any) (map[T]bool, error) {
	all, err := collect(ctx, db, name, func(rows *sql.Rows) (value T, err error) {
		return value, rows.Scan(&value)
	}, args...)
	set := make(map[T]bool, len(all))
	for _, value := range all {
		set[value] = true
	}
	return set, err
}

// collectRows runs a statement that reads and appends its rows to some.
func collectRows[T any](ctx context.Context, db querier, all []T, text string, scan func(*sql.Rows) (T, error), args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, unwrapped(err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, unwrapped(err)
		}
		all = append(all, one)
	}
	return all, unwrapped(rows.Err())
}

// Refused returns the IMO and MMSI numbers for which lookups, by some operations, found no vessel, and which are not
// due for another lookup at the moment now.
func (w *Warehouse) Refused(ctx context.Context, now time.Time, lookups []string) (map[string]bool, error) {
	return collectSet[string](ctx, w.db, "read/refused", now.UTC(), lookups)
}

// Answered returns the IMO and MMSI numbers for which lookups by one of some operations found a vessel
// since a moment.
func (w *Warehouse) Answered(ctx context.Context, since time.Time, operations []string) (map[int]bool, error) {
	return collectSet[int](ctx, w.db, "read/answered", since.UTC(), operations)
}

// Rates returns what answers show of how often some datasets change, and the registration: one span or
// several for each group of vessels. A position is not among them. Its errors are those of reading, as
// Warehouse describes.
func (w *Warehouse) Rates(ctx context.Context, datasets []string) ([]inputs.Span, error) {
	var all []inputs.Span
	for _, dataset := range append([]string{"registration"}, datasets...) {
		if dataset == "position" {
			continue // a ship under way has another one at every observation
		}
		spans, err := Collect(ctx, w, filled("read/rates", nil), func(rows *sql.Rows) (inputs.Span, error) {
			s := inputs.Span{Dataset: dataset}
			err := rows.Scan(&s.Category, &s.Flag, &s.AgeBand, &s.Unchanged, &s.Changes, &s.Within, &s.Signals, &s.Followed)
			return s, err
		}, dataset)
		if err != nil {
			return nil, fmt.Errorf("rates of %s: %w", dataset, err)
		}
		all = append(all, spans...)
	}
	return all, nil
}
