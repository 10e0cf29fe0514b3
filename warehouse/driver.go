package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"syscall"

	"github.com/marcboeker/go-duckdb/mapping"
	duckdb "github.com/marcboeker/go-duckdb/v2" // the only file that imports the driver
)

// setting is one option of DuckDB. Those of the connection string are fixed when the file is
// opened.
type setting struct {
	name, value string
}

// shared are the settings of every connection: without them DuckDB would download extensions at
// run time.
var shared = []setting{
	{"autoinstall_known_extensions", "false"},
	{"autoload_known_extensions", "false"},
	{"allow_community_extensions", "false"},
	{"allow_persistent_secrets", "false"},
}

// open opens a DuckDB file with one connection, and reads the settings back: the driver cuts
// a path at characters with a meaning in its connection string, and silently drops the options
// after them. The time zone is UTC: what a statement does with an instant, such as to take its day or
// to write it as text, never depends on the machine's.
func open(ctx context.Context, path string, settings ...setting) (*sql.DB, error) {
	if strings.ContainsAny(path, "#?%\x00") {
		return nil, fmt.Errorf("open %q: a path with #, ?, %% or NUL cannot be a database", path)
	}
	options := url.Values{}
	for _, s := range append(settings, shared...) {
		options.Set(s.name, s.value)
	}
	db, err := sql.Open("duckdb", path+"?"+options.Encode())
	if err != nil {
		return nil, unwrapped(err)
	}
	db.SetMaxOpenConns(1)
	if err := checkSettings(ctx, db, path, settings); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if _, err := db.ExecContext(ctx, "SET GLOBAL TimeZone = 'UTC'"); err != nil {
		return nil, errors.Join(unwrapped(err), db.Close())
	}
	return db, nil
}

// checkSettings returns an error if DuckDB has another value for one of the settings that a file was
// opened with.
func checkSettings(ctx context.Context, db *sql.DB, path string, settings []setting) error {
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.name
	}
	found, err := collectRows[setting](ctx, db, nil, statement("read/settings"), func(rows *sql.Rows) (s setting, err error) {
		return s, rows.Scan(&s.name, &s.value)
	}, names)
	if err != nil {
		return err
	}
	got := map[string]string{}
	for _, s := range found {
		got[s.name] = s.value
	}
	for _, s := range settings {
		if !s.is(got[s.name]) {
			return fmt.Errorf("open %s: %s is %q, want %q", path, s.name, got[s.name], s.value)
		}
	}
	return nil
}

// is compares a setting with what DuckDB says it is. Sizes come back in another unit.
func (s setting) is(got string) bool {
	return strings.EqualFold(got, s.value) || strings.HasSuffix(s.value, "iB") && strings.HasSuffix(got, "iB")
}

// runScript runs the statements of a text one after the other, without parameters. The driver would
// prepare each of them first, which DuckDB does again when it runs it, because the one before has
// changed the catalog: that takes half as long again. A cancelled ctx interrupts the statement. The ctx
// is checked while nobody else has the connection: database/sql ends a transaction whose ctx is
// cancelled, and a statement after that would be a transaction of its own.
func runScript(ctx context.Context, conn *sql.Conn, text string) error {
	_, err := runCounted(ctx, conn, text)
	return err
}

// runCounted is runScript, and returns how many rows the last statement of the text inserted, changed or deleted, or put
// into the table that it made.
func runCounted(ctx context.Context, conn *sql.Conn, text string) (rows int64, err error) {
	err = conn.Raw(func(c any) error {
		native, err := nativeConnection(c)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		interrupted := make(chan struct{})
		stop := context.AfterFunc(ctx, func() { mapping.Interrupt(native); close(interrupted) })
		var result mapping.Result
		defer mapping.DestroyResult(&result)
		state := mapping.Query(native, text, &result)
		if !stop() {
			<-interrupted // so that it does not stop the next statement
		}
		if state == mapping.StateError {
			return errors.Join(ctx.Err(), errors.New(mapping.ResultError(&result)))
		}
		rows = mapping.ValueInt64(&result, 0, 0) // the count of such a statement; RowsChanged has none for CREATE TABLE AS
		return nil
	})
	return rows, err
}

// kindOf prepares a text as exactly one statement and returns what kind it is. The connection
// must be used this way, since database/sql runs all but the last statement of a text to
// prepare the last.
func kindOf(ctx context.Context, conn *sql.Conn, text string) (kind duckdb.StmtType, err error) {
	err = conn.Raw(func(c any) error {
		prepared, err := c.(*duckdb.Conn).Prepare(text)
		if err != nil {
			return err
		}
		defer prepared.Close()
		kind, err = prepared.(*duckdb.Stmt).StatementType()
		return err
	})
	return kind, err
}

// notPrepared is the driver's error of a text that DuckDB's own interface could not prepare: it has a type.
func notPrepared(c any, text string) error {
	prepared, err := c.(*duckdb.Conn).Prepare(text)
	if err != nil {
		return err
	}
	return errors.Join(errors.New("the statement could not be prepared at first"), prepared.Close())
}

