package flight

import (
	"bytes"
	"container/list"
	"context"
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Prepared statements that are kept: so many, with so many bytes of text, arguments and schemas in all. Clients
// that are cut off do not close theirs: the client that has the most makes room, by those that it has not used for the
// longest time.
const (
	maxPrepared      = 1000
	maxPreparedBytes = 64 << 20
)

// statement is a prepared statement.
type statement struct {
	handle    string
	of        *caller
	share     string // the client by whose name it has its share of the room
	text      string
	arguments []byte // an Arrow stream; nil until they are bound
	schema    *arrow.Schema
}

// fieldBytes is about what a column of a schema takes beside its name, which is in it twice.
const fieldBytes = 256

func (s *statement) bytes() int {
	n := len(s.text) + len(s.arguments)
	if s.schema != nil {
		for _, f := range s.schema.Fields() {
			n += 2*len(f.Name) + fieldBytes
		}
	}
	return n
}

// statements are the prepared statements of all clients.
type statements struct {
	mu    sync.Mutex
	all   map[string]*list.Element
	order *list.List // the last used one first
	bytes int
	by    map[string]kept // by the client's share
}

// kept is what is kept for a client.
type kept struct{ statements, bytes int }

func newStatements() *statements {
	return &statements{all: map[string]*list.Element{}, order: list.New(), by: map[string]kept{}}
}

// add keeps a statement under a new handle.
func (p *statements) add(s statement) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.handle = rand.Text()
	p.all[s.handle] = p.order.PushFront(&s)
	p.count(&s, 1, s.bytes())
	p.makeRoom()
	return []byte(s.handle)
}

// count adds to what is kept.
func (p *statements) count(s *statement, statements, bytes int) {
	p.bytes += bytes
	of := p.by[s.share]
	of.statements, of.bytes = of.statements+statements, of.bytes+bytes
	if p.by[s.share] = of; of == (kept{}) {
		delete(p.by, s.share)
	}
}

func (p *statements) makeRoom() {
	for p.order.Len() > maxPrepared || p.bytes > maxPreparedBytes && p.order.Len() > 1 {
		p.remove(p.last(p.greediest(p.order.Len() > maxPrepared)))
	}
}

// greediest is the client that has the most statements, or the most bytes.
func (p *statements) greediest(byNumber bool) (share string) {
	most := -1
	for name, has := range p.by {
		n := has.bytes
		if byNumber {
			n = has.statements
		}
		if n > most {
			most, share = n, name
		}
	}
	return share
}

// last is the statement of a client that was not used for the longest time.
func (p *statements) last(share string) *list.Element {
	e := p.order.Back()
	for e.Value.(*statement).share != share {
		e = e.Prev()
	}
	return e
}

func (p *statements) remove(e *list.Element) {
	s := p.order.Remove(e).(*statement)
	delete(p.all, s.handle)
	p.count(s, -1, -s.bytes())
}

// find returns the element of a statement of a client.
func (p *statements) find(of *caller, handle []byte) (*list.Element, error) {
	e := p.all[string(handle)]
	if e == nil || e.Value.(*statement).of != of {
		return nil, status.Error(codes.NotFound, "no such prepared statement, or no longer: prepare it again")
	}
	p.order.MoveToFront(e)
	return e, nil
}

// get returns a copy of a statement of a client.
func (p *statements) get(of *caller, handle []byte) (statement, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.find(of, handle)
	if err != nil {
		return statement{}, err
	}
	return *e.Value.(*statement), nil
}

// bind sets the arguments of a statement.
func (p *statements) bind(of *caller, handle, arguments []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, err := p.find(of, handle)
	if err != nil {
		return err
	}
	s := e.Value.(*statement)
	before := s.bytes()
	s.arguments, s.schema = bytes.Clone(arguments), nil
	p.count(s, 0, s.bytes()-before)
	p.makeRoom()
	return nil
}

// close forgets a statement. It is no error that it is not known.
func (p *statements) close(of *caller, handle []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e, err := p.find(of, handle); err == nil {
		p.remove(e)
	}
}

// CreatePreparedStatement describes a statement and keeps it. Columns whose type a parameter decides have
// the type that NULL gives them until arguments are bound.
func (s *service) CreatePreparedStatement(ctx context.Context, r flightsql.ActionCreatePreparedStatementRequest) (result flightsql.ActionCreatePreparedStatementResult, err error) {
	if len(r.GetTransactionId()) > 0 {
		return result, refusedWrite
	}
	described, err := s.describe(ctx, r.GetQuery(), nil)
	if err != nil {
		return result, err
	}
	result.DatasetSchema = described.Schema
	result.ParameterSchema = parameterSchema(described.Parameters)
	result.Handle = s.prepared.add(statement{of: callerOf(ctx), share: turns.Client(ctx), text: r.GetQuery(), schema: described.Schema})
	return result, nil
}

