package warehouse

import (
	"embed"
	"path"
	"regexp"
	"strings"
)

//go:embed queries/*.sql
var workedFiles embed.FS

// WorkedQuery is a statement for an ordinary question, in SQL that any client of DuckDB runs: a
// parameter is read by getvariable('name'), and has a value of its own if it was not set.
type WorkedQuery struct {
	Name   string      `json:"name"`          // of its file, without the extension
	Title  string      `json:"title"`         // the first sentence of its comment, without the full stop
	Params []Parameter `json:"params"`        // in the order of the comment; empty if it has none
	Text   string      `json:"sql"`           // the whole file, with its comment
	Own    bool        `json:"own,omitempty"` // of a person, and not of the program
}

// Parameter is a value that a worked query takes.
type Parameter struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"` // with an example, and what holds if it is not given

	// Kind is what its value must be, such as ParamNight; empty for any text, and for what is no parameter of a worked query.
	Kind string `json:"kind,omitempty"`
}

// Queries returns the worked queries in the order of their names.
func Queries() []WorkedQuery {
	entries, err := workedFiles.ReadDir("queries")
	if err != nil {
		panic(err) // a bug, not an error
	}
	queries := make([]WorkedQuery, 0, len(entries))
	for _, e := range entries {
		text, err := workedFiles.ReadFile(path.Join("queries", e.Name()))
		if err != nil {
			panic(err) // a bug, not an error
		}
		queries = append(queries, workedQuery(strings.TrimSuffix(e.Name(), ".sql"), string(text)))
	}
	return queries
}

// workedQuery reads the comment at the beginning of a statement: a line that describes a parameter is
// no part of the title.
func workedQuery(name, text string) WorkedQuery {
	q := WorkedQuery{Name: name, Text: text, Params: []Parameter{}}
	var words []string
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
		if !ok {
			break
		}
		comment = strings.TrimSpace(comment)
		if found := paramLine.FindStringSubmatch(comment); found != nil {
			q.Params = append(q.Params, Parameter{Name: found[1], Kind: found[2], Meaning: found[3]})
			continue
		}
		words = append(words, strings.Fields(comment)...)
	}
	q.Title, _, _ = strings.Cut(strings.Join(words, " ")+" ", ". ")
	q.Title = strings.TrimSuffix(strings.TrimSpace(q.Title), ".")
	return q
}

// variable matches the reading of a variable.
var variable = regexp.MustCompile(`(?i)\bgetvariable\s*\(\s*'([^']*)'\s*\)`)

// variables are the names of the variables that a statement reads, in lower case: DuckDB does not
// distinguish them by case.
func variables(text string) map[string]bool {
	read := map[string]bool{}
	for _, found := range variable.FindAllStringSubmatch(text, -1) {
		read[strings.ToLower(found[1])] = true
	}
	return read
}
