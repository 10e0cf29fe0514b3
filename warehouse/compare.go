package warehouse

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// volatile lists the only columns in which two equal files may differ: a fingerprint is DuckDB's
// own hash, which another version of DuckDB computes in another way.
var volatile = []string{"fingerprint"}

// Comparison compares two files, table by table in the order of their names.
type Comparison []TableComparison

// TableComparison compares one table of two files. Equal hashes mean equal rows, except for
// their order and the volatile columns.
type TableComparison struct {
	Table      string            `json:"table"`
	RowsBefore int64             `json:"rows_before"`
	RowsAfter  int64             `json:"rows_after"`
	HashBefore string            `json:"hash_before,omitempty"` // empty if the file has no such table
	HashAfter  string            `json:"hash_after,omitempty"`
	OnlyBefore int64             `json:"only_before"` // rows whose keys the file after lacks
	OnlyAfter  int64             `json:"only_after"`
	Changed    int64             `json:"changed"` // rows of the same keys with other values
	Fields     []FieldComparison `json:"fields,omitempty"`
	Columns    []string          `json:"columns,omitempty"` // columns that only one of the files has
}

// Same reports whether the two files have equal rows and columns in this table.
func (t TableComparison) Same() bool { return t.HashBefore == t.HashAfter && len(t.Columns) == 0 }

// FieldComparison is a field in which rows of the same keys differ.
type FieldComparison struct {
	Field   string `json:"field"`
	Rows    int64  `json:"rows"`
	Example string `json:"example"` // the keys of a row, its value before and its value after
}

// Same reports whether all tables of the two files are the same.
func (c Comparison) Same() bool {
	return !slices.ContainsFunc(c, func(t TableComparison) bool { return !t.Same() })
}

// Compare compares the files at two paths, and returns a TableComparison for each table of either,
// in the order of their names. What does not fit into 1 GiB of memory, or that of SetLimits, spills to a directory below
// temp, which Compare removes. It changes neither file. It returns fs.ErrNotExist if a file is
// absent, and an error for which IsDamaged is true if one cannot be read.
func Compare(ctx context.Context, before, after, temp string) (Comparison, error) {
	c, err := attach(ctx, temp, map[string]string{"before": before, "after": after})
	if err != nil {
		return nil, fmt.Errorf("compare %s: %w", filepath.Base(after), err)
	}
	tables, err := c.tables(ctx)
	var compared Comparison
	for _, t := range tables {
		if err == nil {
			var one TableComparison
			one, err = c.table(ctx, t)
			compared = append(compared, one)
		}
	}
	return compared, errors.Join(err, c.close())
}

// Hash is a hash of a table's rows that does not depend on their order; the columns that Compare
// leaves out do not count. It is the sum of DuckDB's 64-bit hashes of the rows, by the names of the
// columns: the same on every machine, but not with every version of DuckDB, so that only hashes of the
// same version of this program compare. It finds mistakes; it is no proof against someone who makes rows
// with equal hashes.
type Hash struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	Hash  string `json:"hash"`
}

// Hashes returns the hash of each table of the file at a path, in the order of their names. Two
// files that the same program built from the same journal have equal hashes. Memory, temp and
// errors are those of Compare.
func Hashes(ctx context.Context, path, temp string) ([]Hash, error) {
	c, err := attach(ctx, temp, map[string]string{"after": path})
	if err != nil {
		return nil, fmt.Errorf("hash %s: %w", filepath.Base(path), err)
	}
	tables, err := c.tables(ctx)
	var hashes []Hash
	for _, t := range tables {
		if err == nil {
			h := Hash{Table: t.Name}
			h.Rows, h.Hash, err = c.hash(ctx, "after", t.Name, t.after)
			hashes = append(hashes, h)
		}
	}
	return hashes, errors.Join(err, c.close())
}

// comparer has one or two files attached to a database in memory.
type comparer struct {
	db   *sql.DB
	temp string
}

func attach(ctx context.Context, temp string, paths map[string]string) (comparer, error) {
	for name, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return comparer{}, fmt.Errorf("open the file %s: %w", name, err)
		}
	}
	temp = filepath.Join(temp, "compare.tmp")
	db, err := open(ctx, ":memory:", setting{"memory_limit", strconv.Itoa(within(compareMemoryMiB, &bounds.memoryMiB)) + "MiB"}, setting{"temp_directory", temp}, threads(within(0, &bounds.threads)))
	if err != nil {
		return comparer{}, err
	}
	c := comparer{db, temp}
	for name, path := range paths {
		if _, err := db.ExecContext(ctx, "ATTACH "+quote(path)+" AS "+name+" (READ_ONLY)"); err != nil {
			if damaged(err) {
				err = fmt.Errorf("%w (%v)", ErrDamaged, err)
			}
			return comparer{}, errors.Join(unwrapped(err), c.close())
		}
	}
	return c, nil
}

// compareMemoryMiB is DuckDB's limit in a comparison, if SetLimits sets no smaller one.
const compareMemoryMiB = 1024