// ClosePreparedStatement forgets a statement.
func (s *service) ClosePreparedStatement(ctx context.Context, r flightsql.ActionClosePreparedStatementRequest) error {
	s.prepared.close(callerOf(ctx), r.GetPreparedStatementHandle())
	return nil
}

// describePrepared returns a statement with its columns as its arguments make them.
func (s *service) describePrepared(ctx context.Context, q flightsql.PreparedStatementQuery) (statement, error) {
	one, err := s.prepared.get(callerOf(ctx), q.GetPreparedStatementHandle())
	if err != nil || one.schema != nil {
		return one, err
	}
	described, err := s.describe(ctx, one.text, one.arguments)
	one.schema = described.Schema
	return one, err
}

// GetFlightInfoPreparedStatement describes a prepared statement.
func (s *service) GetFlightInfoPreparedStatement(ctx context.Context, q flightsql.PreparedStatementQuery, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	one, err := s.describePrepared(ctx, q)
	if err != nil {
		return nil, err
	}
	return info(d, one.schema, d.GetCmd()), nil
}

// GetSchemaPreparedStatement describes a prepared statement.
func (s *service) GetSchemaPreparedStatement(ctx context.Context, q flightsql.PreparedStatementQuery, _ *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	one, err := s.describePrepared(ctx, q)
	if err != nil {
		return nil, err
	}
	return &flight.SchemaResult{Schema: flight.SerializeSchema(one.schema, s.Alloc)}, nil
}

// DoGetPreparedStatement runs a prepared statement.
func (s *service) DoGetPreparedStatement(ctx context.Context, q flightsql.PreparedStatementQuery) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	one, err := s.prepared.get(callerOf(ctx), q.GetPreparedStatementHandle())
	if err != nil {
		return nil, nil, err
	}
	return s.stream(ctx, worker.Query{Text: one.text, Arguments: one.arguments}, nil, func() {})
}

// BeginTransaction is refused.
func (s *service) BeginTransaction(context.Context, flightsql.ActionBeginTransactionRequest) ([]byte, error) {
	return nil, refusedWrite
}

// parameterTypes are the Arrow types of the types of parameters, as clients write them that bind what they are told. A
// parameter of any other type is a text, which DuckDB casts.
//
// The JDBC driver 18.3 writes milliseconds whatever unit it is told, and cuts a number down to an integer, or to a
// smaller one, where it is told of one: so times are in milliseconds, and numbers are DOUBLE. warehouse makes integers of
// whole ones again. For an instant it writes what a clock shows in the zone of its JVM, as if that were UTC: an instant is
// a text, so that setTimestamp is refused there and setString(instant.toString()) is right everywhere.
var parameterTypes = map[string]arrow.DataType{
	"BOOLEAN": arrow.FixedWidthTypes.Boolean, "TINYINT": number, "SMALLINT": number, "INTEGER": number, "BIGINT": number, "HUGEINT": number,
	"UTINYINT": number, "USMALLINT": number, "UINTEGER": number, "UBIGINT": number, "UHUGEINT": number, "FLOAT": number, "DOUBLE": number,
	"BLOB": arrow.BinaryTypes.Binary, "DATE": arrow.PrimitiveTypes.Date32, "TIME": arrow.FixedWidthTypes.Time32ms,
	"TIMESTAMP": &arrow.TimestampType{Unit: arrow.Millisecond},
}

var number = arrow.PrimitiveTypes.Float64

// parameterSchema says what a client should bind.
func parameterSchema(all []warehouse.BoundParameter) *arrow.Schema {
	fields := make([]arrow.Field, len(all))
	for i, p := range all {
		fields[i] = arrow.Field{Name: p.Name, Type: arrow.BinaryTypes.String, Nullable: true}
		var width, scale int32
		if to, ok := parameterTypes[p.Type]; ok {
			fields[i].Type = to
		} else if n, _ := fmt.Sscanf(p.Type, "DECIMAL(%d,%d)", &width, &scale); n == 2 {
			fields[i].Type = &arrow.Decimal128Type{Precision: width, Scale: scale}
		}
	}
	return arrow.NewSchema(fields, nil)
}
