package flight

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"

	"golang.org/x/sync/semaphore"

	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestAPanicWhileAnAnswerIsSentEndsThatAnswer: an answer with other columns than the server expects ended the daemon,
// with a harvest in it.
func TestAPanicWhileAnAnswerIsSentEndsThatAnswer(t *testing.T) {
	f := newServer(t, nil)
	s := &service{pool: f.pool, log: slog.New(slog.DiscardHandler), running: map[string]context.CancelFunc{}, stall: time.Minute,
		ahead: semaphore.NewWeighted(aheadOfAll)}
	two := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Int32}}, nil)
	_, chunks, err := s.stream(t.Context(), worker.Query{Text: "SELECT 1"}, func(r arrow.Record) arrow.Record { return array.NewRecord(two, r.Columns(), r.NumRows()) }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	var all []flight.StreamChunk
	for c := range chunks {
		all = append(all, c)
	}
	if len(all) != 1 || all[0].Err == nil || !strings.Contains(all[0].Err.Error(), "the query failed") {
		t.Errorf("got %v", all)
	}
	if got := f.client().good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestPreparedStatementsAreCountedWithTheirColumns, which can be much larger than their text.
func TestPreparedStatementsAreCountedWithTheirColumns(t *testing.T) {
	kept := newStatements()
	var fields []arrow.Field
	for i := range 30 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i, strings.Repeat("x", 30_000)), Type: arrow.PrimitiveTypes.Int64})
	}
	schema := arrow.NewSchema(fields, nil)
	for range 200 {
		kept.add(statement{of: anybody, text: "SELECT 1", schema: schema})
	}
	if n := kept.order.Len(); n < 30 || n*30*60_000 > maxPreparedBytes || kept.bytes > maxPreparedBytes {
		t.Errorf("%d statements with %d bytes", n, kept.bytes)
	}
	for e := kept.order.Front(); e != nil; e = kept.order.Front() {
		kept.close(anybody, []byte(e.Value.(*statement).handle))
	}
	if kept.bytes != 0 {
		t.Errorf("%d bytes of no statement", kept.bytes)
	}
}
