package flight

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/warehouse/worker"
)

func TestStatementsAreAnswered(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	for sql, want := range map[string]string{
		"SELECT 1 AS a, NULL AS b, 'x' AS c":                               "1 (null) x;",
		"SELECT count(*) FROM runs; -- all":                                "1;",
		"SELECT 170141183460469231731687303715884105727::HUGEINT % 1000":   "727;",
		"SELECT 1.50::DECIMAL(6, 2), TIMESTAMPTZ '2026-11-20 01:00:00+01'": "1.5 2026-11-20 00:00:00Z;",
		"SELECT [1, 2] AS l, {'a': 1} AS s":                                `[1,2] {"a":1};`,
		"SELECT run_id FROM runs WHERE false":                              "",
		"DESCRIBE SELECT 1 AS a":                                           "a INTEGER YES (null) (null) (null);",
		"SELECT sum(range)::BIGINT, count(*) FROM range(1000000)":          "499999500000 1000000;",
	} {
		if got := c.good(sql); got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
	}
	if got := strings.Count(c.good("FROM range(200000)"), ";"); got != 200_000 {
		t.Errorf("%d rows of 200000", got)
	}
	schema, err := c.GetExecuteSchema(t.Context(), "SELECT 1 AS a")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := flight.DeserializeSchema(schema.GetSchema(), memory.DefaultAllocator); err != nil || s.Field(0).Name != "a" {
		t.Errorf("schema alone: %v, %v", s, err)
	}
}

// TestRefusals has what a client gets for each fault, and that the server lives on.
func TestRefusals(t *testing.T) {
	f := newServer(t, func(w *worker.Config, _ *Config) { w.Limits.Time, w.Limits.Rows = time.Second, 1000 })
	c := f.client()
	for sql, want := range map[string]struct {
		code  codes.Code
		words string
	}{
		"SELECT nme FROM runs":                   {codes.InvalidArgument, `Referenced column "nme" not found`},
		"DELETE FROM runs":                       {codes.InvalidArgument, "only one statement that reads is accepted"},
		"CREATE TABLE x (a INTEGER)":             {codes.InvalidArgument, "only one statement that reads is accepted"},
		"SELECT 1; SELECT 2":                     {codes.InvalidArgument, "only one statement that reads is accepted"},
		"FROM read_text('/etc/passwd')":          {codes.InvalidArgument, "disabled by configuration"},
		"ATTACH '/tmp/x.duckdb'":                 {codes.InvalidArgument, "only one statement that reads is accepted"},
		"SET memory_limit = '1TB'":               {codes.InvalidArgument, "only one statement that reads is accepted"},
		"SELECT $1":                              {codes.InvalidArgument, "Expected 1 parameters, but none were supplied"},
		"":                                       {codes.InvalidArgument, "empty query"},
		"FROM range(1001)":                       {codes.ResourceExhausted, "too many rows: 1001, of at most 1000"},
		"SELECT length(repeat('x', 4000000000))": {codes.ResourceExhausted, ""},
		"SELECT count(*) FROM range(100000000) AS a, range(100000) AS b":                {codes.DeadlineExceeded, "took too long: more than 1s"},
		"SELECT regexp_matches(repeat('a', 150000000), '(a*)*b|(a|b|ab)*c') AS matches": {codes.DeadlineExceeded, "took too long"},
	} {
		_, err := c.query(t.Context(), sql)
		if s := status.Convert(err); s.Code() != want.code || !strings.Contains(s.Message(), want.words) {
			t.Errorf("%s: got %v, want %v: %s", sql, err, want.code, want.words)
		}
	}
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
	if _, err := c.ExecuteUpdate(t.Context(), "DELETE FROM runs"); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "this server only reads") {
		t.Errorf("an update: %v", err)
	}
	if _, err := c.BeginTransaction(t.Context()); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "no transactions") {
		t.Errorf("a transaction: %v", err)
	}
}

