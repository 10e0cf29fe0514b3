package worker

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
)

func TestAQueryIsAnswered(t *testing.T) {
	f := newPool(t, nil)
	for sql, want := range map[string]string{
		"SELECT 1 AS a, 'x' AS b":                 "1 x;",
		"SELECT count(*) FROM runs":               "1;",
		"SELECT run_id FROM runs WHERE false":     "",
		"EXPLAIN SELECT 1":                        "",
		"SELECT getenv('HOME')":                   "",
		"SELECT sum(range) FROM range(100000)":    "4999950000;",
		"SELECT current_setting('TimeZone') AS a": "UTC;",
		"SELECT current_setting('memory_limit')":  "128.0 MiB;",
		"SELECT DISTINCT catalog_name FROM (SELECT current_catalog() AS catalog_name)": "fleet;",
	} {
		got, err := f.rows(t.Context(), Query{Text: sql})
		if err == nil && want != "" && got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
		if err != nil && !strings.Contains(sql, "getenv") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestValuesComeAsTexts where they are asked for so, as every way to ask writes them, which takes the pool's process no more than any text.
func TestValuesComeAsTexts(t *testing.T) {
	f := newPool(t, nil)
	for sql, want := range map[string]string{
		"SELECT [1, NULL], {'a': 'x'}, MAP {1: [2]}": "[1, NULL] {'a': x} {1=[2]};",
		"SELECT 1, 'x', TIMESTAMPTZ '2026-11-20'":    "1 x 2026-11-20T00:00:00Z;",
		"SELECT 52::DOUBLE, TIMESTAMP '2026-11-20'":  "52.0 2026-11-20 00:00:00;",
	} {
		if got, err := f.rows(t.Context(), Query{Text: sql, Texts: true}); err != nil || got != want {
			t.Errorf("%s: %q, %v", sql, got, err)
		}
	}
	_, err := f.rows(t.Context(), Query{Text: "SELECT list(true) FROM range(5000000)", Texts: true})
	if !errors.Is(err, ErrBytes) {
		t.Errorf("a long list: %v", err)
	}
	_, err = f.rows(t.Context(), Query{Text: "SELECT list(q) FROM (SELECT map_extract_value(MAP {}, 1e308) FROM range(1000000) AS t(i)) AS q", Texts: true})
	if !errors.Is(err, warehouse.ErrRoom) {
		t.Errorf("one whose text does not fit into the memory of the process: %v (%s)", err, f.last())
	}
}

// TestAllRowsCome reads answers of more than one slice and of large rows, in their order.
func TestAllRowsCome(t *testing.T) {
	f := newPool(t, func(c *Config) { c.Limits.MemoryMiB = 512 }) // the race detector takes some, too
	for name, sql := range map[string]string{
		"many rows":  "SELECT range AS i, md5(range::VARCHAR) AS s FROM range(300000)",
		"large rows": "SELECT range AS i, repeat('x', 100000) AS s FROM range(500)",
		"some large": "SELECT range AS i, repeat('x', CASE WHEN range % 1000 = 7 THEN 3000000 ELSE 1 END) AS s FROM range(9000)",
	} {
		t.Run(name, func(t *testing.T) {
			a, err := f.Query(t.Context(), Query{Text: sql})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			n, greatest := int64(0), uint64(0)
			for {
				record, err := a.Next()
				if err != nil {
					break
				}
				size := uint64(0)
				for _, c := range record.Columns() {
					size += c.Data().SizeInBytes()
				}
				greatest = max(greatest, size)
				for i := range int(record.NumRows()) {
					if got := record.Column(0).ValueStr(i); got != strconv.FormatInt(n, 10) {
						t.Fatalf("row %d has number %s", n, got)
					}
					n++
				}
			}
			if err := a.Close(); err != nil || n != a.Rows {
				t.Errorf("%d rows of %d: %v", n, a.Rows, err)
			}
			if greatest > 2*recordBytes {
				t.Errorf("a record of %d bytes", greatest)
			}
		})
	}
}

// TestLimits asks for a little less and a little more than each limit allows.
func TestLimits(t *testing.T) {
	f := newPool(t, func(c *Config) { c.Limits.Rows, c.Limits.Bytes = 100_000, 16<<20 })
	brief := newPool(t, func(c *Config) { c.Limits.Time = 2500 * time.Millisecond })
	memory := newPool(t, nil)
	for name, c := range map[string]struct {
		of      *fixture
		sql     string
		want    error
		outcome string
	}{
		"as many rows as allowed":  {f, "FROM range(100000)", nil, "done"},
		"a row more":               {f, "FROM range(100001)", ErrRows, "rows"},
		"fewer bytes than allowed": {f, "SELECT repeat('x', 1500) FROM range(10000)", nil, "done"},
		"more bytes":               {f, "SELECT repeat('x', 1800) FROM range(10000)", ErrBytes, "bytes"},
		"a row of 15 MiB":          {f, "SELECT repeat('x', 15000000)", nil, "done"},
		"a row of 16 MiB and more": {f, "SELECT repeat('x', 17000000)", ErrBytes, "bytes"},
		"as many elements as may":  {f, "SELECT list(true) FROM range(1048576)", nil, "done"},
		"an element more":          {f, "SELECT list(true) FROM range(1048577)", ErrBytes, "bytes"},
		"elements of elements":     {f, "SELECT list({'a': [true, true]}) FROM range(262145)", ErrBytes, "bytes"},
		"nested, and few":          {f, "SELECT list({'a': [true, true]}) FROM range(262144)", nil, "done"},
		"an array of many":         {f, "SELECT [i, i]::BIGINT[2] FROM range(100000) AS t(i)", nil, "done"},
		"many columns in a row":    {f, "SELECT * FROM (SELECT list(repeat('x', 1000000)) AS l FROM range(20))", ErrBytes, "bytes"},
		"long names of columns":    {f, "PIVOT (SELECT repeat(chr(97 + (i % 26)::INTEGER), 30000 + i) AS name FROM range(60) AS t(i)) ON name USING count(*)", ErrBytes, "bytes"},
		"an error of any size":     {f, "SELECT error(repeat('x', 1000000))", warehouse.ErrStatement, "refused"},
		"too long":                 {brief, "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b", ErrTime, "time"},
		"what cannot be stopped":   {brief, "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))", ErrTime, "time"},
		"too much memory":          {memory, "SELECT list(md5(i::VARCHAR)) FROM range(3000000) AS r(i)", warehouse.ErrRoom, "memory"},
		"memory beyond DuckDB's":   {memory, "SELECT length(repeat('x', 4000000000))", warehouse.ErrRoom, "memory"},
		"endless recursion":        {brief, "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r", ErrTime, "time"},
		"a wrong name":             {f, "SELECT nme FROM runs", warehouse.ErrStatement, "refused"},
		"a file":                   {f, "FROM read_text('/etc/passwd')", warehouse.ErrFiles, "refused"},
		"two statements":           {f, "SELECT 1; SELECT 2", warehouse.ErrStatement, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			f := c.of
			began := time.Now()
			_, err := f.rows(t.Context(), Query{Text: c.sql})
			if !errors.Is(err, c.want) || f.last() != c.outcome {
				t.Errorf("got %v (%s), want %v (%s)", err, f.last(), c.want, c.outcome)
			}
			if took := time.Since(began); took > 25*time.Second {
				t.Errorf("it took %v", took)
			}
			if got := f.text("SELECT count(*) FROM runs"); got != "1;" {
				t.Errorf("afterwards: %s", got)
			}
		})
	}
}

// children are the processes of a pool.
func (f *fixture) children() (pids []int) {
	f.Pool.mu.Lock()
	defer f.Pool.mu.Unlock()
	for one := range f.all {
		pids = append(pids, one.cmd.Process.Pid)
	}
	return pids
}

// TestAKilledProcessTakesOneQueryWithIt kills the process of one of two queries: that one gets an error
// that says so, the other its answer, and the next a new process.
func TestAKilledProcessTakesOneQueryWithIt(t *testing.T) {
	f := newPool(t, nil)
	other, err := f.Query(turns.For(t.Context(), "another"), Query{Text: "FROM range(2000000)"})
	if err != nil {
		t.Fatal(err)
	}
	spared := other.process.cmd.Process.Pid
	ended := make(chan error, 1)
	go func() {
		_, err := f.rows(t.Context(), Query{Text: "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b"})
		ended <- err
	}()
	for f.Stats().Running < 2 || len(f.children()) < 2 {
		time.Sleep(time.Millisecond) // a pool counts who runs, and announces nobody
	}
	kill := func() {
		for _, pid := range f.children() {
			if pid != spared {
				_ = syscall.Kill(pid, syscall.SIGSEGV) // it may have ended
			}
		}
	}
	err = nil
	for err == nil { // one that had not read the statement yet is replaced once
		kill()
		select {
		case err = <-ended:
		case <-time.After(100 * time.Millisecond):
		}
	}
	if !errors.Is(err, ErrEnded) || f.last() != "crashed" {
		t.Errorf("the killed query: %v (%s)", err, f.last())
	}
	n := int64(0)
	for {
		record, err := other.Next()
		if err != nil {
			break
		}
		n += record.NumRows()
	}
	if err := other.Close(); err != nil || n != 2_000_000 {
		t.Errorf("the other query: %d rows, %v", n, err)
	}
	if got := f.text("SELECT 1"); got != "1;" || !strings.Contains(f.log.String(), "a query ended its process") {
		t.Errorf("afterwards: %s, log %s", got, f.log)
	}
}

// TestAProcessThatEndedWhileIdleIsReplaced, as one that the kernel killed.
func TestAProcessThatEndedWhileIdleIsReplaced(t *testing.T) {
	f := newPool(t, nil)
	f.text("SELECT 1")
	for _, one := range f.prepared() {
		one.kill()
		<-one.gone
	}
	if got := f.text("SELECT 2"); got != "2;" || !strings.Contains(f.log.String(), "ended while it was idle") {
		t.Errorf("got %s, log %s", got, f.log)
	}
}

// TestQueriesWaitForTheirTurn runs as many as may run and lets as many wait as may wait; one more is
// refused at once, and one that waits too long in time.
func TestQueriesWaitForTheirTurn(t *testing.T) {
	f := newPool(t, func(c *Config) { c.Concurrent, c.Queue, c.Wait = 1, 1, 2*time.Second })
	first, err := f.Query(t.Context(), Query{Text: "SELECT 1"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	wait := func() { _, err := f.rows(t.Context(), Query{Text: "SELECT 2"}); ended <- err }
	go wait()
	for f.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond) // a pool counts who waits, and announces nobody
	}
	if _, err := f.rows(t.Context(), Query{Text: "SELECT 3"}); !errors.Is(err, ErrBusy) || f.last() != "busy" {
		t.Errorf("beyond the queue: %v", err)
	}
	if err := <-ended; !errors.Is(err, ErrBusy) {
		t.Errorf("waited too long: %v", err)
	}
	go wait()
	for f.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond) // as above
	}
	if err := first.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("closed before its end: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after its turn came: %v", err)
	}
	if s := f.Stats(); s.Running != 0 || s.Waiting != 0 {
		t.Errorf("afterwards: %+v", s)
	}
}

