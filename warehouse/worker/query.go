package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Query is a statement that reads.
type Query struct {
	Text      string
	Texts     bool          // all values come as texts, which Answer.Texts yields
	Arguments []byte        // an Arrow stream with one row, a column for each parameter; nil is none
	Time      time.Duration // if more than 0, less time than Limits has
	Rows      int64         // likewise

	// Progress is told how the query does, whenever that changes, and must not block; nil is nobody.
	Progress func(Progress)
}

// Progress is how far a query is.
type Progress struct {
	Running bool
	Before  int // queries that came before and still wait, while it is not running
}

// Description is what a statement returns and needs.
type Description struct {
	Schema     *arrow.Schema
	Parameters []warehouse.BoundParameter
}

// Answer is the answer of a query. It has to be closed.
type Answer struct {
	Rows int64

	pool    *Pool
	process *process
	watch   *watch
	data    *frames
	reader  *ipc.Reader
	began   time.Time
	done    func() // ends the turn
	err     error  // how it ended; nil while it has not, or if it was good
	closed  bool
}

// Describe returns the columns and parameters of statements, as arguments make them if there is one
// statement; otherwise each parameter is NULL. Its errors are those of Query.
func (p *Pool) Describe(ctx context.Context, arguments []byte, texts ...string) ([]Description, error) {
	a := &Answer{pool: p}
	var all []Description
	header, err := a.begin(ctx, request{Describe: true, Statements: texts, Arguments: arguments}, p.config.Limits.Time, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, a.data)
		err = a.failure(err)
	}
	for _, s := range header.Statements {
		schema, bad := schemaOf(s.Columns)
		err = errors.Join(err, bad)
		all = append(all, Description{schema, s.Parameters})
	}
	return all, a.finish(err)
}

// Query runs a statement. It returns when the answer is complete in the process, before its first row is
// read. Its errors are those of the package, those of Open and Query of warehouse, and those of ctx,
// which also ends the answer.
func (p *Pool) Query(ctx context.Context, q Query) (*Answer, error) {
	l := p.config.Limits
	a := &Answer{pool: p}
	r := request{Statements: []string{q.Text}, Arguments: q.Arguments, Texts: q.Texts, Rows: least(l.Rows, q.Rows), Bytes: l.Bytes}
	header, err := a.begin(ctx, r, least(l.Time, q.Time), q.Progress)
	if err != nil {
		return nil, a.finish(err)
	}
	a.Rows = header.Rows
	if a.reader, err = newStreamReader(a.data, ipc.WithAllocator(&held{})); err != nil {
		return nil, a.finish(a.failure(err))
	}
	a.watch.client()
	return a, nil
}

// least is the smaller of two limits, where 0 is none.
func least[T time.Duration | int64](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// begin waits for the turn, sends the request and reads the header of its answer.
func (a *Answer) begin(
	ctx context.Context, r request, most time.Duration, tell func(Progress),
) (header answer, err error) {
	if tell == nil {
		tell = func(Progress) {}
	}
	p := a.pool
	a.began = time.Now()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return header, ErrClosed
	}
	p.running.Add(1)
	p.mu.Unlock()
	a.done = p.running.Done
	ended, err := p.turn(ctx, func(before int) { tell(Progress{Before: before}) })
	if err != nil {
		return header, err
	}
	tell(Progress{Running: true})
	a.done = func() { ended(); p.running.Done() }
	err = a.hand(ctx, r, most, false)
	if errors.Is(err, ErrEnded) { // a process that waited may be killed by others at any time
		p.config.Log.Warn("a process for queries ended before it had read its statement, which another one gets",
			"state", a.process.ending(), "words", a.process.words.String())
		a.watch.end()
		p.discard(a.process)
		err = a.hand(ctx, r, most, true)
	}
	if err != nil {
		return header, err
	}
	return a.header()
}