// TestPreparedStatements binds arguments of each kind.
func TestPreparedStatements(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	decimals := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 5, Scale: 2})
	decimals.Append(decimal128.FromI64(150))
	dates := array.NewDate32Builder(memory.DefaultAllocator)
	dates.Append(arrow.Date32FromTime(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)))
	instants := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"})
	instants.Append(arrow.Timestamp(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Unix()))
	nulls := array.NewInt64Builder(memory.DefaultAllocator)
	nulls.AppendNull()
	date, decimal := dates.NewArray(), decimals.NewArray()
	for name, q := range map[string]struct {
		sql       string
		arguments arrow.Record
		want      string
	}{
		"none":                           {"SELECT 1", nil, "1;"},
		"a number":                       {"SELECT $1 + 1", row(intColumn(41)), "42;"},
		"two":                            {"SELECT $2, $1", row(intColumn(1), textColumn("x")), "x 1;"},
		"NULL without a type":            {"SELECT $1 IS NULL", row(array.NewNull(1)), "true;"},
		"NULL":                           {"SELECT $1 IS NULL", row(nulls.NewArray()), "true;"},
		"text for a date":                {"SELECT count(*) FROM runs WHERE snapshot_date = ?", row(textColumn("2026-11-20")), "1;"},
		"a date":                         {"SELECT count(*) FROM runs WHERE snapshot_date = ?", row(date), "1;"},
		"a date for a date":              {"SELECT typeof(?)", row(date), "DATE;"},
		"a decimal for a decimal":        {"SELECT typeof(?)", row(decimal), "DECIMAL(5,2);"},
		"a broken double for an integer": {"SELECT count(*) FROM runs WHERE requests - requests + 2000 >= ?", row(doubleColumn(2000.4)), "0;"},
		"a text with a NUL":              {"SELECT length(?)", row(textColumn("a\x00b")), "3;"},
		"one of a union":                 {"SELECT ? + 1", row(union(t)), "42;"},
		"an instant":                     {"SELECT count(*) FROM runs WHERE started_at < ?", row(instants.NewArray()), "1;"},
		"a decimal":                      {"SELECT 1.5::DECIMAL(5, 2) = ?", row(decimal), "true;"},
		"what looks like SQL":            {"SELECT length(?)", row(textColumn("'; DROP TABLE runs; --")), "22;"},
		"a pattern in a function":        {"SELECT count(*) FROM runs WHERE job LIKE $1", row(textColumn("night%")), "1;"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := c.Prepare(t.Context(), q.sql)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close(t.Context())
			if p.DatasetSchema() == nil || p.DatasetSchema().NumFields() == 0 {
				t.Errorf("no columns announced: %v", p.DatasetSchema())
			}
			if q.arguments != nil {
				if got := p.ParameterSchema().NumFields(); got != int(q.arguments.NumCols()) {
					t.Errorf("%d parameters announced", got)
				}
				p.SetParameters(q.arguments)
			}
			for range 2 { // a prepared statement runs again
				info, err := p.Execute(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got, err := c.read(t.Context(), info); err != nil || got != q.want {
					t.Errorf("got %s, %v, want %s", got, err, q.want)
				}
			}
			p.SetParameters(nil)
		})
	}
}

