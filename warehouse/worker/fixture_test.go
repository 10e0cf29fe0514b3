package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// verb makes the test binary a process of a pool.
const verb = "query-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == verb {
		if err := Serve(context.Background(), os.Stdin, Answers()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == hostileVerb {
		hostile(os.Args[2])
		os.Exit(0)
	}
	os.Exit(pipelinetest.Run(m))
}

// fixture is a pool over a data directory.
type fixture struct {
	*Pool
	t   testing.TB
	dir string
	log *pipelinetest.Log

	mu       sync.Mutex
	outcomes []string
}

// newPool returns a pool over the night of the 20th, with small limits that edit changes.
func newPool(t testing.TB, edit func(*Config)) *fixture {
	t.Helper()
	dir, _ := pipelinetest.Night(t)
	f := &fixture{t: t, dir: dir, log: &pipelinetest.Log{}}
	program, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Dir: dir, Command: []string{program, verb}, Temp: t.TempDir(), Concurrent: 2, Queue: 2, Wait: 10 * time.Second, Idle: time.Minute,
		Limits: Limits{MemoryMiB: 128, SpillMiB: 256, Threads: 1, Time: 5 * time.Minute, Stall: 20 * time.Second, Rows: 3_000_000, Bytes: 256 << 20},
		Log:    slog.New(slog.NewTextHandler(f.log, nil)),
		Ended: func(outcome string, _ time.Duration) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.outcomes = append(f.outcomes, outcome)
		}}
	if edit != nil {
		edit(&c)
	}
	if f.Pool, err = New(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// prepared are the processes that wait for a query, when as many wait as may.
func (f *fixture) prepared() []*process {
	for {
		f.Pool.mu.Lock()
		waiting := slices.Clone(f.idle)
		f.Pool.mu.Unlock()
		if len(waiting) == min(prepared, f.config.Concurrent) {
			return waiting
		}
		time.Sleep(time.Millisecond) // another process has no event
	}
}

// last is how the last query ended.
func (f *fixture) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.outcomes) == 0 {
		return ""
	}
	return f.outcomes[len(f.outcomes)-1]
}

// rows runs a query, and returns its rows as text, a line each.
func (f *fixture) rows(ctx context.Context, q Query) (string, error) {
	a, err := f.Query(ctx, q)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for {
		record, err := a.Next()
		if errors.Is(err, io.EOF) {
			return b.String(), a.Close()
		}
		if err != nil {
			if closed := a.Close(); !errors.Is(closed, err) {
				f.t.Errorf("the answer ended with %v and closed with %v", err, closed)
			}
			return b.String(), err
		}
		write(&b, record)
	}
}

func write(b *strings.Builder, record arrow.Record) {
	for i := range int(record.NumRows()) {
		for k, c := range record.Columns() {
			if k > 0 {
				b.WriteString(" ")
			}
			b.WriteString(c.ValueStr(i))
		}
		b.WriteString(";")
	}
}

// text is the answer of a query that must be good.
func (f *fixture) text(sql string) string {
	f.t.Helper()
	got, err := f.rows(f.t.Context(), Query{Text: sql})
	if err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// row is an Arrow stream with one row.
func row(t *testing.T, columns ...arrow.Array) []byte {
	t.Helper()
	var fields []arrow.Field
	for i, c := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: c.DataType(), Nullable: true})
	}
	record := array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
	defer record.Release()
	stream, err := Stream(record)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}