// TestAClientThatTakesNoRowsIsGivenUp, and one that takes them in time is not.
func TestAClientThatTakesNoRowsIsGivenUp(t *testing.T) {
	f := newPool(t, func(c *Config) { c.Limits.Stall = 300 * time.Millisecond })
	a, err := f.Query(t.Context(), Query{Text: "FROM range(2000000)"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(); err != nil {
		t.Errorf("the first rows: %v", err)
	}
	time.Sleep(700 * time.Millisecond) // longer than a client may
	for err = nil; err == nil; {
		_, err = a.Next()
	}
	if !errors.Is(err, ErrStalled) || !errors.Is(a.Close(), ErrStalled) || f.last() != "stalled" {
		t.Errorf("got %v (%s)", err, f.last())
	}
}

// TestAClientThatReceivesIsNotGivenUp, however long all of what Next returned takes.
func TestAClientThatReceivesIsNotGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watch{pool: &Pool{config: Config{Limits: Limits{Stall: time.Minute}}}}
		a := &Answer{watch: w}
		for range 3 {
			a.Received()
			time.Sleep(time.Minute)
			if err := w.time(); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Nanosecond)
		if err := w.time(); !errors.Is(err, ErrStalled) {
			t.Errorf("after the time: %v", err)
		}
	})
}