// union is a column as flightsql-dbapi makes one: a dense union of the types that it knows.
func union(t *testing.T) arrow.Array {
	t.Helper()
	types := array.NewInt8Builder(memory.DefaultAllocator)
	types.Append(0)
	offsets := array.NewInt32Builder(memory.DefaultAllocator)
	offsets.Append(0)
	one, err := array.NewDenseUnionFromArrays(types.NewArray(), offsets.NewArray(), []arrow.Array{intColumn(41), textColumn()})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func doubleColumn(values ...float64) arrow.Array {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}

// TestParametersAreAnnounced by the types that stock clients write exactly.
func TestParametersAreAnnounced(t *testing.T) {
	c := newServer(t, nil).client()
	p, err := c.Prepare(t.Context(), "SELECT ?::INTEGER, ?::TIMESTAMPTZ, ?::TIMESTAMP, ?::TIME, ?::DATE, ?::DECIMAL(9, 2), ?::VARCHAR, ?::HUGEINT, ?::BOOLEAN, ?")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.ParameterSchema().Fields() {
		got = append(got, f.Type.String())
	}
	want := "float64 utf8 timestamp[ms] time32[ms] date32 decimal(9, 2) utf8 float64 bool utf8"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

// TestUnreadAnswersLeaveTheirPlaces: a dashboard opens its panels, and reads one after the other.
func TestUnreadAnswersLeaveTheirPlaces(t *testing.T) {
	f := newServer(t, func(w *worker.Config, _ *Config) { w.Wait, w.Limits.Stall = 10*time.Second, time.Minute })
	c := f.client()
	for range 5 {
		info, err := c.Execute(t.Context(), "SELECT repeat('x', 1000) AS s FROM range(2000)")
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.DoGet(t.Context(), info.GetEndpoint()[0].GetTicket())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			rows := int64(0)
			for r.Next() {
				rows += r.Record().NumRows()
			}
			if r.Release(); rows != 2000 {
				t.Errorf("%d rows of 2000", rows)
			}
		}()
	}
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("beside them: %s", got)
	}
}

// TestPreparedStatementsRefuse arguments that do not fit, and handles of nobody.
func TestPreparedStatementsRefuse(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	for name, q := range map[string]struct {
		arguments arrow.Record
		words     string
	}{
		"none":           {nil, "parameter"},
		"two rows":       {row(intColumn(1, 2)), "not one row"},
		"no row":         {row(intColumn()), "parameter"},
		"a wrong number": {row(textColumn("x")), "Conversion Error"},
		"too many":       {row(intColumn(1), intColumn(2)), "1 parameters, and 2 values"},
	} {
		p, err := c.Prepare(t.Context(), "SELECT run_id FROM runs WHERE requests = $1")
		if err != nil {
			t.Fatal(err)
		}
		p.SetParameters(q.arguments)
		info, err := p.Execute(t.Context())
		if err == nil {
			_, err = c.read(t.Context(), info)
		}
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), q.words) {
			t.Errorf("%s: got %v, want %s", name, err, q.words)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := p.Execute(t.Context()); err == nil {
			t.Errorf("%s: a closed statement runs", name)
		}
	}
	if _, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte("no ticket")}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a ticket of nobody: %v", err)
	}
}

// TestAFloodOfPreparedStatementsTakesNoneOfAnotherClient, by their number and by their bytes.
func TestAFloodOfPreparedStatementsTakesNoneOfAnotherClient(t *testing.T) {
	for name, text := range map[string]string{"many": "x", "large ones": strings.Repeat("x", 1<<20)} {
		p := newStatements()
		mine := p.add(statement{of: anybody, share: "192.0.2.1", text: text})
		for range 2 * maxPrepared {
			p.add(statement{of: anybody, share: "192.0.2.2", text: text})
		}
		if _, err := p.get(anybody, mine); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if p.order.Len() > maxPrepared || p.bytes > maxPreparedBytes || p.by["192.0.2.1"].statements != 1 {
			t.Errorf("%s: %d statements with %d bytes, %v", name, p.order.Len(), p.bytes, p.by)
		}
	}
}

// TestPreparedStatementsMakeRoom keeps a bounded number, and the ones that are used.
func TestPreparedStatementsMakeRoom(t *testing.T) {
	p := newStatements()
	first, second := p.add(statement{of: anybody, text: "1"}), p.add(statement{of: anybody, text: "2"})
	for range maxPrepared - 2 {
		p.add(statement{of: anybody, text: "x"})
	}
	if _, err := p.get(anybody, first); err != nil {
		t.Error(err)
	}
	p.add(statement{of: anybody, text: "y"})
	if _, err := p.get(anybody, first); err != nil {
		t.Errorf("the used one: %v", err)
	}
	if _, err := p.get(anybody, second); status.Code(err) != codes.NotFound {
		t.Errorf("the unused one: %v", err)
	}
	large := p.add(statement{of: anybody, text: strings.Repeat("x", maxPreparedBytes)})
	if _, err := p.get(anybody, large); err != nil || p.order.Len() != 1 {
		t.Errorf("a large one: %v, %d are kept", err, p.order.Len())
	}
	p.close(&caller{}, large)
	if p.order.Len() != 1 {
		t.Error("another client closed it")
	}
	if err := p.bind(anybody, large, []byte("12345678")); err != nil || p.bytes != maxPreparedBytes+8 {
		t.Errorf("%d bytes, %v", p.bytes, err)
	}
	p.close(anybody, large)
	if p.order.Len() != 0 || p.bytes != 0 || len(p.by) != 0 {
		t.Errorf("%d with %d bytes are left of %v", p.order.Len(), p.bytes, p.by)
	}
}

