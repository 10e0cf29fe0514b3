package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxOwnQuery is the largest file of a query of a person's own, in bytes.
const maxOwnQuery = 1 << 20

// ownName matches the name of a query: it is an argument and a part of an address.
var ownName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// OwnQueries reads the worked queries of a person's own, a file NAME.sql each, of a directory: it returns those that are
// right in the order of their names, and an error with a line for each file that is not. Without a directory there are
// none. They are read each time, so that a file counts as soon as it is there.
func OwnQueries(dir string) (queries []WorkedQuery, err error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read queries_dir: %w", err)
	}
	var wrong []error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".sql")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		q, err := ownQuery(filepath.Join(dir, e.Name()), name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		queries = append(queries, q)
	}
	return queries, errors.Join(wrong...)
}

// AllQueries returns the worked queries, and after them those of a directory; the error is that of OwnQueries.
func AllQueries(dir string) ([]WorkedQuery, error) {
	own, err := OwnQueries(dir)
	return append(Queries(), own...), err
}

// ownQuery reads a file. What would only show when somebody runs the query is refused here, with the file's name.
func ownQuery(path, name string) (WorkedQuery, error) {
	wrong := func(words string, arguments ...any) (WorkedQuery, error) {
		return WorkedQuery{}, fmt.Errorf("%s: %s", path, fmt.Sprintf(words, arguments...))
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return WorkedQuery{}, fmt.Errorf("read a query: %w", err)
	case !info.Mode().IsRegular():
		return wrong("it is no file")
	case info.Size() > maxOwnQuery:
		return wrong("it has %d bytes, and a query has at most %d", info.Size(), maxOwnQuery)
	case !ownName.MatchString(name):
		return wrong("name it by small letters, digits and _, beginning with a letter, such as my_fleet.sql")
	}
	if _, err := fs.Stat(workedFiles, "queries/"+name+".sql"); err == nil {
		return wrong("%s is the name of a worked query of the program; give it another one", name)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return WorkedQuery{}, fmt.Errorf("read a query: %w", err)
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return wrong("it is no text in UTF-8")
	}
	q := workedQuery(name, text)
	q.Own = true
	if q.Title == "" {
		q.Title = name
	}
	read := variables(text)
	for _, p := range q.Params {
		switch {
		case p.Kind != "" && p.Kind != ParamNight && p.Kind != ParamMoment && !slices.Contains(listedParams, p.Kind):
			return wrong("param %s (%s): no such kind; there are %s, %s, %s, and none for any text", p.Name, p.Kind, ParamNight, ParamMoment, strings.Join(listedParams, ", "))
		case !read[strings.ToLower(p.Name)]:
			return wrong("param %s is not read: write getvariable('%s') where its value belongs", p.Name, p.Name)
		}
		delete(read, strings.ToLower(p.Name))
	}
	for n := range read {
		return wrong("getvariable('%s') reads what no line describes: write a comment such as -- param %s (night): what it is", n, n)
	}
	return q, nil
}
