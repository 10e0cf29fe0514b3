package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// fuzzTime is the time of a statement of the fuzzer, and fuzzHeap what this process may have of the answers.
const (
	fuzzTime = time.Second
	fuzzHeap = 256 << 20
)

// besides is to every how many statements another client sends one, and how many are described, too.
const besides = 8

// marks matches the marks of statements.
var marks = regexp.MustCompile(`mark-[0-9]+-?`)

// secretWords are in the file that no statement may read.
const secretWords = "planted-words-5d1c"

// guarded is a pool, and what is seen of it from outside.
type guarded struct {
	*fixture
	catalogue
	target string // the directory with the secret
	home   string // where extensions would be
	url    string // of a server that nobody may reach
	before map[string]string
	right  string // what another client's statement is answered

	connections atomic.Int64
	resident    atomic.Int64  // the most that a process had, in MiB
	heap        atomic.Uint64 // the most that this process had, in bytes
	crashed     atomic.Int64
	internal    atomic.Int64 // statements that met an internal error of DuckDB
}

// otherClient's statement: its answer never changes.
const otherClient = "SELECT count(*), max(run_id), (SELECT sum(i) FROM range(1000) AS t(i)) FROM runs"

// newGuarded starts a pool with small limits, and watches its processes.
func newGuarded(t testing.TB) *guarded {
	all, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{catalogue: all, target: t.TempDir()}
	g.fixture = newPool(t, func(c *Config) {
		c.Concurrent, c.Limits = 4, Limits{MemoryMiB: 128, SpillMiB: 16, Threads: 1, Time: 5 * fuzzTime, Stall: 10 * time.Second, Rows: 2000, Bytes: 4 << 20}
	})
	if home, err := os.UserHomeDir(); err == nil {
		g.home = filepath.Join(home, ".duckdb")
	}
	if err := os.WriteFile(filepath.Join(g.target, "secret.csv"), []byte("a\n"+secretWords+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g.url = "http://" + l.Addr().String() + "/x.csv"
	var watching sync.WaitGroup
	done := make(chan struct{})
	t.Cleanup(func() { close(done); l.Close(); watching.Wait() })
	watching.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			g.connections.Add(1)
			c.Close()
		}
	})
	watching.Go(func() {
		tick := time.NewTicker(look)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
			metrics.Read(sample)
			g.heap.Store(max(g.heap.Load(), sample[0].Value.Uint64()))
			for _, pid := range g.children() {
				g.resident.Store(max(g.resident.Load(), int64(ResidentMiB(pid))))
			}
		}
	})
	g.before, g.right = g.files(t), g.text(otherClient)
	return g
}

// files are all files that a statement might change, by their paths, with size, mode and time.
func (g *guarded) files(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, root := range []string{g.target, g.dir, g.home} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == root {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err == nil {
				all[path] = fmt.Sprint(info.Size(), info.Mode(), info.ModTime().UnixNano())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// run sends the statement of a seed, and looks at everything around it.
func (g *guarded) run(t testing.TB, seed uint64) {
	t.Helper()
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 31)), catalogue: g.catalogue, names: strings.NewReplacer("FILE", filepath.Join(g.target, "written"),
		"SECRET", filepath.Join(g.target, "secret.csv"), "DATA", warehouse.Path(g.dir), "DIR", g.target, "URL", g.url)}
	mark := fmt.Sprintf("mark-%d-", seed)
	text := w.statement() + " /* " + mark + " */"
	q := Query{Text: text, Texts: seed%2 == 0, Time: fuzzTime}
	if strings.Contains(text, "$1") || strings.Contains(text, "?") {
		q.Arguments = g.argument(t, w)
	}
	other := make(chan string, 1)
	if other <- g.right; seed%besides == 0 {
		<-other
		go func() { other <- g.asOther(t.Context()) }()
	}
	began := time.Now()
	answer, err := g.answer(turns.For(t.Context(), "fuzzer"), q)
	took := time.Since(began)
	if seed%besides == 1 {
		if _, err := g.Describe(turns.For(t.Context(), "fuzzer"), q.Arguments, text); err != nil {
			answer += err.Error()
		}
	}
	if got := <-other; got != g.right {
		t.Errorf("%d: another client's answer is %.300s, want %s, beside %s", seed, got, g.right, text)
	}
	if took > fuzzTime+5*time.Second {
		t.Errorf("%d: it took %v: %s", seed, took, text)
	}
	switch outcome := Outcome(err); {
	case outcome == "failed" && strings.Contains(err.Error(), "INTERNAL Error"):
		g.internal.Add(1) // of DuckDB, in a process that ends with it
	case errors.Is(err, errForged), outcome == "failed", outcome == "busy":
		t.Errorf("%d: %v: %s", seed, err, text)
	case outcome == "crashed":
		g.crashed.Add(1)
		t.Logf("%d ended its process: %s", seed, text)
	}
	if err != nil {
		answer += err.Error()
	}
	if strings.Contains(answer, secretWords) {
		t.Errorf("%d: the secret was read: %s", seed, text)
	}
	for _, found := range marks.FindAllString(answer, -1) {
		if !strings.HasPrefix(mark, found) { // DuckDB cuts what it shows of a statement off
			t.Errorf("%d: %s of another statement shows in the answer: %s", seed, found, text)
		}
	}
	g.look(t, seed, text)
}