// TestCancellation ends a query by the client's context, and one by the request to cancel it. The
// process that ran it is free soon.
func TestCancellation(t *testing.T) {
	const long = "SELECT count(*) FROM range(100000000) AS a, range(100000) AS b"
	f := newServer(t, func(w *worker.Config, _ *Config) { w.Concurrent = 1 })
	c := f.client()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for f.pool.Stats().Running == 0 {
			time.Sleep(time.Millisecond) // another process has no event
		}
		time.Sleep(50 * time.Millisecond) // until the process has begun: it counts from before
		cancel()
	}()
	if _, err := c.query(ctx, long); status.Code(err) != codes.Canceled {
		t.Errorf("by its context: %v", err)
	}
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
	info, err := c.Execute(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { _, err := c.read(t.Context(), info); ended <- err }()
	for cancelled := false; !cancelled; {
		r, err := c.CancelFlightInfo(t.Context(), &flight.CancelFlightInfoRequest{Info: info})
		if err != nil {
			t.Fatal(err)
		}
		cancelled = r.GetStatus() == flight.CancelStatusCancelled
	}
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("by a request: %v", err)
	}
	if r, err := c.CancelFlightInfo(t.Context(), &flight.CancelFlightInfoRequest{Info: info}); err != nil || r.GetStatus() != flight.CancelStatusNotCancellable {
		t.Errorf("once more: %v, %v", r, err)
	}
	if got := c.good("SELECT 2"); got != "2;" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestAClientThatLeavesFreesItsProcess reads the beginning of a long answer.
func TestAClientThatLeavesFreesItsProcess(t *testing.T) {
	f := newServer(t, func(w *worker.Config, _ *Config) { w.Concurrent = 1 })
	c := f.client()
	info, err := c.Execute(t.Context(), "FROM range(3000000)")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	cancel()
	r.Release()
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestMessagesOfNobody are no Flight SQL.
func TestMessagesOfNobody(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	raw := c.Client.Client
	for _, command := range [][]byte{nil, []byte("x"), {0xff, 0xff}, []byte(strings.Repeat("a", 1000))} {
		if _, err := raw.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Cmd: command}); err == nil {
			t.Errorf("%q is described", command)
		}
		put, err := raw.DoPut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := put.Send(&flight.FlightData{FlightDescriptor: &flight.FlightDescriptor{Cmd: command}, DataHeader: command, DataBody: command}); err != nil {
			t.Error(err)
		}
		if _, err := put.Recv(); err == nil {
			t.Errorf("%q is put", command)
		}
	}
	p, err := c.Prepare(t.Context(), "SELECT $1")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.bindRaw(c, p, []byte("no header"), []byte("no body")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Execute(t.Context()); status.Code(err) != codes.InvalidArgument {
		t.Errorf("arguments that are none: %v", err)
	}
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
}

// bindRaw binds bytes to a prepared statement.
func (f *fixture) bindRaw(c *client, p *flightsql.PreparedStatement, header, body []byte) error {
	command, err := preparedCommand(p)
	if err != nil {
		return err
	}
	put, err := c.Client.Client.DoPut(f.t.Context())
	if err != nil {
		return err
	}
	if err := put.Send(&flight.FlightData{FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: command}, DataHeader: header, DataBody: body}); err != nil {
		return err
	}
	if err := put.CloseSend(); err != nil {
		return err
	}
	_, err = put.Recv()
	return err
}
