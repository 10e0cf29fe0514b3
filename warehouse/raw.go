package warehouse

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/inputs"
)

// RawOperation is an operation of which the service documents no field: its answers are whole in raw_answers, and the
// view raw_NAME has them, with the columns that the configuration defines.
type RawOperation struct {
	Name    string      `json:"name"`
	Rows    string      `json:"rows,omitempty"` // the JSON path of the list whose elements are the rows of the view; empty for a row an answer
	Columns []RawColumn `json:"columns,omitempty"`
}

// RawColumn is a column of such a view: a name, the JSON path of its value, and one of RawTypes.
type RawColumn struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Type string `json:"type"`
}

// RawTypes are the types that a column of the view of a raw operation can have. A value that is none of its type is NULL.
var RawTypes = []string{"VARCHAR", "INTEGER", "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMPTZ"}

// RawView returns the name of the view of a raw operation.
func RawView(operation string) string { return "raw_" + strings.ReplaceAll(operation, "-", "_") }

// RawNamePattern matches the name of a raw operation, and RawColumnPattern that of a column of its view.
var (
	RawNamePattern   = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	RawColumnPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)
)

// RawViewColumns are the columns that the view of every raw operation has.
var RawViewColumns = []string{"vessel_id", "asked", "seen_at", "body", "snapshot_date", "run_id", "entry"}

// defineRaw keeps the definitions of the runs' raw operations, a later one in place of an earlier one, and makes the
// views of all whose answers the file has. A definition that no configuration could have is left out.
func (t *Tx) defineRaw(ctx context.Context, runs []Run) error {
	changed := t.hasRows["raw_answers"]
	for _, r := range runs {
		for _, o := range r.Raw {
			text, err := json.Marshal(o)
			if err != nil {
				return fmt.Errorf("definition of %s: %w", o.Name, err)
			}
			changed = true
			if _, err := t.tx.ExecContext(ctx, statement("raw/define"), o.Name, string(text), r.ID); err != nil {
				return fmt.Errorf("definition of %s: %w", o.Name, unwrapped(err))
			}
		}
	}
	if !changed {
		return nil
	}
	all, err := collect(ctx, t.tx, "raw/operations", func(rows *sql.Rows) (o RawOperation, err error) {
		var name, definition string
		if err = rows.Scan(&name, &definition); err == nil && definition != "" {
			err = json.Unmarshal([]byte(definition), &o)
		}
		o.Name = name
		return o, err
	})
	if err != nil {
		return err
	}
	for _, o := range all {
		if !RawNamePattern.MatchString(o.Name) {
			continue
		}
		o.Columns = slices.DeleteFunc(o.Columns, func(c RawColumn) bool {
			return !RawColumnPattern.MatchString(c.Name) || !slices.Contains(RawTypes, c.Type) || slices.Contains(RawViewColumns, c.Name)
		})
		if err := t.exec(ctx, RawView(o.Name), filled("raw/view", rawView{o})); err != nil {
			return err
		}
	}
	return nil
}

// rawView is a raw operation as the template of its view reads it.
type rawView struct{ RawOperation }

func (v rawView) View() string      { return RawView(v.Name) }
func (v rawView) Operation() string { return quote(v.Name) }
func (v rawView) List() string      { return quote(v.Rows) }
func (v rawView) From() string {
	if v.Rows == "" {
		return "r.body"
	}
	return "u.element"
}
func (v rawView) About() string {
	return quote("The answers of the operation " + v.Name + ", whole: the service does not document its fields. Columns of yours are named under operations in fleetlake.yaml.")
}

// Quoted is the path as SQL, and About what the column means.
func (c RawColumn) Quoted() string { return quote(c.Path) }
func (c RawColumn) About() string {
	return quote("What the configuration reads at " + c.Path + "; NULL where that is no " + c.Type + ".")
}

// mostVessels bounds the rows that VesselsOf reads: more vessels than the world has.
const mostVessels = 2_000_000

// VesselsOf returns the vessels that a statement names, as texts: in its column vessel_id, imo or mmsi, or else in its
// first; NULL is left out. Its errors are those of Query, and one for more rows than the world has vessels.
func (w *Warehouse) VesselsOf(ctx context.Context, text string) ([]string, error) {
	rows, err := w.Query(ctx, text)
	if err != nil {
		return nil, err
	}
	column := 0
	for _, name := range []string{"vessel_id", "imo", "mmsi"} {
		if i := slices.Index(rows.Columns, name); i >= 0 {
			column = i
			break
		}
	}
	var all []string
	for row, err := range rows.All() {
		if err == nil && len(all) == mostVessels {
			err = fmt.Errorf("more than %d rows", mostVessels)
		}
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if row[column] != nil {
			all = append(all, fmt.Sprint(row[column]))
		}
	}
	return all, rows.Close()
}

// Asked returns when each request of some operations was last answered; that there is nothing is an answer, too.
func (w *Warehouse) Asked(ctx context.Context, operations []string) ([]inputs.Asked, error) {
	return collect(ctx, w.db, "read/asked", func(rows *sql.Rows) (a inputs.Asked, err error) {
		var at time.Time
		err = rows.Scan(&a.Operation, &a.Parameters, &at)
		a.At = at.UTC()
		return a, err
	}, operations)
}

// Bulk returns what the last answers of the bulk location search had, as of now.
func (w *Warehouse) Bulk(ctx context.Context, operation string, now time.Time) (b inputs.Bulk, err error) {
	err = w.db.QueryRowContext(ctx, statement("read/bulk"), operation, now.UTC()).Scan(&b)
	return b, unwrapped(err)
}