// hand gives the request to a process, and returns when that has read it. It is ErrEnded if the process ended before.
func (a *Answer) hand(ctx context.Context, r request, most time.Duration, again bool) error {
	p := a.pool
	one, err := p.take(again)
	if err != nil {
		a.process = nil
		return err
	}
	a.process, a.data, a.watch = one, &frames{from: &one.from}, newWatch(ctx, p, one, most)
	sent := one.send(frameRequest, r)
	unlimited, err := one.isReady()
	if err == nil {
		err = one.expect(frameTaken, &taken{})
	}
	if err = errors.Join(err, sent); err != nil {
		return a.failure(err)
	}
	if missing := slices.DeleteFunc([]string{unlimited, a.pool.starter.unlimited}, func(s string) bool { return s == "" }); len(missing) > 0 {
		a.pool.unlimits.Do(func() {
			a.pool.config.Log.Warn("processes for queries cannot set all their limits here; the others hold", "missing", strings.Join(missing, ", "))
		})
	}
	return nil
}

// header reads what precedes the rows of the answer.
func (a *Answer) header() (header answer, err error) {
	kind, content, err := a.process.from.frame()
	switch {
	case err != nil:
		return header, a.failure(err)
	case kind == frameAnswer:
		return header, decode(content, &header)
	case kind == frameEnd:
		a.data.end = &end{}
		if err := decode(content, a.data.end); err != nil {
			return header, err
		}
		return header, a.failure(nil)
	}
	return header, fmt.Errorf("%w: kind %d, expected an answer", errForged, kind)
}

// failure is the error of an answer that was read up to err: what the process reported, why it was
// stopped, or how it ended.
func (a *Answer) failure(err error) error {
	stopped := a.watch.stopped()
	switch {
	case stopped != nil:
		return stopped
	case err != nil && a.pool.closing.Err() != nil:
		return ErrClosed
	case a.data.end != nil && a.data.end.Fault != "":
		return a.data.end.error()
	case errors.Is(err, errForged), errors.Is(err, ErrBytes):
		return fmt.Errorf("read an answer: %w", err)
	case err != nil && !a.process.willEnd():
		return fmt.Errorf("read an answer: %w", err)
	case err != nil && a.watch.stopped() != nil: // while it was waited for
		return a.watch.stopped()
	case err != nil:
		return fmt.Errorf("%w (%s); if it needs much memory, let it need less", ErrEnded, a.process.ending())
	}
	return nil
}

// Schema returns the columns.
func (a *Answer) Schema() *arrow.Schema { return a.reader.Schema() }

// Next returns the next rows, and io.EOF after the last. The record is valid until the next call unless
// it is retained. Its errors are those of Query.
func (a *Answer) Next() (arrow.Record, error) {
	if a.err != nil {
		return nil, a.err
	}
	a.watch.engine()
	defer a.watch.client()
	if a.reader.Next() {
		if record := a.reader.Record(); weight(record, 0, record.NumRows()) <= maxRow {
			return record, nil
		}
		a.err = fmt.Errorf("read an answer: %w", errLargeRow) // of a process that is not ours any more
		return nil, a.err
	}
	_, err := io.Copy(io.Discard, a.data) // up to the end of the answer
	if a.err = a.failure(errors.Join(a.reader.Err(), err)); a.err == nil {
		a.err = io.EOF
	}
	return nil, a.err
}

// Received says that the client has received a part of what Next returned: it may take as long for the next part.
func (a *Answer) Received() { a.watch.client() }

// Close ends the query if it has not ended, and returns the error that ended it before its last row. An
// answer that is closed early counts as cancelled.
func (a *Answer) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	a.reader.Release()
	err := a.err
	switch {
	case err == io.EOF:
		err = nil
	case err == nil:
		err = context.Canceled
	}
	return a.finish(err)
}

// finish ends what begin began, once, and counts it, but no description that was good. It returns its
// argument.
func (a *Answer) finish(err error) error {
	p := a.pool
	if a.process != nil {
		a.watch.end()
		switch {
		case a.data.end != nil && a.data.end.Fault == failed:
			p.config.Log.Error("a query failed", "error", err)
		case a.data.end != nil && !a.process.endsClean():
			p.config.Log.Error("a process for a query sent more than its answer, and is ended")
		case errors.Is(err, ErrEnded):
			p.config.Log.Error("a query ended its process", "state", a.process.ending(), "words", a.process.words.String())
		case errors.Is(err, errForged):
			p.config.Log.Error("a process for a query sent what is no answer, and is ended", "error", err)
		}
		p.discard(a.process)
		p.prepare()
	}
	if a.done != nil {
		a.done()
	}
	if p.config.Ended != nil && (err != nil || a.reader != nil) {
		p.config.Ended(Outcome(err), time.Since(a.began))
	}
	return err
}
