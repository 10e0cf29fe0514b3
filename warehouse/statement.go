package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ErrNotQuery says that a statement would do something else than read.
var ErrNotQuery error = &cause{"only one statement that reads is run: SELECT, FROM, WITH, VALUES, PIVOT, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN of one of these", ErrStatement}

// ErrStatement says that the fault is in the statement, and not in the warehouse.
var ErrStatement = errors.New("the SQL is at fault")

// ErrFiles says that a statement wants files or the network, and that the warehouse was opened
// without them.
var ErrFiles = errors.New("no files here")

// ErrRoom says that a statement needs more memory, or more room to spill to, than it was given.
var ErrRoom = errors.New("not enough room")

// reading is what a statement that reads is. DuckDB's parser decides that: it makes of a text
// what it would run, so that nothing in front of a statement or inside it hides what it is.
type reading int

const (
	selects  reading = iota + 1 // SELECT, FROM, WITH, VALUES, SHOW, DESCRIBE, SUMMARIZE
	pivots                      // a PIVOT whose columns come from the rows: DuckDB makes several statements of it
	explains                    // EXPLAIN of one that selects
)

// explanation matches the beginning of an EXPLAIN, up to what it explains. It can only refuse:
// what is left must be a statement that selects, and the whole one that explains.
var explanation = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN(\s+ANALY[SZ]E)?(\s*\([^)]*\))?`)

// check refuses what does not read. Only a text that the parser knows to select is bound:
// to bind an EXPORT makes its directory, and to prepare an IMPORT reads its files.
func check(ctx context.Context, conn *sql.Conn, text string) (reading, error) {
	if strings.ContainsRune(text, 0) { // DuckDB would see the text before it only
		return 0, fmt.Errorf("the statement holds a NUL: %w", ErrNotQuery)
	}
	found, err := parse(ctx, conn, text)
	if err != nil {
		return 0, err
	}
	switch explained := explanation.ReplaceAllString(text, ""); {
	case found == one:
		return bind(ctx, conn, text, selects)
	case found == several:
		return 0, ErrNotQuery
	case found == broken:
		return bind(ctx, conn, text, selects) // says where
	case explained != text:
		if found, err := parse(ctx, conn, explained); err != nil || found != one {
			return 0, errors.Join(err, ErrNotQuery)
		}
		return bind(ctx, conn, text, explains)
	}
	// Of all that can stand in brackets after FROM, only a PIVOT is no plain selection.
	if found, err := parse(ctx, conn, "FROM (\n"+single(text)+"\n)"); err != nil || found != other {
		return 0, errors.Join(err, ErrNotQuery)
	}
	return pivots, nil
}

// single cuts the end of a statement off, so that it can stand in brackets.
func single(text string) string { return strings.TrimRight(text, "; \t\r\n") }

// found is what DuckDB's parser says of a text.
type found int

const (
	broken  found = iota // no SQL, or no statement at all
	one                  // one statement that selects
	several              // several of them
	other                // something else
)

// parse asks DuckDB's parser what a text is.
func parse(ctx context.Context, conn *sql.Conn, text string) (found, error) {
	var statements int
	var problem string
	switch err := conn.QueryRowContext(ctx, statement("read/parse"), text).Scan(&statements, &problem); {
	case err != nil:
		return broken, blame(err)
	case problem == "not implemented":
		return other, nil
	case problem != "", statements == 0:
		return broken, nil
	case statements > 1:
		return several, nil
	}
	return one, nil
}

// bind lets DuckDB look up what a statement names, and compares what kind of statement it is.
func bind(ctx context.Context, conn *sql.Conn, text string, want reading) (reading, error) {
	kind, err := kindOf(ctx, conn, text)
	switch {
	case err != nil && strings.Contains(err.Error(), "multi-statement"):
		return 0, ErrNotQuery
	case err != nil:
		return 0, blame(err)
	case want == selects && !isSelect(kind), want == explains && !isExplain(kind):
		return 0, ErrNotQuery
	}
	return want, nil
}

// blame is an error of a statement, as plain makes it, with what it is to a caller: the fault
// of the statement, and not of the disk; a want of files; a want of room.
func blame(err error) error {
	clear := unwrapped(err)
	switch {
	case err == nil:
		return nil
	case outOfMemory(err):
		text, _, _ := strings.Cut(clear.Error(), "\n") // what follows advises settings, which are locked
		return &cause{text: text, err: errors.Join(ErrRoom, clear)}
	case wantsFiles(err):
		return &cause{text: clear.Error(), err: errors.Join(ErrFiles, ErrStatement)}
	case atFault(err):
		return &cause{text: clear.Error(), err: errors.Join(ErrStatement, clear)}
	}
	return clear
}