// TestAProcessHasNoSecrets looks at its environment, and at what it may use.
func TestAProcessHasNoSecrets(t *testing.T) {
	t.Setenv("FLEETLAKE_API_KEY", "planted-key")
	f := newPool(t, nil)
	f.text("SELECT 1")
	one := f.prepared()[0]
	if _, err := one.isReady(); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(one.cmd.Process.Pid)
	environ, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		t.Skip("no /proc to read the environment of a process from: ", err)
	}
	if len(environ) > 0 {
		t.Errorf("environment: %q", environ)
	}
	limits, err := os.ReadFile("/proc/" + pid + "/limits")
	if err != nil || !strings.Contains(string(limits), strconv.Itoa(dataMiB(128)<<20)) {
		t.Errorf("limits: %v\n%s", err, limits)
	}
	tasks, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil || len(tasks) < 2 {
		t.Fatal(tasks, err)
	}
	for _, task := range tasks {
		stat, err := os.ReadFile("/proc/" + pid + "/task/" + task.Name() + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); err != nil || fields[16] != strconv.Itoa(niceness) {
			t.Errorf("a thread has priority %s, want %d (%v)", fields[16], niceness, err)
		}
	}
}

// TestClosingEndsAll closes a pool with a query that runs and one that waits.
func TestClosingEndsAll(t *testing.T) {
	f := newPool(t, func(c *Config) { c.Concurrent = 1 })
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := f.rows(t.Context(), Query{Text: "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b"})
			ended <- err
		}()
	}
	for f.Stats().Waiting == 0 || len(f.children()) == 0 {
		time.Sleep(time.Millisecond) // another process has no event
	}
	pid := f.children()[0]
	began := time.Now()
	f.Close()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want %v", err, ErrClosed)
		}
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process is still there: %v", err)
	}
	if _, err := f.rows(t.Context(), Query{Text: "SELECT 1"}); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
	if left, err := os.ReadDir(f.config.Temp); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestNobodyWaitsForAProcessThatStartsForOthers: while a process starts for a later query, which takes as long as the test
