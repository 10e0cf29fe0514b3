package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/fleetlake/fleetlake/warehouse"
)

// hostileVerb makes the test binary a process of a pool that a statement has taken over.
const hostileVerb = "hostile-worker"

// answerTo sends the number 31,337 as an answer.
func answerTo(s *sender) error {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.Append(31337)
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	w := ipc.NewWriter(s, ipc.WithSchema(schema))
	return errors.Join(s.message(frameAnswer, answer{Rows: 1}), w.Write(array.NewRecord(schema, []arrow.Array{b.NewArray()}, 1)), w.Close())
}

// hostile answers one request in a way that our code never does.
func hostile(how string) {
	from := &receiver{from: os.Stdin}
	var h hello
	_, content, err := from.frame()
	orPanic(errors.Join(err, decode(content, &h)))
	from.mark = h.Mark
	out := Answers()
	ours, others := &sender{to: out, mark: h.Mark}, &sender{to: out, mark: h.Mark + 1}
	orPanic(ours.message(frameReady, ready{}))
	if how == "ends before it has read" {
		_, err := io.ReadFull(os.Stdin, make([]byte, 1))
		orPanic(err)
		return
	}
	_, _, err = from.frame()
	orPanic(errors.Join(err, ours.message(frameTaken, taken{})))
	others.next = ours.next
	switch how {
	case "floods the standard descriptors":
		fmt.Print(strings.Repeat("31337\n", 100_000)) // more than a pipe holds, if it were one
		fmt.Fprint(os.Stderr, strings.Repeat("x", 10<<20))
		orPanic(errors.Join(answerTo(ours), ours.message(frameEnd, end{})))
	case "forges the whole answer":
		orPanic(errors.Join(answerTo(others), others.message(frameEnd, end{})))
	case "forges the rows":
		orPanic(errors.Join(ours.message(frameAnswer, answer{Rows: 1}), others.frame(frameData, []byte("x"))))
	case "sends more after the end":
		orPanic(errors.Join(answerTo(ours), ours.message(frameEnd, end{}), others.frame(frameData, []byte("x"))))
	case "sends no Arrow":
		orPanic(errors.Join(ours.message(frameAnswer, answer{Rows: 1}), ours.frame(frameData, []byte(strings.Repeat("\xff", 4096))), ours.message(frameEnd, end{})))
	case "claims 4 GiB":
		var b bytes.Buffer
		number := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
		w := ipc.NewWriter(&b, ipc.WithSchema(number))
		record := array.NewRecord(number, []arrow.Array{array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, 1<<16, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 8<<16))}, nil, 0, 0))}, 1<<16)
		orPanic(w.Write(record))
		length := binary.LittleEndian.AppendUint64(nil, 8<<16)
		forged := bytes.Replace(b.Bytes(), length, binary.LittleEndian.AppendUint64(nil, 4<<30), 1)
		orPanic(ours.message(frameAnswer, answer{Rows: 1}))
		_, err := ours.Write(forged)
		orPanic(errors.Join(err, ours.message(frameEnd, end{})))
	case "claims metadata of 2 GiB":
		forged := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, continuation), 1<<31-1)
		orPanic(ours.message(frameAnswer, answer{Rows: 1}))
		_, err := ours.Write(forged)
		orPanic(errors.Join(err, ours.message(frameEnd, end{})))
	case "sends a request":
		orPanic(ours.message(frameRequest, request{}))
	case "writes":
		_, err := restrict(h)
		orPanic(errors.Join(err, ours.message(frameEnd, end{failed, written(h)})))
	case "fills its directory":
		_, err := restrict(h)
		for i := 0; err == nil; i++ {
			err = os.WriteFile(fmt.Sprintf("%s/%d", h.Spill, i), make([]byte, 1<<20), 0o600)
		}
		orPanic(err)
	case "says nothing":
		select {}
	}
}

