package warehouse

import (
	"fmt"
	"slices"
	"strings"
)

// step is one statement of a night: a file of sql/apply, or what its template makes of a dataset or lake table.
// The comment on top of the file declares it; CONTRIBUTING has the recipe.
type step struct {
	folder, file, of string // of: the dataset or lake table that a template was filled for
	text             string

	reads   []string   // tables and views
	makes   string     // a temporary table or view, which no other step makes or changes
	columns []string   // of the table without rows that a skipped step makes, with their types, or a SELECT of them
	adds    []string   // tables that get rows
	changes []string   // tables whose rows are changed or deleted
	needs   [][]string // without a row in any table of one of these lists the statement would change nothing
	after   []string   // files of the folder whose changes it reads, or continues

	asWritten bool // joins hold their right side in memory, whatever sizes DuckDB estimates
}

// name is the step's place in sql/, and what a template was filled for.
func (s step) name() string {
	name := "apply/" + s.folder + "/" + s.file
	if s.of != "" {
		name += " of " + s.of
	}
	return name
}

// onNight returns a text of SQL for a night, YYYY-MM-DD.
func onNight(text, date string) string { return strings.ReplaceAll(text, "$date", quote(date)) }

// isView reports whether the step makes a view, which holds no rows of its own.
func (s step) isView() bool { return strings.Contains(s.text, "TEMP VIEW "+s.makes+" ") }

// writes are the tables of the warehouse that the step adds rows to or changes.
func (s step) writes() []string { return slices.Concat(s.adds, s.changes) }

// readStep reads the declaration of a statement: the lines "-- key: value" of the comment on top, after its first
// line, which says what the statement does. A key may have several lines.
func readStep(folder, file, of, text string) (step, error) {
	s := step{folder: folder, file: file, of: of, text: text}
	for i, line := range strings.Split(text, "\n") {
		comment, isComment := strings.CutPrefix(line, "-- ")
		if !isComment {
			break
		}
		key, value, _ := strings.Cut(comment, ": ")
		if i == 0 {
			continue
		}
		if err := s.declare(key, value); err != nil {
			return s, fmt.Errorf("%s: %w", s.name(), err)
		}
	}
	if s.makes == "" && len(s.writes()) == 0 {
		return s, fmt.Errorf("%s: its comment does not say what it makes, adds to or changes", s.name())
	}
	return s, nil
}

// declare takes one line of a declaration. Other lines are prose.
func (s *step) declare(key, value string) error {
	switch key {
	case "reads":
		s.reads = append(s.reads, strings.Split(value, ", ")...)
	case "adds to":
		s.adds = append(s.adds, strings.Split(value, ", ")...)
	case "changes":
		s.changes = append(s.changes, strings.Split(value, ", ")...)
	case "after":
		s.after = append(s.after, strings.Split(value, ", ")...)
	case "needs":
		s.needs = append(s.needs, strings.Split(value, " or "))
	case "makes":
		if s.makes != "" {
			return fmt.Errorf("it makes %s and %s: a step makes one table", s.makes, value)
		}
		s.makes = value
	case "columns":
		s.columns = append(s.columns, value)
	case "joins":
		if s.asWritten = value == "as written"; !s.asWritten {
			return fmt.Errorf("joins: %s: the only value is `as written`", value)
		}
	}
	return nil
}

// instead returns what a night that skips the step makes of its table: one without rows.
func (s step) instead() string {
	table := "CREATE OR REPLACE TEMP TABLE " + s.makes
	if strings.HasPrefix(s.columns[0], "SELECT ") {
		return table + " AS " + strings.Join(s.columns, " ") + " LIMIT 0"
	}
	return table + " (" + strings.Join(s.columns, ", ") + ")"
}

// tableOf is the table of a need, which may have a condition: TABLE or TABLE WHERE ….
func tableOf(need string) string {
	table, _, _ := strings.Cut(need, " ")
	return table
}
