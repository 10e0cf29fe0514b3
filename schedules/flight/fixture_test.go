package flight

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/fleetlake/fleetlake/warehouse/worker/workertest"
)

func TestMain(m *testing.M) { os.Exit(workertest.Main(m)) }

// fixture is a server over the night of the 20th.
type fixture struct {
	t       *testing.T
	dir     string
	address string
	pool    *worker.Pool
	log     *pipelinetest.Log
}

// newServer serves with small limits, which edit changes.
func newServer(t *testing.T, edit func(*worker.Config, *Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, log: &pipelinetest.Log{}}
	f.dir, _ = pipelinetest.Night(t)
	log := slog.New(slog.NewTextHandler(f.log, nil))
	w := workertest.Config(t, f.dir, log)
	c := Config{Version: "v1", Log: log}
	if edit != nil {
		edit(&w, &c)
	}
	pool, err := worker.New(w)
	if err != nil {
		t.Fatal(err)
	}
	f.pool = pool
	c.Pool = f.pool
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop(time.Second)
		f.pool.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return f
}

// client is a stock client of a server.
type client struct {
	*flightsql.Client
	t *testing.T
}

func (f *fixture) client(options ...grpc.DialOption) *client {
	f.t.Helper()
	if len(options) == 0 {
		options = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	}
	c, err := flightsql.NewClient(f.address, nil, nil, options...)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { c.Close() })
	return &client{c, f.t}
}

// insecurely is a connection without TLS.
func insecurely() grpc.DialOption { return grpc.WithTransportCredentials(insecure.NewCredentials()) }

// securely is a connection with TLS.
func securely(c credentials.TransportCredentials) grpc.DialOption {
	return grpc.WithTransportCredentials(c)
}

// with is a context with an authorization.
func with(ctx context.Context, authorization string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", authorization)
}

// read returns the rows of an answer as text, a line each, and checks that it has the schema that was
// announced.
func (c *client) read(ctx context.Context, info *flight.FlightInfo) (string, error) {
	var b strings.Builder
	for _, e := range info.GetEndpoint() {
		r, err := c.DoGet(ctx, e.GetTicket())
		if err != nil {
			return "", err
		}
		defer r.Release()
		if announced, err := flight.DeserializeSchema(info.GetSchema(), memory.DefaultAllocator); err != nil || !announced.Equal(r.Schema()) {
			c.t.Errorf("announced %v (%v), sent %v", announced, err, r.Schema())
		}
		for r.Next() {
			write(&b, r.Record())
		}
		if r.Err() != nil && r.Err() != io.EOF {
			return b.String(), r.Err()
		}
	}
	return b.String(), nil
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

// query runs a statement.
func (c *client) query(ctx context.Context, sql string) (string, error) {
	info, err := c.Execute(ctx, sql)
	if err != nil {
		return "", err
	}
	return c.read(ctx, info)
}

// good runs a statement that must be good.
func (c *client) good(sql string) string {
	c.t.Helper()
	got, err := c.query(c.t.Context(), sql)
	if err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// row is a record of columns.
func row(columns ...arrow.Array) arrow.Record {
	var fields []arrow.Field
	for i, c := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i + 1), Type: c.DataType(), Nullable: true})
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
}

// textColumn is a column with texts.
func textColumn(values ...string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}

func intColumn(values ...int64) arrow.Array {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	return b.NewArray()
}
