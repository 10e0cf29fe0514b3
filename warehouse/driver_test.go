package warehouse

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// TestACancelledScriptEnds checks that a script ends when its ctx does, that the next one on the connection
// runs, and that a script whose ctx has ended changes nothing: its transaction is rolled back already.
func TestACancelledScriptEnds(t *testing.T) {
	db, err := open(t.Context(), filepath.Join(t.TempDir(), "fleet.duckdb"))
	must(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	must(t, runScript(t.Context(), conn, "CREATE TABLE a (n INTEGER)"))

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // long after the statement has begun
	defer cancel()
	err = runScript(ctx, conn, "INSERT INTO a SELECT sum(i) FROM range(1000000000000) AS r(i)")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a statement without an end: %v", err)
	}
	if err := runScript(ctx, conn, "INSERT INTO a VALUES (1)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a statement after the end of its ctx: %v", err)
	}
	must(t, runScript(t.Context(), conn, "INSERT INTO a VALUES (2)"))
	var rows string
	must(t, conn.QueryRowContext(t.Context(), "SELECT string_agg(n, ' ') FROM a").Scan(&rows))
	if rows != "2" {
		t.Errorf("rows %s, want 2", rows)
	}
}
