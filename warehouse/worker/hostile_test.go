package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
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
	_, _, err = from.frame()
	orPanic(err)
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
	case "sends a request":
		orPanic(ours.message(frameRequest, request{}))
	case "says nothing":
		select {}
	}
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
			if log := f.log.String(); !strings.Contains(log, want.log) || len(log) > 2*maxTail {
				t.Errorf("log: %s", log)
			}
		})
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
// for one to start.
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
		})
	}
}