// written are the words of what a process could do that it should not.
func written(h hello) (could string) {
	for what, err := range map[string]error{
		"make a file in the data directory":           os.WriteFile(filepath.Join(h.Dir, "written"), []byte("x"), 0o600),
		"change the published file":                   os.Truncate(filepath.Join(h.Dir, "warehouse", "fleet.duckdb"), 0),
		"remove the published file":                   os.Remove(filepath.Join(h.Dir, "warehouse", "fleet.duckdb")),
		"make a directory where anybody may":          os.Mkdir(filepath.Join(os.TempDir(), "fleetlake-written-"+strconv.Itoa(os.Getpid())), 0o700),
		"make a file larger than DuckDB may spill":    os.WriteFile(filepath.Join(h.Spill, "large"), make([]byte, h.SpillMiB<<20+1), 0o600),
		"connect to a port of this machine":           connect(),
		"be refused a file in its directory of spill": not(os.WriteFile(filepath.Join(h.Spill, "small"), []byte("x"), 0o600)),
	} {
		if err == nil {
			could += what + "; "
		}
	}
	return "it could " + could
}

// connect is an error that says that no connection is allowed, and nil for any other.
func connect() error {
	if _, err := net.Dial("tcp", "127.0.0.1:9"); errors.Is(err, os.ErrPermission) {
		return err
	}
	return nil
}

func not(err error) error {
	if err == nil {
		return errors.New("it is not")
	}
	return nil
}

func orPanic(err error) {
	if err != nil {
		panic(err)
	}
}

