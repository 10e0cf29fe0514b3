package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Ledger is what was spent since a day, and what the service's balance says about it.
type Ledger struct {
	Days     []LedgerDay     `json:"days"`
	Outcomes []LedgerOutcome `json:"outcomes"`
	Tables   []LedgerTable   `json:"tables"`
	Runs     []LedgerRun     `json:"runs"`
}

// LedgerDay sums up the requests of one day, job and operation.
type LedgerDay struct {
	Day       string `json:"day"` // UTC
	Job       string `json:"job"`
	Operation string `json:"operation"`
	Requests  int    `json:"requests"`
	Answers   int    `json:"answers"` // even with an empty result
	Credits   int    `json:"credits"`
	Unknown   int    `json:"unknown"` // the part of Credits that may not have been billed
	Rows      int64  `json:"rows"`

	PerThousand *float64 `json:"credits_per_1000_rows"` // nil without rows

	// These are of the job's runs that began that day, and only in the row of the operation credits.
	Balance   *int `json:"balance,omitempty"`
	NotBilled int  `json:"not_billed,omitempty"` // of Unknown over all operations, as the balance shows
	Drift     *int `json:"drift,omitempty"`
}

// LedgerOutcome sums up the requests of one operation with the same outcome.
type LedgerOutcome struct {
	Operation string `json:"operation"`
	Outcome   string `json:"outcome"`
	Charge    string `json:"charge"` // how the credits are known
	Requests  int    `json:"requests"`
	Credits   int    `json:"credits"`
	Unknown   int    `json:"unknown"`
	Rows      int64  `json:"rows"`
}

// LedgerTable has the cost of the rows of a lake table.
type LedgerTable struct {
	Table       string   `json:"table"`
	Credits     float64  `json:"credits"`
	Rows        int64    `json:"rows"`
	PerThousand *float64 `json:"credits_per_1000_rows"` // nil without rows
}

// LedgerRun compares our count of a run with the service's. Unknown values are nil.
type LedgerRun struct {
	Run       string `json:"run"`
	Job       string `json:"job"`
	Before    *int   `json:"before"`
	After     *int   `json:"after"`
	Spent     int    `json:"spent"`
	Unknown   int    `json:"unknown"` // the part of Spent that may not have been billed
	Billed    *int   `json:"billed"`
	Settled   int    `json:"settled"`   // Spent, less what later balances prove not to have been billed
	Drift     *int   `json:"drift"`     // Billed minus Settled; 0 if Unproved explains it
	Elsewhere *int   `json:"elsewhere"` // by how much the balance decreased between the previous run and this one
	Unproved  int    `json:"unproved"`  // the part of Settled of which no balance tells whether it was billed
	Why       string `json:"why,omitempty"`
}

// ErrOlder says that the file lacks what this program reads from it, because an older program made it.
var ErrOlder = errors.New("an older version of fleetlake published the warehouse: the next run, or `fleetlake rebuild`, " +
	"builds it again from the journal, with 0 requests")

// Ledger reads the ledger since a day (UTC). All its amounts are credits. It returns ErrOlder for a
// file of an older program.
func (w *Warehouse) Ledger(ctx context.Context, since time.Time) (Ledger, error) {
	var l Ledger
	var there bool
	if err := w.db.QueryRowContext(ctx, statement("read/has_ledger")).Scan(&there); err != nil {
		return l, fmt.Errorf("read ledger: %w", unwrapped(err))
	}
	if !there {
		return l, fmt.Errorf("read ledger: %w", ErrOlder)
	}
	var err [4]error
	since = since.UTC()
	l.Days, err[0] = collect(ctx, w.db, "credits/by_day", func(rows *sql.Rows) (d LedgerDay, err error) {
		return d, rows.Scan(&d.Day, &d.Job, &d.Operation, &d.Requests, &d.Answers, &d.Credits, &d.Unknown, &d.Rows, &d.PerThousand, &d.Balance, &d.NotBilled, &d.Drift)
	}, since)
	l.Outcomes, err[1] = collect(ctx, w.db, "credits/by_outcome", func(rows *sql.Rows) (o LedgerOutcome, err error) {
		return o, rows.Scan(&o.Operation, &o.Outcome, &o.Charge, &o.Requests, &o.Credits, &o.Unknown, &o.Rows)
	}, since)
	l.Tables, err[2] = collect(ctx, w.db, "credits/by_table", func(rows *sql.Rows) (t LedgerTable, err error) {
		return t, rows.Scan(&t.Table, &t.Credits, &t.Rows, &t.PerThousand)
	}, since)
	l.Runs, err[3] = collect(ctx, w.db, "credits/by_run", func(rows *sql.Rows) (r LedgerRun, err error) {
		return r, rows.Scan(&r.Run, &r.Job, &r.Before, &r.After, &r.Spent, &r.Unknown, &r.Billed, &r.Settled, &r.Drift, &r.Elsewhere, &r.Unproved, &r.Why)
	}, since)
	return l, errors.Join(err[:]...)
}

// RunAccount is what a run costs by the account of the journal, in credits. Unknown values are nil.
type RunAccount struct {
	Run           string
	Before, After *int // the balance
	Settled       int
	Drift         *int
	Elsewhere     *int
	Unproved      int
	Why           string
}

// SetRunAccounts replaces what is known of the cost of runs.
func (t *Tx) SetRunAccounts(ctx context.Context, all []RunAccount) error {
	r := Reference{Table: "internal.run_accounts", Columns: []string{"run_id", "balance_before", "balance_after", "settled", "drift", "elsewhere", "unproved", "why"}}
	digits := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	for _, a := range all {
		r.Rows = append(r.Rows, []string{a.Run, digits(a.Before), digits(a.After), strconv.Itoa(a.Settled), digits(a.Drift), digits(a.Elsewhere), strconv.Itoa(a.Unproved), a.Why})
	}
	if err := r.fill(ctx, t.tx); err != nil {
		return fmt.Errorf("set the accounts of runs: %w", unwrapped(err))
	}
	return nil
}