func (c comparer) close() error { return errors.Join(unwrapped(c.db.Close()), os.RemoveAll(c.temp)) }

// compared is a table with its columns in each of the files.
type compared struct {
	Name          string
	before, after []string
	Columns, Keys []string // columns of both files except the volatile ones; and those that identify a row
}

// Fields are the columns beside the keys.
func (t compared) Fields() []string {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(name string) bool { return slices.Contains(t.Keys, name) })
}
func (t compared) List() string    { return strings.Join(t.Columns, ", ") }
func (t compared) KeyList() string { return strings.Join(t.Keys, ", ") }

func (c comparer) tables(ctx context.Context) ([]*compared, error) {
	rows, err := c.db.QueryContext(ctx, statement("compare/tables"))
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", unwrapped(err))
	}
	defer rows.Close()
	byName := map[string]*compared{}
	var all []*compared
	for rows.Next() {
		var file, name string
		var list []any
		if err := rows.Scan(&file, &name, &list); err != nil {
			return nil, fmt.Errorf("list tables: %w", unwrapped(err))
		}
		if byName[name] == nil {
			byName[name] = &compared{Name: name}
			all = append(all, byName[name])
		}
		for _, column := range list {
			if s := fmt.Sprint(column); file == "before" {
				byName[name].before = append(byName[name].before, s)
			} else {
				byName[name].after = append(byName[name].after, s)
			}
		}
	}
	for _, t := range all {
		t.chooseColumns()
	}
	slices.SortFunc(all, func(a, b *compared) int { return strings.Compare(a.Name, b.Name) })
	return all, unwrapped(rows.Err())
}

// chooseColumns decides which columns of the table are compared.
func (t *compared) chooseColumns() {
	for _, column := range t.before {
		if slices.Contains(t.after, column) && !slices.Contains(volatile, column) {
			t.Columns = append(t.Columns, column)
		}
	}
	t.Keys = Keys(t.Name)
	if slices.ContainsFunc(t.Keys, func(key string) bool { return !slices.Contains(t.Columns, key) }) {
		t.Keys = nil // a program with another key made one of the files
	}
}

// hash returns the number of rows and the hash of a table in one file.
func (c comparer) hash(ctx context.Context, file, name string, columns []string) (n int64, hash string, err error) {
	columns = slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return slices.Contains(volatile, column) })
	text := filled("compare/hash", struct {
		File, Name string
		Columns    []string
	}{file, name, columns})
	if err := c.db.QueryRowContext(ctx, text).Scan(&n, &hash); err != nil {
		return 0, "", fmt.Errorf("hash %s: %w", name, unwrapped(err))
	}
	return n, hash, nil
}

// table compares one table.
func (c comparer) table(ctx context.Context, t *compared) (done TableComparison, err error) {
	done.Table = t.Name
	common := t.Columns
	if len(t.before) > 0 {
		if len(t.after) == 0 {
			common = t.before
		}
		if done.RowsBefore, done.HashBefore, err = c.hash(ctx, "before", t.Name, common); err != nil {
			return done, err
		}
	}
	if len(t.after) > 0 {
		if len(t.before) == 0 {
			common = t.after
		}
		if done.RowsAfter, done.HashAfter, err = c.hash(ctx, "after", t.Name, common); err != nil {
			return done, err
		}
	}
	switch {
	case len(t.before) == 0 || len(t.after) == 0:
		done.OnlyBefore, done.OnlyAfter = done.RowsBefore, done.RowsAfter
		return done, nil
	case done.HashBefore != done.HashAfter:
		err = c.differences(ctx, t, &done)
	}
	for _, column := range append(slices.Clone(t.before), t.after...) {
		if slices.Contains(t.before, column) != slices.Contains(t.after, column) {
			done.Columns = append(done.Columns, column)
		}
	}
	return done, err
}

// differences counts in which rows and fields a table differs.
func (c comparer) differences(ctx context.Context, t *compared, done *TableComparison) error {
	if len(t.Keys) == 0 {
		err := c.db.QueryRowContext(ctx, filled("compare/rows", t)).Scan(&done.OnlyBefore, &done.OnlyAfter)
		if err != nil {
			return fmt.Errorf("compare %s: %w", t.Name, unwrapped(err))
		}
		return nil
	}
	var counts, examples string
	err := c.db.QueryRowContext(ctx, filled("compare/fields", t)).Scan(&done.OnlyBefore, &done.OnlyAfter, &done.Changed, &counts, &examples)
	if err != nil {
		return fmt.Errorf("compare %s: %w", t.Name, unwrapped(err))
	}
	var rows []int64
	if err := json.Unmarshal([]byte(counts), &rows); err != nil {
		return fmt.Errorf("compare %s: %w", t.Name, err)
	}
	example := strings.Split(examples, "\x1f")
	for i, name := range t.Fields() {
		if rows[i] > 0 {
			done.Fields = append(done.Fields, FieldComparison{name, rows[i], example[i]})
		}
	}
	return nil
}
