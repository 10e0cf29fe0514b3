package flight

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// service answers the requests of Flight SQL.
type service struct {
	flightsql.BaseServer
	pool     *worker.Pool
	log      *slog.Logger
	prepared *statements
	stall    time.Duration // that a client may take for a part of an answer
	ahead    *semaphore.Weighted

	capabilities []uint32 // the numbers of what clients can ask about the server

	mu      sync.Mutex
	running map[string]context.CancelFunc // answers that are being sent, by their handles
}

// codesOf are the status codes of errors, the more special ones first. The words of other errors can
// name paths, so that only the log has them.
var codesOf = []struct {
	err  error
	code codes.Code
}{
	{context.Canceled, codes.Canceled},
	{context.DeadlineExceeded, codes.DeadlineExceeded},
	{warehouse.ErrStatement, codes.InvalidArgument},
	{warehouse.ErrRoom, codes.ResourceExhausted},
	{worker.ErrRows, codes.ResourceExhausted},
	{worker.ErrBytes, codes.ResourceExhausted},
	{worker.ErrBusy, codes.Unavailable},
	{worker.ErrTime, codes.DeadlineExceeded},
	{worker.ErrStalled, codes.DeadlineExceeded},
	{worker.ErrClosed, codes.Unavailable},
	{worker.ErrEnded, codes.Aborted},
}

// refusal is an error as a client gets it.
func (s *service) refusal(ctx context.Context, err error) error {
	if _, ok := status.FromError(err); ok { // nil too
		return err
	}
	for _, c := range codesOf {
		if errors.Is(err, c.err) {
			return status.Error(c.code, err.Error())
		}
	}
	if errors.Is(err, warehouse.ErrNone) {
		return status.Error(codes.Unavailable, "nothing is published yet")
	}
	s.log.Error("a query over Flight SQL failed", "client", callerOf(ctx).Name, "error", err)
	return status.Error(codes.Internal, "the query failed; the log of the server says why")
}

// info describes an answer that a client gets by a ticket.
func info(d *flight.FlightDescriptor, schema *arrow.Schema, ticket []byte) *flight.FlightInfo {
	return &flight.FlightInfo{Schema: flight.SerializeSchema(schema, memory.DefaultAllocator), FlightDescriptor: d,
		Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: ticket}}}, TotalRecords: -1, TotalBytes: -1}
}

// describe returns the columns and parameters of a statement.
func (s *service) describe(ctx context.Context, text string, arguments []byte) (worker.Description, error) {
	defer connectionOf(ctx).Hold()()
	leave, err := callerOf(ctx).enter()
	if err != nil {
		return worker.Description{}, err
	}
	defer leave()
	all, err := s.pool.Describe(ctx, arguments, text)
	if err != nil {
		return worker.Description{}, s.refusal(ctx, err)
	}
	return all[0], nil
}

// handleSize is the length of what makes the handle of each answer another one.
const handleSize = 26

// GetFlightInfoStatement describes a statement. The handle of its answer has the statement.
func (s *service) GetFlightInfoStatement(ctx context.Context, q flightsql.StatementQuery, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	if len(q.GetTransactionId()) > 0 {
		return nil, refusedWrite
	}
	described, err := s.describe(ctx, q.GetQuery(), nil)
	if err != nil {
		return nil, err
	}
	ticket, err := flightsql.CreateStatementQueryTicket([]byte(rand.Text() + q.GetQuery()))
	if err != nil {
		return nil, err
	}
	return info(d, described.Schema, ticket), nil
}

// GetSchemaStatement describes a statement.
func (s *service) GetSchemaStatement(ctx context.Context, q flightsql.StatementQuery, _ *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	described, err := s.describe(ctx, q.GetQuery(), nil)
	if err != nil {
		return nil, err
	}
	return &flight.SchemaResult{Schema: flight.SerializeSchema(described.Schema, s.Alloc)}, nil
}

// DoGetStatement runs a statement.
func (s *service) DoGetStatement(ctx context.Context, t flightsql.StatementQueryTicket) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	handle := string(t.GetStatementHandle())
	if len(handle) < handleSize {
		return nil, nil, status.Error(codes.InvalidArgument, "the ticket is not one of this server")
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.running[handle] = cancel
	s.mu.Unlock()
	return s.stream(ctx, worker.Query{Text: handle[handleSize:]}, nil, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, handle)
	})
}

// CancelFlightInfo ends an answer that is being computed or sent.
func (s *service) CancelFlightInfo(_ context.Context, r *flight.CancelFlightInfoRequest) (flight.CancelFlightInfoResult, error) {
	for _, e := range r.GetInfo().GetEndpoint() {
		t, err := flightsql.GetStatementQueryTicket(e.GetTicket())
		if err != nil {
			break // of a prepared statement or metadata, which have no answer of their own
		}
		s.mu.Lock()
		cancel := s.running[string(t.GetStatementHandle())]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
			return flight.CancelFlightInfoResult{Status: flight.CancelStatusCancelled}, nil
		}
	}
	return flight.CancelFlightInfoResult{Status: flight.CancelStatusNotCancellable}, nil
}

// convert makes the record that is sent of one of the answer.
type convert func(arrow.Record) arrow.Record

// stream runs a query and sends its rows, as they are if convert is nil. It calls done when nothing is
// sent any more.
func (s *service) stream(ctx context.Context, q worker.Query, to convert, done func()) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	who := callerOf(ctx)
	leave, err := who.enter()
	if err != nil {
		done()
		return nil, nil, err
	}
	release := connectionOf(ctx).Hold()
	ended := func() { leave(); release(); done() }
	q.Time, q.Rows = who.Time, who.Rows
	began := time.Now()
	a, err := s.pool.Query(ctx, q)
	if err != nil {
		ended()
		s.log.Info("a query over Flight SQL ended", "client", who.Name, "took", time.Since(began), "outcome", worker.Outcome(err))
		return nil, nil, s.refusal(ctx, err)
	}
	chunks := make(chan flight.StreamChunk)
	go func() {
		defer close(chunks)
		err := s.send(ctx, a, to, chunks)
		if closed := a.Close(); err == nil {
			err = closed
		}
		ended()
		if errors.Is(err, worker.ErrStalled) {
			connectionOf(ctx).Cut() // what waits to be sent would wait for as long as the client likes
		}
		s.log.Info("a query over Flight SQL ended", "client", who.Name, "took", time.Since(began), "outcome", worker.Outcome(err), "rows", a.Rows)
		if err != nil {
			select {
			case chunks <- flight.StreamChunk{Err: s.refusal(ctx, err)}:
			case <-ctx.Done():
			}
		}
	}()
	return a.Schema(), chunks, nil
}

// send passes the records of an answer on, until its end or that of the request.
func (s *service) send(ctx context.Context, a *worker.Answer, to convert, chunks chan<- flight.StreamChunk) (err error) {
	defer func() { // Arrow panics on a record that does not fit its schema, and this goroutine is ours
		if r := recover(); r != nil {
			err = fmt.Errorf("send an answer: %v", r)
		}
	}()
	first, done := s.readAhead(a)
	defer done()
	for {
		record, err := first.next(a)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if to != nil {
			one := record
			record = to(one)
			one.Release()
		}
		late := time.NewTimer(s.stall)
		select {
		case chunks <- flight.StreamChunk{Data: record}:
			late.Stop()
		case <-late.C:
			record.Release()
			return worker.ErrStalled
		case <-ctx.Done():
			late.Stop()
			record.Release()
			return context.Cause(ctx)
		}
	}
}
