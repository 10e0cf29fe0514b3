package warehouse

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var writeDeclarations = flag.Bool("update", false, "write what the files of sql/apply read and write into their comments")

// found is what DuckDB's parser finds in a statement, or in several of one file.
type found struct{ reads, makes, adds, changes []string }

// The beginnings of the statements of a night. What follows is a SELECT, or the rest of one.
var beginnings = []struct {
	text *regexp.Regexp
	rest string // what stands in place of the beginning, so that all is a SELECT
	to   func(*found) *[]string
}{
	{regexp.MustCompile(`^CREATE OR REPLACE TEMP (?:TABLE|VIEW) (\S+) AS\s`), "", func(f *found) *[]string { return &f.makes }},
	{regexp.MustCompile(`^INSERT INTO (\S+)(?: BY NAME)?(?:\s+\([^)]*\))?\s`), "", func(f *found) *[]string { return &f.adds }},
	{regexp.MustCompile(`^UPDATE (\S+)(?: AS \w+)?\s+SET\s`), "SELECT ", func(f *found) *[]string { return &f.changes }},
	{regexp.MustCompile(`^DELETE FROM ([\w.]+)(?: AS \w+)?`), "SELECT 1 ", func(f *found) *[]string { return &f.changes }},
}

var topComment = regexp.MustCompile(`^(--[^\n]*\n)+`)

// findTables finds the tables of the statements of a file. It reads the parse tree of the SELECT that each has: only
// SELECT statements have one in DuckDB. A name that a WITH defines is no table.
func findTables(h history, text string) (f found) {
	h.t.Helper()
	for _, statement := range strings.SplitAfter(topComment.ReplaceAllString(text, ""), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		selected := ""
		for _, b := range beginnings {
			if m := b.text.FindStringSubmatch(statement); m != nil {
				*b.to(&f) = append(*b.to(&f), m[1])
				selected = b.rest + statement[len(m[0]):]
			}
		}
		var tree string
		must(h.t, h.db.QueryRowContext(h.t.Context(), "SELECT json_serialize_sql($1::VARCHAR)::VARCHAR", selected).Scan(&tree))
		var node map[string]any
		must(h.t, json.Unmarshal([]byte(tree), &node))
		if node["error"] == true {
			h.t.Fatalf("the parser refuses %s\n%s", selected, tree)
		}
		tables, defined := map[string]bool{}, map[string]bool{}
		walkTree(node, tables, defined)
		for name := range tables {
			if !defined[name] {
				f.reads = append(f.reads, name)
			}
		}
	}
	for _, list := range []*[]string{&f.reads, &f.adds, &f.changes} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}

// walkTree collects the tables of a parse tree, and the names that it defines.
func walkTree(node any, tables, defined map[string]bool) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			walkTree(child, tables, defined)
		}
	case map[string]any:
		if n["type"] == "BASE_TABLE" {
			name := n["table_name"].(string)
			if schema := n["schema_name"].(string); schema != "" {
				name = schema + "." + name
			}
			tables[name] = true
		}
		if ctes, ok := n["cte_map"].(map[string]any); ok {
			for _, cte := range ctes["map"].([]any) {
				defined[cte.(map[string]any)["key"].(string)] = true
			}
		}
		for _, child := range n {
			walkTree(child, tables, defined)
		}
	}
}

// TestStepsDeclareWhatTheyReadAndWrite compares what each file of sql/apply declares with what DuckDB's parser finds in
// it, for each dataset, and for a first night. -update writes it into the files that are no template for several.
func TestStepsDeclareWhatTheyReadAndWrite(t *testing.T) {
	h := newHistory(t, 0)
	all, err := readDatasets(t.Context(), h.db)
	must(t, err)
	first := slices.Clone(all)
	for i := range first {
		first[i].Empty = true
	}
	for _, name := range stepFiles() {
		for _, datasets := range [][]Dataset{all, first} {
			steps, err := stepsOf(name, datasets)
			must(t, err)
			for _, s := range steps {
				got, want := findTables(h, s.text), found{sorted(s.reads), made(s), sorted(s.adds), sorted(s.changes)}
				diff := cmp.Diff(want, got, cmp.AllowUnexported(found{}))
				switch {
				case diff == "":
				case *writeDeclarations && !forEach.MatchString(statement(name)):
					writeDeclaration(t, name, got)
				default:
					t.Errorf("%s: declared, and found by the parser (`go test ./warehouse -run Declare -update` writes it): %s", s.name(), diff)
				}
			}
		}
	}
}

func made(s step) []string {
	if s.makes == "" {
		return nil
	}
	return []string{s.makes}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// writeDeclaration writes what a file reads and writes below its comment.
func writeDeclaration(t *testing.T, name string, f found) {
	text := statement(name)
	top := topComment.FindString(text)
	kept := regexp.MustCompile(`(?m)^-- (reads|makes|adds to|changes): .*\n`).ReplaceAllStringFunc(top, func(line string) string {
		if strings.HasPrefix(top, line) { // the description of a file with such a name
			return line
		}
		return ""
	})
	own := regexp.MustCompile(`(?m)^-- (columns|needs|after|joins): `).FindStringIndex(kept)
	at := len(kept)
	if own != nil {
		at = own[0]
	}
	lines := declarationLines("reads", f.reads)
	if len(f.makes) > 0 {
		lines += "-- makes: " + f.makes[0] + "\n"
	}
	lines += declarationLines("adds to", f.adds) + declarationLines("changes", f.changes)
	must(t, os.WriteFile("sql/"+name+".sql", []byte(kept[:at]+lines+kept[at:]+strings.TrimPrefix(text, top)), 0o644))
}

// declarationLines writes tables into lines of at most 120 characters.
func declarationLines(key string, tables []string) string {
	if len(tables) == 0 {
		return ""
	}
	line := "-- " + key + ": " + tables[0]
	for i, table := range tables[1:] {
		if len(line)+len(table) > 118 {
			return line + "\n" + declarationLines(key, tables[1+i:])
		}
		line += ", " + table
	}
	return line + "\n"
}