// TestAProcessThatIsNotOursAnyMore: a statement that takes its process over forges no answer, and what it sends is
// neither kept nor given to anybody else.
func TestAProcessThatIsNotOursAnyMore(t *testing.T) {
	for how, want := range map[string]struct{ rows, log string }{
		"floods the standard descriptors": {"31337;", ""},
		"forges the whole answer":         {"", "sent what is no answer"},
		"forges the rows":                 {"", "sent what is no answer"},
		"sends more after the end":        {"31337;", "sent more than its answer"},
		"sends no Arrow":                  {"", ""},
		"claims 4 GiB":                    {"", ""},
		"claims metadata of 2 GiB":        {"", ""},
		"sends a request":                 {"", "sent what is no answer"},
		"says nothing":                    {"", ""},
	} {
		t.Run(how, func(t *testing.T) {
			f := newPool(t, func(c *Config) {
				c.Command = []string{c.Command[0], hostileVerb, how}
				c.Limits.Time = 2 * time.Second
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			rows, err := f.rows(ctx, Query{Text: "SELECT count(*) FROM vessels"})
			if rows != want.rows || (err == nil) != (want.rows != "") {
				t.Errorf("got %q, %v, want %q; log %.3000s", rows, err, want.rows, f.log)
			}
			if strings.HasPrefix(how, "claims") && !errors.Is(err, ErrBytes) {
				t.Errorf("got %v, want %v", err, ErrBytes)
			}
			if log := f.log.String(); !strings.Contains(log, want.log) || len(log) > 2*maxTail {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// TestAStatementOutlivesAProcessThatHasNotReadIt, as one that the kernel kills while it waits. If the next one ends so,
// too, the statement is given up.
func TestAStatementOutlivesAProcessThatHasNotReadIt(t *testing.T) {
	for name, next := range map[string][]string{"and the next one answers": {verb}, "and the next one ends, too": {hostileVerb, "ends before it has read"}} {
		f := newPool(t, func(c *Config) { c.Command = append([]string{c.Command[0]}, next...) })
		of := f.config
		of.Command = []string{of.Command[0], hostileVerb, "ends before it has read"}
		waits, err := startProcess(of, f.starter)
		if err != nil {
			t.Fatal(err)
		}
		f.Pool.mu.Lock()
		f.Pool.idle, f.Pool.all[waits] = []*process{waits}, true
		f.Pool.mu.Unlock()
		rows, err := f.rows(t.Context(), Query{Text: "SELECT 31337"})
		if answers := len(next) == 1; answers && (rows != "31337;" || err != nil) || !answers && !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %q, %v", name, rows, err)
		}
		if n := strings.Count(f.log.String(), "before it had read its statement"); n != 1 || f.Stats().Running != 0 {
			t.Errorf("%s: said %d times, %+v: %s", name, n, f.Stats(), f.log)
		}
	}
}

// TestProcessesThatAreKilledWhileTheyWaitTakeNoStatementWithThem, at whatever moment.
func TestProcessesThatAreKilledWhileTheyWaitTakeNoStatementWithThem(t *testing.T) {
	f := newPool(t, nil)
	f.text("SELECT 1")
	for range 5 {
		for _, one := range f.prepared() {
			one.kill() // and the next statement does not wait until it is known
		}
		if got := f.text("SELECT 2"); got != "2;" {
			t.Errorf("got %s", got)
		}
	}
}

// TestAProcessWritesNothing even if a statement has taken it over, but for what DuckDB may spill.
func TestAProcessWritesNothing(t *testing.T) {
	f := newPool(t, func(c *Config) {
		c.Command, c.Limits.SpillMiB = []string{c.Command[0], hostileVerb, "writes"}, 8
	})
	if f.starter.unlimited != "" {
		t.Skip("this kernel has no Landlock: ", f.starter.unlimited)
	}
	if _, err := f.rows(t.Context(), Query{Text: "SELECT 1"}); err == nil || err.Error() != "it could " {
		t.Error(err)
	}
	if log := f.log.String(); strings.Contains(log, "cannot set all their limits") {
		t.Errorf("log: %s", log)
	}
}

// TestADirectoryThatFillsIsNoticed from outside: DuckDB's limit counts only what it spills.
func TestADirectoryThatFillsIsNoticed(t *testing.T) {
	f := newPool(t, func(c *Config) {
		c.Command, c.Limits.SpillMiB = []string{c.Command[0], hostileVerb, "fills its directory"}, 8
	})
	if _, err := f.rows(t.Context(), Query{Text: "SELECT 1"}); !errors.Is(err, warehouse.ErrRoom) || f.last() != "memory" {
		t.Errorf("got %v (%s)", err, f.last())
	}
}

// TestALimitThatCannotBeSetIsSaidOnce, and the queries are answered: a service may be forbidden to change priorities.
func TestALimitThatCannotBeSetIsSaidOnce(t *testing.T) {
	f := newPool(t, nil)
	f.starter.unlimited = "a limit of tests"
	f.text("SELECT 1")
	f.text("SELECT 2")
	if n := strings.Count(f.log.String(), "cannot set all their limits"); n != 1 || !strings.Contains(f.log.String(), "a limit of tests") {
		t.Errorf("said %d times: %s", n, f.log)
	}
}

// TestAProcessRunsOneStatement: after its answer the process is gone, and another one gives the next.
func TestAProcessRunsOneStatement(t *testing.T) {
	f := newPool(t, nil)
	var before *process
	for range 3 {
		a, err := f.Query(t.Context(), Query{Text: "SELECT 1"})
		if err != nil {
			t.Fatal(err)
		}
		if a.process == before {
			t.Error("a process answers a second statement")
		}
		for err = nil; err == nil; {
			_, err = a.Next()
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if before = a.process; before.alive() {
			t.Error("a process outlives its statement")
		}
		if _, err := os.Stat(before.spill); !os.IsNotExist(err) {
			t.Errorf("its directory is still there: %v", err)
		}
	}
}

// BenchmarkSmallQuery is what a client waits for an answer of one row. With more than the processes that wait, it waits
// for one to start. It also reports the memory that a process has for itself while it waits.
func BenchmarkSmallQuery(b *testing.B) {
	for name, ahead := range map[string]bool{"at once after another": false, "when processes wait": true} {
		b.Run(name, func(b *testing.B) {
			f := newPool(b, nil)
			f.text("SELECT 1")
			for b.Loop() {
				if ahead {
					b.StopTimer()
					for _, one := range f.prepared() {
						if _, err := one.from.from.(*bufio.Reader).Peek(1); err != nil { // it says that it is ready
							b.Fatal(err)
						}
					}
					b.StartTimer()
				}
				f.text("SELECT count(*) FROM vessels")
			}
			one := f.prepared()[0]
			if _, err := one.isReady(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(ResidentMiB(one.cmd.Process.Pid)), "MiB/process")
		})
	}
}