// answer is the answer of a statement as text; for a client that takes the rows as they are, how many came.
func (g *guarded) answer(ctx context.Context, q Query) (string, error) {
	if q.Texts {
		return g.rows(ctx, q)
	}
	a, err := g.Query(ctx, q)
	if err != nil {
		return "", err
	}
	for {
		if _, err := a.Next(); err != nil {
			return fmt.Sprint(a.Rows), a.Close()
		}
	}
}

// asOther is the answer of another client, or its error.
func (g *guarded) asOther(ctx context.Context) string {
	got, err := g.rows(turns.For(ctx, "another"), Query{Text: otherClient})
	if err != nil {
		return err.Error()
	}
	return got
}

// argument is a row with one argument of some type.
func (g *guarded) argument(t testing.TB, w *writer) []byte {
	var column arrow.Array
	if w.IntN(2) == 0 {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.Append(pick(w, []string{"x", filepath.Join(g.target, "secret.csv"), "FROM enable_logging()", "1", ""}))
		column = b.NewArray()
	} else {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Append(pick(w, []int64{0, 1, -1, 1 << 40}))
		column = b.NewArray()
	}
	record := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "0", Type: column.DataType(), Nullable: true}}, nil), []arrow.Array{column}, 1)
	defer record.Release()
	stream, err := Stream(record)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// look compares files, processes, memory and connections with what they may be.
func (g *guarded) look(t testing.TB, seed uint64, text string) {
	t.Helper()
	after := g.files(t)
	for path, is := range after {
		if was, known := g.before[path]; !known || was != is {
			t.Errorf("%d: %s was %q and is %q: %s", seed, path, was, is, text)
		}
	}
	if len(after) < len(g.before) {
		t.Errorf("%d: %d files of %d are left: %s", seed, len(after), len(g.before), text)
	}
	g.before = after
	if n := g.connections.Swap(0); n > 0 {
		t.Errorf("%d: %d connections were made: %s", seed, n, text)
	}
	if most := g.resident.Swap(0); most > int64(dataMiB(128)) {
		t.Errorf("%d: a process had %d MiB: %s", seed, most, text)
	}
	if most := g.heap.Swap(0); most > fuzzHeap {
		t.Errorf("%d: this process had %d MiB: %s", seed, most>>20, text)
	}
	for _, pid := range g.strangers() {
		if !g.becomesOurs(pid) {
			t.Errorf("%d: the process %d is not of the pool: %s", seed, pid, text)
		}
	}
}

// becomesOurs reports whether a process is one that the pool has just started: it is one of the pool's within seconds.
func (g *guarded) becomesOurs(pid int) bool {
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		if slices.Contains(g.children(), pid) {
			return true
		}
		time.Sleep(time.Millisecond) // another process has no event
	}
	return false
}

// strangers are the descendants of the processes of the pool, and those of this process that are not of the pool.
func (g *guarded) strangers() (pids []int) {
	known := g.children()
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if err != nil || len(fields) < 2 {
			continue // it has ended
		}
		parent, _ := strconv.Atoi(fields[1])
		ours := parent == os.Getpid() && fields[0] != "Z" && !slices.Contains(known, pid) && !slices.Contains(g.children(), pid)
		if _, err := os.Stat("/proc/" + e.Name()); err == nil && (ours || slices.Contains(known, parent)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// seedStatements are the statements that each run of the tests sends.
const seedStatements = 50

// FuzzStatements sends statements that a grammar makes of DuckDB's own functions, settings and types, and watches from
// outside: nothing is written, read, reached or started, every limit holds, and another client's answers stay right.
func FuzzStatements(f *testing.F) {
	for seed := range uint64(seedStatements) {
		f.Add(seed)
	}
	g := newGuarded(f)
	f.Fuzz(func(t *testing.T, seed uint64) { g.run(t, seed) })
}

// TestStatementsForLong is FuzzStatements for as many minutes as FLEETLAKE_LONG says.
func TestStatementsForLong(t *testing.T) {
	minutes, err := strconv.Atoi(os.Getenv("FLEETLAKE_LONG"))
	if err != nil {
		t.Skip("FLEETLAKE_LONG is no number of minutes")
	}
	g, began, seed := newGuarded(t), time.Now(), uint64(time.Now().Unix())<<16
	first := seed
	for ; time.Since(began) < time.Duration(minutes)*time.Minute; seed++ {
		g.run(t, seed)
	}
	t.Logf("%d statements, of which %d ended their process and %d met an internal error of DuckDB", seed-first, g.crashed.Load(), g.internal.Load())
}
