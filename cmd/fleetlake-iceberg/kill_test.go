package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asProgram makes the test binary run as the program.
const asProgram = "FLEETLAKE_ICEBERG_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command starts a verb in a process of its own.
func (e *export) command(ctx context.Context, verb string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], append([]string{verb, e.dir}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// killAfter runs a verb and kills it when so many files below _iceberg have come or gone since its start.
// It reports whether the process was killed before it ended.
func (e *export) killAfter(files int, verb string, args ...string) bool {
	e.t.Helper()
	before := e.count()
	c := e.command(context.Background(), verb, args...)
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		e.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				e.t.Fatalf("%s: %v: %s", verb, err, &errs)
			}
			return false
		case <-time.After(200 * time.Microsecond): // the only sign of another process's progress is the files it makes
			if n := e.count() - before; max(n, -n) >= files {
				c.Process.Kill()
				return <-ended != nil
			}
		}
	}
}

// count returns the number of files below _iceberg, those under a temporary name included.
func (e *export) count() (n int) {
	filepath.WalkDir(filepath.Join(e.dir, "_iceberg"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

func TestAKilledRegisterLeavesTheCatalogBeforeOrAfter(t *testing.T) {
	e := newExport(t)
	var first manifestFile
	for i := range 3 {
		f := e.night(fmt.Sprintf("run-%d", i), fmt.Sprintf("2026-11-%02d", i+1), 1, 2+i, 30-i)
		if i == 0 {
			first = f
		}
	}
	e.history("run-2", "PA")
	e.publish()
	kills := 0
	for files := 1; ; files += 5 {
		killed := e.killAfter(files, "register")
		e.whole()
		if !killed {
			break
		}
		kills++
	}
	e.same("facts.listings")
	e.unlist(first)
	e.night("run-0", "2026-11-01", 8, 9)
	e.publish()
	for files := 1; e.killAfter(files, "register"); files += 2 {
		kills++
		e.whole()
	}
	e.same("facts.listings")
	for files := 1; e.killAfter(files, "compact", "--min-files", "2"); files += 2 {
		kills++
		e.readable()
		e.same("facts.listings")
	}
	e.wantFiles("facts.listings", 1, 0)
	e.same("facts.listings")
	for files := 1; e.killAfter(files, "expire", "--older-than", "0s", "--grace", "0s"); files++ {
		kills++
		e.readable()
		e.same("facts.listings")
	}
	e.expireAll()
	e.same("facts.listings")
	for key := range below(e.files(), "_iceberg/") {
		if strings.Contains(key, temporary) {
			t.Errorf("%s of a killed process is still there", key)
		}
	}
	for key := range below(e.files(), "_fleetlake/") {
		if key != pinsKey {
			t.Errorf("%s lies among the pins, which are read as JSON", key)
		}
	}
	if kills < 8 {
		t.Errorf("only %d kills hit", kills)
	}
	t.Logf("%d kills", kills)
}

// readable fails unless the copy of the catalog for readers can be read by those who may write nothing, and names
// metadata files that are there.
func (e *export) readable() {
	e.t.Helper()
	file := copyOf(filepath.Join(e.dir, "_iceberg/catalog.db"))
	if _, err := os.Stat(file); err != nil {
		return // killed before the first register ended
	}
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		e.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT metadata_location FROM iceberg_tables")
	if err != nil {
		e.t.Fatalf("after a kill: %v", err)
	}
	defer rows.Close()
	for rows.Next() {
		var uri string
		if err := rows.Scan(&uri); err != nil {
			e.t.Fatal(err)
		}
		if _, err := os.Stat(localName(uri)); err != nil {
			e.t.Errorf("after a kill the copy of the catalog names %v", err)
		}
	}
	if err := rows.Err(); err != nil {
		e.t.Fatal(err)
	}
}

// whole fails unless every night in the table is there whole and once.
func (e *export) whole() {
	e.t.Helper()
	e.readable()
	status, errs, code := e.try("status", "--json")
	if code != 0 {
		e.t.Fatalf("after a kill: %s %s", status, errs)
	}
	if !strings.Contains(status, `"exists": true`) || strings.Contains(strings.SplitN(status, `"history.registration"`, 2)[0], `"exists": false`) {
		return // killed before the table was there
	}
	rows := map[string]int{}
	for _, line := range e.read("facts.listings") {
		rows[strings.Fields(line)[0]]++
	}
	for run, n := range rows {
		if n != 3 && run != "run_id=run-0" || n != 3 && n != 2 {
			e.t.Fatalf("%d rows of %s", n, run)
		}
	}
}

func TestTwoRegistersAtOnceRegisterOnce(t *testing.T) {
	e := newExport(t)
	for i := range 6 {
		e.night(fmt.Sprintf("run-%d", i), fmt.Sprintf("2026-11-%02d", i+1), 1, 2+i)
	}
	e.history("run-5", "PA")
	e.publish()
	for round, verbs := range [][]string{{"register", "register", "register"}, {"register", "compact --min-files=2", "register"}} {
		var all sync.WaitGroup
		for _, verb := range verbs {
			args := strings.Fields(verb)
			c := e.command(context.Background(), args[0], args[1:]...)
			all.Go(func() {
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", verb, err, out)
				}
			})
		}
		all.Wait()
		e.same("facts.listings")
		e.same("history.registration")
		if round == 0 {
			if n := len(e.summaries("facts.listings")); n != 6 {
				t.Errorf("%d snapshots, want one for each night: %v", n, e.summaries("facts.listings"))
			}
		}
		for i := range 3 {
			e.night(fmt.Sprintf("run-1%d", i), fmt.Sprintf("2026-11-1%d", i), 1)
		}
		e.publish()
	}
}

func TestARestCatalogDoesTheSame(t *testing.T) {
	e := newExport(t)
	server := newRESTCatalog(t, e)
	at := []string{"--catalog-uri", server.address}
	t.Setenv("FLEETLAKE_ICEBERG_TOKEN", "secret-token")
	t.Setenv("FLEETLAKE_EXPORT_SECRET_KEY", "secret-key")
	t.Setenv("FLEETLAKE_EXPORT_ACCESS_KEY", "access-key")
	one := e.night("run-1", "2026-11-19", 1, 2)
	e.night("run-2", "2026-11-20", 3)
	e.history("run-2", "PA")
	out := e.publish().do("register", at...)
	e.wantSummaries("facts.listings", "append run-1 2026-11-19 total 2", "append run-2 2026-11-20 total 3")
	e.do("register", at...)
	e.unlist(one)
	e.night("run-1", "2026-11-19", 1, 2, 7)
	out += e.publish().do("register", at...) + e.do("compact", append(at, "--min-files", "2")...)
	e.wantFiles("facts.listings", 1, 0)
	out += e.do("expire", append(at, "--older-than", "0s", "--grace", "0s")...) + e.do("status", append(at, "--json")...)
	if n := len(e.summaries("facts.listings")); n != 1 {
		t.Errorf("%d snapshots", n)
	}
	e.fieldIDs("facts.listings")
	if diff := cmp.Diff([]string{"Bearer secret-token"}, server.tokens()); diff != "" {
		t.Errorf("tokens:\n%s", diff)
	}
	for key, content := range e.files() {
		if strings.Contains(content, "secret-") {
			t.Errorf("%s has a secret", key)
		}
	}
	if strings.Contains(out, "secret-") {
		t.Errorf("the output has a secret:\n%s", out)
	}
	// Every second commit is refused as a conflict, and another answers that its outcome is unknown.
	server.refuse.Store(true)
	for i := range 3 {
		e.night(fmt.Sprintf("run-2%d", i), fmt.Sprintf("2026-12-0%d", i+1), i)
	}
	e.publish().do("register", at...)
	if n := len(e.read("facts.listings")); n != 4+3 || server.refused.Load() < 2 {
		t.Errorf("%d rows after %d refusals", n, server.refused.Load())
	}
}

// TestACopyOfTheCatalogIsReadBesideAHotJournal leaves a commit half done in the catalog, as a kill does: a reader who
// may not write reads the copy, and not the catalog.
func TestACopyOfTheCatalogIsReadBesideAHotJournal(t *testing.T) {
	e := newExport(t)
	e.night("run-1", "2026-11-19", 1, 2)
	e.publish().do("register")
	file := filepath.Join(e.dir, "_iceberg/catalog.db")
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "CREATE TABLE filler (a TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO filler SELECT hex(randomblob(500)) FROM n",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	half, journal := e.files()["_iceberg/catalog.db"], e.files()["_iceberg/catalog.db-journal"]
	if err := db.Close(); err != nil || len(journal) == 0 {
		t.Fatalf("a journal of %d bytes, %v", len(journal), err)
	}
	e.write("_iceberg/catalog.db", []byte(half))
	e.write("_iceberg/catalog.db-journal", []byte(journal))
	read := func(file string) error {
		db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
		if err != nil {
			return err
		}
		defer db.Close()
		var n int
		return db.QueryRow("SELECT count(*) FROM iceberg_tables").Scan(&n)
	}
	if err := read(file); err == nil {
		t.Error("the journal is not hot: nothing is shown")
	}
	if err := read(copyOf(file)); err != nil {
		t.Errorf("the copy: %v", err)
	}
	e.do("status") // rolls the half commit back
	if err := read(file); err != nil {
		t.Errorf("after status: %v", err)
	}
}
