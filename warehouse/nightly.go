package warehouse

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// lakeRows are the lake tables whose rows get the id of the vessel that they belong to, and whether a row has the
// name of its vessel.
var lakeRows = []lakeTable{
	{"listings", true}, {"sightings", true}, {"particulars", true},
	{"engine", false}, {"management", false}, {"positions", false}, {"voyages", false},
}

// lakeTable fills the templates that are for each lake table.
type lakeTable struct {
	Name  string
	Named bool
}

// nightly returns the steps of a night, in their order: the files of sql/apply, of which each declares what it reads
// and makes. A template that is for each dataset or lake table gives a step for each; that of a dataset which has a
// folder of its own, as registration has, runs there. The other files are filled for the registration.
func nightly(datasets []Dataset) ([]step, error) {
	var steps []step
	for _, name := range stepFiles() {
		of, err := stepsOf(name, datasets)
		if err != nil {
			return nil, err
		}
		steps = append(steps, of...)
	}
	return inOrder(steps)
}

// stepFiles lists the files of sql/apply, without the extension.
func stepFiles() (names []string) {
	for _, folder := range stepFolders() {
		names = append(names, statements("apply/"+folder)...)
	}
	return names
}

// stepFolders lists the folders of sql/apply in their order.
func stepFolders() (names []string) {
	entries, err := files.ReadDir("sql/apply")
	if err != nil {
		panic(err) // a bug, not an error
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// forEach is the line of a declaration that makes a step of each dataset or lake table.
var forEach = regexp.MustCompile(`(?m)^-- for each: (.*)$`)

// stepsOf returns the steps of a file of sql/apply. The table changes has nothing of a dataset that status searches
// observe, too: with the ETAs of a fleet it would grow by a row for nearly every answer.
func stepsOf(name string, datasets []Dataset) (steps []step, err error) {
	folder, file := path.Base(path.Dir(name)), path.Base(name)
	add := func(folder, of string, values any) {
		s, wrong := readStep(folder, file, of, filled(name, values))
		steps, err = append(steps, s), cmp.Or(err, wrong)
	}
	each := forEach.FindStringSubmatch(statement(name))
	switch {
	case each == nil:
		add(folder, "", datasets[0])
	case each[1] == "dataset" || each[1] == "dataset with changes":
		for _, d := range datasets {
			if each[1] == "dataset" || !d.Searched {
				add(folderOf(d, folder), d.Name, d)
			}
		}
	case each[1] == "lake table":
		for _, t := range lakeRows {
			add(folder, t.Name, t)
		}
	default:
		err = fmt.Errorf("%s: for each: %s: it is `dataset`, `dataset with changes` or `lake table`", name, each[1])
	}
	return steps, err
}

// folderOf is the folder in which a template runs for a dataset.
func folderOf(d Dataset, folder string) string {
	own := slices.IndexFunc(stepFolders(), func(name string) bool { return strings.HasSuffix(name, "_"+d.Name) })
	if own < 0 {
		return folder
	}
	return stepFolders()[own]
}

// preparedNights has the steps of nights by the datasets that they are for: to fill the templates and to find the order
// takes 20 ms, a tenth of a small night, and a rebuild has many nights.
var preparedNights sync.Map

// preparedNight returns the steps of a night on a file with these datasets.
func preparedNight(ctx context.Context, db querier, datasets []Dataset) (*preparedSteps, error) {
	key := fmt.Sprint(datasets)
	if steps, ok := preparedNights.Load(key); ok {
		return steps.(*preparedSteps), nil
	}
	steps, err := nightly(datasets)
	if err == nil {
		err = everyTableIsThere(ctx, db, steps)
	}
	if err != nil {
		return nil, err
	}
	prepared := prepareSteps(steps)
	preparedNights.Store(key, prepared)
	return prepared, nil
}

// preparedSteps are steps in their order, with which views are made even without rows for them.
type preparedSteps struct {
	steps  []step
	always []bool
}

func prepareSteps(steps []step) *preparedSteps {
	p, s := &preparedSteps{steps: steps}, newSkips(steps)
	for i := range steps {
		p.always = append(p.always, steps[i].isView() && s.alwaysMade(i))
	}
	return p
}

// everyTableIsThere returns an error for a table that a step reads or writes, and that neither another step makes nor
// the lake or the file has.
func everyTableIsThere(ctx context.Context, db querier, steps []step) error {
	names, err := collect(ctx, db, "read/table_names", scanText)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	for _, s := range steps {
		there[s.makes] = true
	}
	for _, s := range steps {
		for _, table := range slices.Concat(s.touched(), s.writes()) {
			if !there[table] && !strings.HasPrefix(table, "lake_") {
				return fmt.Errorf("%s reads %s, which no step makes and the warehouse does not have", s.name(), table)
			}
		}
	}
	return nil
}

// nightRun runs the steps of a night, and skips those that have nothing to do.
type nightRun struct {
	*preparedSteps
	tx      *Tx
	date    string
	hasRows map[string]bool // what steps need, as far as it is known
}

func newNightRun(t *Tx, date string, steps *preparedSteps) *nightRun {
	n := &nightRun{preparedSteps: steps, tx: t, date: date, hasRows: map[string]bool{}}
	for table, has := range t.hasRows {
		n.hasRows["lake_"+table] = has
	}
	return n
}

// run runs all steps.
func (n *nightRun) run(ctx context.Context) error {
	for i, s := range n.steps {
		if err := n.step(ctx, i); err != nil {
			return fmt.Errorf("%s: %w", s.name(), unwrapped(err))
		}
	}
	return nil
}

// step runs one step, or makes an empty table in its place if that has readers.
func (n *nightRun) step(ctx context.Context, i int) error {
	s := n.steps[i]
	needed, err := n.needed(ctx, s)
	switch {
	case err != nil:
		return err
	case !needed && !n.always[i]:
		n.hasRows[s.makes] = false
		if s.columns != nil {
			return runScript(ctx, n.tx.conn, s.instead())
		}
		return nil
	}
	for need := range n.hasRows {
		for _, table := range s.writes() {
			if tableOf(need) == table {
				delete(n.hasRows, need)
			}
		}
	}
	rows, err := n.execute(ctx, s)
	if s.makes != "" {
		n.hasRows[s.makes] = rows > 0 || s.isView() && needed
	}
	return err
}

// execute executes the statement of a step, and returns how many rows it made or changed; 0 for a view. DuckDB takes a
// night, which is read from files, for a fifth of what it is, and would hold it in memory, with all of its columns, to
// find the few columns of a version: such a step joins as written.
func (n *nightRun) execute(ctx context.Context, s step) (rows int64, err error) {
	if s.asWritten {
		if err := runScript(ctx, n.tx.conn, "SET disabled_optimizers = 'build_side_probe_side'"); err != nil {
			return 0, err
		}
		defer func() { err = cmp.Or(err, runScript(ctx, n.tx.conn, "RESET disabled_optimizers")) }()
	}
	return runCounted(ctx, n.tx.conn, onNight(s.text, n.date))
}

// needed reports whether each list of what a step needs has a table with a row.
func (n *nightRun) needed(ctx context.Context, s step) (bool, error) {
	for _, list := range s.needs {
		found := false
		for _, need := range list {
			has, err := n.has(ctx, need)
			if err != nil {
				return false, err
			}
			if found = has; found {
				break
			}
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}

// has reports whether a table has a row, or one for which a condition holds. It asks once, until a step writes the
// table, and not for a table that a step has made.
func (n *nightRun) has(ctx context.Context, need string) (bool, error) {
	if has, known := n.hasRows[tableOf(need)]; known && (!has || tableOf(need) == need) {
		return has, nil
	}
	has, known := n.hasRows[need]
	if known {
		return has, nil
	}
	err := n.tx.conn.QueryRowContext(ctx, onNight("SELECT EXISTS (FROM "+need+")", n.date)).Scan(&has)
	n.hasRows[need] = has
	return has, err
}
