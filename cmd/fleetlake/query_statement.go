package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/warehouse"
)

// question is what the command line asks of the warehouse.
type question struct {
	warehouse.Statement
	from   string                 // the file, or the name, that the text comes from; empty for SQL of the command line
	worked *warehouse.WorkedQuery // nil for SQL of a person's own
}

// nameLike matches an argument that can be no SQL, but the name of a worked query or of a file.
var nameLike = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// loneStatements are the statements of one word.
var loneStatements = []string{"show", "describe"}

// question reads the statement from the argument, a file or the standard input.
func (o queryOptions) question(args []string, stdin io.Reader) (question, error) {
	params, err := o.parameters()
	if err != nil {
		return question{}, err
	}
	q := question{Statement: warehouse.Statement{Params: params}}
	switch {
	case o.file != "" && len(args) > 0:
		return q, fmt.Errorf("--file %s and %q: want one statement: %w", o.file, args[0], errUsage)
	case o.file == "" && len(args) == 0:
		return q, fmt.Errorf("want SQL, the name of a worked query, or --file FILE; `fleetlake query --list` lists the worked queries: %w", errUsage)
	case len(args) > 1:
		return q, fmt.Errorf("want one statement, not %d arguments; put SQL in quotes: %w", len(args), errUsage)
	case o.file == "-", o.file == "" && args[0] == "-":
		q.from = "standard input"
		q.Text, err = readSQL(stdin, q.from)
	case o.file != "":
		q.from = o.file
		f, e := os.Open(o.file)
		if e != nil {
			return q, fmt.Errorf("read --file: %w; %w", e, errUsage)
		}
		q.Text, err = readSQL(f, q.from)
		err = errors.Join(err, f.Close())
	case nameLike.MatchString(args[0]) && !slices.Contains(loneStatements, strings.ToLower(args[0])):
		worked, e := o.workedQuery(args[0])
		if e != nil {
			return q, e
		}
		q.Text, q.from, q.worked, err = worked.Text, worked.Name, &worked, knownParameters(worked, params)
	default:
		q.Text = args[0]
	}
	return q, err
}

// sqlLast moves an argument that begins with a comment of SQL behind the flags: a statement that was
// copied with its comment is no flag.
func sqlLast(args []string) []string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, "-- ") || strings.HasPrefix(arg, "--") && strings.Contains(arg, "\n") {
			return append(slices.Delete(slices.Clone(args), i, i+1), "--", arg)
		}
	}
	return args
}

// readSQL reads a text that an editor may have begun with a byte order mark.
func readSQL(r io.Reader, name string) (string, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	text := strings.TrimPrefix(string(b), "\ufeff")
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%s has no SQL: %w", name, errUsage)
	}
	return text, nil
}

// parameters reads the flags --param NAME=VALUE.
func (o queryOptions) parameters() (map[string]string, error) {
	params := map[string]string{}
	for _, p := range o.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || !warehouse.IsParameter(name) {
			return nil, fmt.Errorf("--param %q: want NAME=VALUE, such as night=2026-11-20: %w", p, errUsage)
		}
		for other := range params {
			if strings.EqualFold(name, other) {
				return nil, fmt.Errorf("--param %s is given twice: %w", name, errUsage)
			}
		}
		params[name] = value
	}
	return params, nil
}

// workedQuery returns the worked query of a name, or an error that suggests what may be meant.
func (o queryOptions) workedQuery(name string) (warehouse.WorkedQuery, error) {
	var names []string
	for _, q := range o.worked {
		if q.Name == name {
			return q, nil
		}
		names = append(names, q.Name)
	}
	if o.ownWrong != nil {
		return warehouse.WorkedQuery{}, fmt.Errorf("no worked query %q, and of queries_dir this is none: %w: %w", name, o.ownWrong, errUsage)
	}
	if strings.HasSuffix(name, ".sql") {
		return warehouse.WorkedQuery{}, fmt.Errorf("no worked query %q; for a file: fleetlake query --file %s: %w", name, name, errUsage)
	}
	suggestion := config.DidYouMean(name, names)
	if suggestion == "" {
		suggestion = containing(name, names)
	}
	if suggestion == "" {
		suggestion = fmt.Sprintf("; for a table: fleetlake query \"FROM %s\"", name)
	}
	return warehouse.WorkedQuery{}, fmt.Errorf("no worked query %q%s; `fleetlake query --list` lists them: %w", name, suggestion, errUsage)
}

// containing suggests the names that contain one of the words of a name.
func containing(name string, names []string) string {
	var found []string
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_-.", r) }) {
		for _, n := range names {
			if len(word) > 2 && strings.Contains(n, word) && !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(found, ", ") + "?"
}

// knownParameters refuses a parameter that a worked query does not have.
func knownParameters(q warehouse.WorkedQuery, params map[string]string) error {
	known := make([]string, len(q.Params))
	for i, p := range q.Params {
		known[i] = p.Name
	}
	for name := range params {
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			continue
		}
		has := "it has none"
		if len(known) > 0 {
			has = "it has: " + strings.Join(known, ", ")
		}
		return fmt.Errorf("--param %s: the worked query %s has no such parameter; %s%s: %w", name, q.Name, has, config.DidYouMean(name, known), errUsage)
	}
	return nil
}

// list prints the worked queries.
func (o queryOptions) list(w io.Writer) error {
	columns := []console.Column{{Name: "name"}, {Name: "title"}, {Name: "parameters"}}
	queries := o.worked
	_, err := console.WriteRows(w, o.format, console.TerminalWidth(w), columns, func(yield func([]any, error) bool) {
		for _, q := range queries {
			names := make([]string, len(q.Params))
			for i, p := range q.Params {
				names[i] = p.Name
			}
			if !yield([]any{q.Name, q.Title, strings.Join(names, ", ")}, nil) {
				return
			}
		}
	})
	if err == nil && o.ownWrong != nil {
		return fmt.Errorf("%w: %w", o.ownWrong, errUsage)
	}
	return err
}

// printSQL prints the text of a worked query.
func (o queryOptions) printSQL(w io.Writer, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("--show needs the name of one worked query; `fleetlake query --list` lists them: %w", errUsage)
	}
	q, err := o.workedQuery(args[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, q.Text)
	return err
}