// errorOf is the error of a result as the driver has it.
func errorOf(result *mapping.Result) error {
	return &duckdb.Error{Type: duckdb.ErrorType(mapping.ResultErrorType(result)), Msg: mapping.ResultError(result)}
}

// nativeConnection returns DuckDB's connection behind one of the driver's, which exports no way to
// read vectors without its Arrow build tag. It writes nothing into the driver's.
func nativeConnection(c any) (mapping.Connection, error) {
	own, ok := c.(*duckdb.Conn)
	if !ok {
		return mapping.Connection{}, fmt.Errorf("%T is no connection of the driver", c)
	}
	field := reflect.ValueOf(own).Elem().FieldByName("conn")
	if !field.IsValid() || field.Type() != reflect.TypeFor[mapping.Connection]() {
		return mapping.Connection{}, errors.New("this version of the driver keeps its connection elsewhere")
	}
	return mapping.Connection{Ptr: field.FieldByName("Ptr").UnsafePointer()}, nil
}

// EngineVersion is the version of the linked DuckDB, such as v1.4.3.
func EngineVersion() string { return linkedVersion() }

// linkedVersion is the version of the linked DuckDB.
func linkedVersion() string { return mapping.LibraryVersion() }

// isSelect reports whether a statement of this kind selects.
func isSelect(kind duckdb.StmtType) bool { return kind == duckdb.STATEMENT_TYPE_SELECT }

// isExplain reports whether a statement of this kind explains. EXPLAIN ANALYZE runs what it explains.
func isExplain(kind duckdb.StmtType) bool { return kind == duckdb.STATEMENT_TYPE_EXPLAIN }

// unwrapped removes the driver's words from an error, keeps DuckDB's without its stack trace, and wraps
// the error of the system that caused it, so that callers can distinguish a full disk from a bad query.
func unwrapped(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) {
		return err
	}
	text := err.Error()
	for _, words := range []string{"could not prepare query\n", "could not connect to database: ", "could not connect to database\n", "could not bind parameter\n"} {
		text = strings.TrimPrefix(text, words)
	}
	text, _, _ = strings.Cut(text, "\n\nStack Trace:")
	if outOfMemory(err) {
		text, _, _ = strings.Cut(text, "\n") // the rest recommends settings of DuckDB, which are locked
		return &cause{text: text, err: ErrRoom}
	}
	if strings.Contains(text, "fsync failed") { // DuckDB does not say why
		return &cause{text: strings.TrimSuffix(text, "!") + ": " + syscall.EIO.Error(), err: syscall.EIO}
	}
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EACCES, syscall.EROFS, syscall.EIO} {
		if strings.Contains(strings.ToLower(text), no.Error()) {
			return &cause{text: text, err: no}
		}
	}
	return &cause{text: text, err: err}
}

// withOriginalPath replaces our own spelling of a path in an error by the caller's.
func withOriginalPath(err error, own, path string) error {
	if own == path {
		return err
	}
	return &cause{text: strings.ReplaceAll(err.Error(), own, path), err: err}
}

// cause is an error in DuckDB's words, with the error that it wraps.
type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.err }

// damaged reports whether an error says that a file is no complete database.
func damaged(err error) bool {
	for _, words := range []string{"not a valid DuckDB database file", "Corrupt", "checksum", "Serialization Error", "could not read", "Could not read", "Failed to deserialize", "INTERNAL Error"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// openForWriting reports whether a file could not be opened because another program has it open
// for writing.
func openForWriting(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Could not set lock on file")
}

// outOfMemory reports whether DuckDB reached its limit where it cannot spill.
func outOfMemory(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Out of Memory Error")
}

// atFault reports whether the statement causes the error: its syntax, its names or its values.
func atFault(err error) bool {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		for _, words := range []string{"empty query", "incorrect argument count", "could not bind parameter", "mixed named and positional"} {
			if strings.Contains(err.Error(), words) {
				return true
			}
		}
		return false
	}
	switch e.Type {
	case duckdb.ErrorTypeOutOfMemory, duckdb.ErrorTypeIO, duckdb.ErrorTypeInternal, duckdb.ErrorTypeFatal, duckdb.ErrorTypeSerialization,
		duckdb.ErrorTypeInterrupt, duckdb.ErrorTypeConnection, duckdb.ErrorTypeScheduler, duckdb.ErrorTypeInvalid:
		return false
	}
	return true
}

// wantsFiles reports whether DuckDB refused the file system or the network to a statement.
func wantsFiles(err error) bool {
	return strings.Contains(err.Error(), "file system operations are disabled by configuration") ||
		strings.Contains(err.Error(), "through configuration")
}

// floatOf converts a DECIMAL of DuckDB's driver.
func floatOf(v any) (float64, bool) {
	d, ok := v.(duckdb.Decimal)
	if !ok {
		return 0, false
	}
	return d.Float64(), true
}