// holds it, a query runs in one that is there.
func TestNobodyWaitsForAProcessThatStartsForOthers(t *testing.T) {
	f := newPool(t, nil)
	f.text("SELECT 1")
	f.prepared()
	held, release := make(chan struct{}), make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.starter.run(func() { close(held); <-release })
	}()
	<-held
	for range prepared {
		answered := make(chan string, 1)
		go func() { answered <- f.text("SELECT 2") }()
		select {
		case got := <-answered:
			if got != "2;" {
				t.Errorf("got %s", got)
			}
		case <-time.After(10 * time.Second):
			t.Error("a query waits for a process that it does not need")
		}
	}
	close(release)
	<-ended
}

// TestIdleProcessesEnd after a while, and the next query starts one again.
func TestIdleProcessesEnd(t *testing.T) {
	f := newPool(t, func(c *Config) { c.Idle = 50 * time.Millisecond })
	f.text("SELECT 1")
	for len(f.children()) > 0 {
		time.Sleep(time.Millisecond) // another process has no event
	}
	if got := f.text("SELECT 2"); got != "2;" {
		t.Errorf("got %s", got)
	}
}

// TestANewVersionIsPickedUp publishes while an answer is read and a process is idle: the answer stays as
// it began, the next query sees the new night, and nobody keeps the removed file open.
func TestANewVersionIsPickedUp(t *testing.T) {
	f := newPool(t, nil)
	const sql = "SELECT count(DISTINCT run_id) FROM runs, range(300000)"
	a, err := f.Query(turns.For(t.Context(), "another"), Query{Text: "SELECT run_id FROM runs, range(300000)"})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.text(sql); got != "1;" {
		t.Errorf("before: %s", got)
	}
	pipelinetest.Publish(t, f.dir, 21)
	if got := f.text(sql); got != "2;" {
		t.Errorf("after the publish: %s", got)
	}
	n := int64(0)
	for {
		record, err := a.Next()
		if err != nil {
			break
		}
		n += record.NumRows()
	}
	if err := a.Close(); err != nil || n != 300_000 {
		t.Errorf("the answer that had begun: %d rows, %v", n, err)
	}
	for deadline := time.Now().Add(10 * freshness); f.openFiles("(deleted)") > 0; {
		if time.Now().After(deadline) {
			t.Fatal("a replaced file is still open")
		}
		time.Sleep(10 * time.Millisecond) // another process has no event
	}
}

// openFiles counts the descriptors of all processes on files whose path contains a word.
func (f *fixture) openFiles(word string) (n int) {
	for _, pid := range f.children() {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if to, err := os.Readlink(dir + e.Name()); err == nil && strings.Contains(to, word) {
				n++
			}
		}
	}
	return n
}
