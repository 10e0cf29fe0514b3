package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Statement is SQL of a person's own, or of a worked query, with the values of its parameters.
type Statement struct {
	Text string

	// Params are values by the names of their parameters: as $name in the text, and as
	// getvariable('name'). A value is a text, which DuckDB converts where it is compared; the
	// SQL converts it itself where it is calculated with.
	Params map[string]string
}

// IsParameter reports whether a parameter can have this name.
func IsParameter(name string) bool { return parameterName.MatchString(name) }

var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// prepare checks a statement, sets its variables and returns what its parameters are bound to. A value
// for a parameter that the statement does not have is refused, as is a parameter without a value.
func (s Statement) prepare(ctx context.Context, conn *sql.Conn) (kind queryKind, args []any, err error) {
	for name, value := range s.Params {
		if !IsParameter(name) {
			return 0, nil, &cause{fmt.Sprintf("parameter %q: a name is a letter, then letters, digits and _", name), ErrStatement}
		}
		if _, err := conn.ExecContext(ctx, "SET VARIABLE "+quoteName(name)+" = $1", value); err != nil {
			return 0, nil, fmt.Errorf("set parameter %s: %w", name, unwrapped(err))
		}
	}
	if kind, err = check(ctx, conn, s.Text); err != nil {
		return 0, nil, err
	}
	var bound []string
	if !kind.expands() { // DuckDB takes no bound parameters there, and says so
		parameters, err := parametersOf(ctx, conn, s.Text)
		if err != nil {
			return 0, nil, classified(err)
		}
		for _, p := range parameters {
			bound = append(bound, p.Name)
		}
	}
	if err := s.complete(bound, kind); err != nil {
		return 0, nil, err
	}
	for _, name := range bound {
		value, _ := s.value(name)
		args = append(args, sql.Named(name, value))
	}
	return kind, args, nil
}

// complete compares the values with the parameters that are bound and the variables that are read.
func (s Statement) complete(bound []string, kind queryKind) error {
	has := variables(s.Text)
	for _, name := range bound {
		if !IsParameter(name) {
			return &cause{"a parameter has a name: write $name instead of ? or $1", ErrStatement}
		}
		has[strings.ToLower(name)] = true
	}
	for name := range s.Params {
		if has[strings.ToLower(name)] || kind.expands() && strings.Contains(s.Text, "$"+name) {
			continue
		}
		known := "it has none"
		if len(has) > 0 {
			known = "it has: " + strings.Join(slices.Sorted(maps.Keys(has)), ", ")
		}
		return &cause{fmt.Sprintf("the statement has no parameter %q; %s", name, known), ErrStatement}
	}
	for _, name := range bound {
		if _, ok := s.value(name); !ok {
			return &cause{fmt.Sprintf("the parameter $%s has no value", name), ErrStatement}
		}
	}
	return nil
}

// value is the value of a parameter, whose case does not matter, as in DuckDB.
func (s Statement) value(name string) (string, bool) {
	for n, value := range s.Params {
		if strings.EqualFold(n, name) {
			return value, true
		}
	}
	return "", false
}

// reset removes the variables of a statement from a connection.
func (s Statement) reset(ctx context.Context, conn *sql.Conn) (err error) {
	for name := range s.Params {
		if IsParameter(name) {
			_, e := conn.ExecContext(context.WithoutCancel(ctx), "RESET VARIABLE "+quoteName(name))
			err = errors.Join(err, unwrapped(e))
		}
	}
	return err
}

// quoteName returns a name as SQL has it.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
