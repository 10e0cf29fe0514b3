package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ErrNotQuery says that a statement does more than read.
var ErrNotQuery error = &cause{"only one statement that reads is accepted: SELECT, FROM, WITH, VALUES, PIVOT, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN of one of these", ErrStatement}

// ErrStatement says that the fault is in the statement, and not in the warehouse.
var ErrStatement = errors.New("the SQL is at fault")

// ErrFiles says that a statement needs files or the network, to which the warehouse was opened
// without access.
var ErrFiles = errors.New("no files here")

// ErrRoom says that a statement needs more memory, or more disk to spill to, than it was given.
var ErrRoom = errors.New("not enough room")

// queryKind is the kind of a statement that reads. DuckDB's parser decides it, as it would to
// run the text, so that nothing in front of a statement or inside it can disguise it.
type queryKind int

const (
	selects       queryKind = iota + 1 // SELECT, FROM, WITH, VALUES, SHOW, DESCRIBE, SUMMARIZE
	pivots                             // a PIVOT whose columns depend on the rows: DuckDB expands it to several statements
	explains                           // EXPLAIN of one that selects
	explainsPivot                      // EXPLAIN of a PIVOT
)

// plans reports whether the answer is the plan of a statement.
func (k queryKind) plans() bool { return k == explains || k == explainsPivot }

// expands reports whether DuckDB makes several statements of it, which take no bound parameters.
func (k queryKind) expands() bool { return k == pivots || k == explainsPivot }

// explanation matches the beginning of an EXPLAIN, up to what it explains. It cannot let anything
// through: the rest must be a statement that selects, and the whole one that explains.
var explanation = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*EXPLAIN(\s+ANALY[SZ]E)?(\s*\([^)]*\))?`)

// descriptive matches the beginning of a statement that describes another one.
var descriptive = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(DESCRIBE|DESC|SUMMARIZE|SHOW)\b`)

// check refuses statements that do more than read, with ErrNotQuery. It binds only a text that
// the parser knows to select: binding an EXPORT creates its directory, and preparing an IMPORT
// reads its files.
func check(ctx context.Context, conn *sql.Conn, text string) (queryKind, error) {
	if strings.ContainsRune(text, 0) { // DuckDB would see the text before it only
		return 0, fmt.Errorf("the statement contains a NUL: %w", ErrNotQuery)
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
		return bind(ctx, conn, text, selects) // for DuckDB's error, which has the place
	case explained != text:
		switch found, err := parse(ctx, conn, explained); {
		case err != nil:
			return 0, err
		case found == one:
			return bind(ctx, conn, text, explains)
		case found != other:
			return 0, ErrNotQuery
		}
		return explainsPivot, isPivot(ctx, conn, explained)
	}
	return pivots, isPivot(ctx, conn, text)
}

// isPivot refuses what is no PIVOT of all statements that do not plainly select: of the texts that are
// valid in brackets after FROM, it is the only one.
func isPivot(ctx context.Context, conn *sql.Conn, text string) error {
	if found, err := parse(ctx, conn, "FROM (\n"+single(text)+"\n)"); err != nil || found != other {
		return errors.Join(err, ErrNotQuery)
	}
	return nil
}

// single removes the end of a statement, so that it is valid in brackets.
func single(text string) string { return strings.TrimRight(text, "; \t\r\n") }

// parsed is what DuckDB's parser finds in a text.
type parsed int

const (
	broken  parsed = iota // no SQL, or no statement at all
	one                   // one statement that selects
	several               // several of them
	other                 // something else
)

// notOnlyRead is DuckDB's own error type for a text with a statement that does more than read: its
// parser writes only SELECT statements as JSON.
const notOnlyRead = "not implemented"

// parse asks DuckDB's parser what a text is.
func parse(ctx context.Context, conn *sql.Conn, text string) (parsed, error) {
	var statements int
	var problem string
	switch err := conn.QueryRowContext(ctx, statement("read/parse"), text).Scan(&statements, &problem); {
	case err != nil:
		return broken, classified(err)
	case problem == notOnlyRead:
		return other, nil
	case problem != "", statements == 0:
		return broken, nil
	case statements > 1:
		return several, nil
	}
	return one, nil
}

// bind lets DuckDB resolve the names of a statement, and checks its kind.
func bind(ctx context.Context, conn *sql.Conn, text string, want queryKind) (queryKind, error) {
	kind, err := kindOf(ctx, conn, text)
	switch {
	case err != nil && strings.Contains(err.Error(), "multi-statement"):
		return 0, ErrNotQuery
	case err != nil:
		return 0, classified(err)
	case want == selects && !isSelect(kind), want == explains && !isExplain(kind):
		return 0, ErrNotQuery
	}
	return want, nil
}

// classified unwraps an error of a statement and adds what it means to the caller: ErrRoom,
// ErrFiles, or ErrStatement for a fault of the statement.
func classified(err error) error {
	clear := unwrapped(err)
	switch {
	case err == nil:
		return nil
	case wantsFiles(err):
		return &cause{text: clear.Error(), err: errors.Join(ErrFiles, ErrStatement)}
	case atFault(err):
		return &cause{text: clear.Error(), err: errors.Join(ErrStatement, clear)}
	}
	return clear
}

// place matches the line of an error that marks its place, and what is before the caret in the next one.
var place = regexp.MustCompile(`(?m)^LINE (\d+): (.*)\n( *)\^`)

// asWritten is an error in a text that was run after some lines of ours: it has the number of the line
// as the text has it.
func asWritten(err error, ours int) error {
	if err == nil || ours == 0 {
		return err
	}
	text := place.ReplaceAllStringFunc(err.Error(), func(found string) string {
		parts := place.FindStringSubmatch(found)
		line, notNumber := strconv.Atoi(parts[1])
		if notNumber != nil || line <= ours {
			return found
		}
		number := strconv.Itoa(line - ours)
		return fmt.Sprintf("LINE %s: %s\n%s^", number, parts[2], parts[3][min(len(parts[1])-len(number), len(parts[3])):])
	})
	return &cause{text: text, err: err}
}
