package flight

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/fleetlake/fleetlake/warehouse/worker"
)

//go:embed sql/schemas.sql
var schemasSQL string

//go:embed sql/tables.sql
var tablesSQL string

// metadata runs a query of ours with texts as arguments, where nil is NULL, and sends its rows with a
// schema of Flight SQL.
func (s *service) metadata(ctx context.Context, schema *arrow.Schema, text string, arguments ...*string) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	stream, err := texts(arguments)
	if err != nil {
		return nil, nil, err
	}
	to := func(r arrow.Record) arrow.Record { return array.NewRecord(schema, r.Columns(), r.NumRows()) }
	_, chunks, err := s.stream(ctx, worker.Query{Text: text, Arguments: stream}, to, func() {})
	return schema, chunks, err
}

// texts makes a row of arguments; nil is NULL.
func texts(arguments []*string) ([]byte, error) {
	if len(arguments) == 0 {
		return nil, nil
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, textSchema(len(arguments)))
	defer b.Release()
	for i, a := range arguments {
		if a == nil {
			b.Field(i).AppendNull()
		} else {
			b.Field(i).(*array.StringBuilder).Append(*a)
		}
	}
	record := b.NewRecord()
	defer record.Release()
	return worker.Stream(record)
}

func textSchema(n int) *arrow.Schema {
	fields := make([]arrow.Field, n)
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprint(i + 1), Type: arrow.BinaryTypes.String, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// GetFlightInfoCatalogs describes the list of catalogs.
func (s *service) GetFlightInfoCatalogs(_ context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.Catalogs, d.GetCmd()), nil
}

// DoGetCatalogs sends the list of catalogs, which is the file.
func (s *service) DoGetCatalogs(ctx context.Context) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return s.metadata(ctx, schema_ref.Catalogs, "SELECT current_catalog()")
}

// GetFlightInfoSchemas describes the list of schemas.
func (s *service) GetFlightInfoSchemas(_ context.Context, _ flightsql.GetDBSchemas, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.DBSchemas, d.GetCmd()), nil
}

// DoGetDBSchemas sends the list of schemas.
func (s *service) DoGetDBSchemas(ctx context.Context, q flightsql.GetDBSchemas) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return s.metadata(ctx, schema_ref.DBSchemas, schemasSQL, q.GetCatalog(), q.GetDBSchemaFilterPattern())
}

// GetFlightInfoTables describes the list of tables.
func (s *service) GetFlightInfoTables(_ context.Context, q flightsql.GetTables, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, tablesSchema(q), d.GetCmd()), nil
}

func tablesSchema(q flightsql.GetTables) *arrow.Schema {
	if q.GetIncludeSchema() {
		return schema_ref.TablesWithIncludedSchema
	}
	return schema_ref.Tables
}

// DoGetTables sends the list of tables, with the columns of each if the client asks for them.
func (s *service) DoGetTables(ctx context.Context, q flightsql.GetTables) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	var kinds *string
	if len(q.GetTableTypes()) > 0 {
		joined := strings.Join(q.GetTableTypes(), ",")
		kinds = &joined
	}
	_, chunks, err := s.metadata(ctx, schema_ref.Tables, tablesSQL, q.GetCatalog(), q.GetDBSchemaFilterPattern(), q.GetTableNameFilterPattern(), kinds)
	if err != nil || !q.GetIncludeSchema() {
		return schema_ref.Tables, chunks, err
	}
	var tables []arrow.Record // the whole list: its query has to end before the next one begins
	for chunk := range chunks {
		if chunk.Err != nil {
			return nil, nil, chunk.Err
		}
		tables = append(tables, chunk.Data)
	}
	remarks, err := s.remarks(ctx)
	if err != nil {
		return nil, nil, s.refusal(ctx, err)
	}
	out := make(chan flight.StreamChunk, len(tables))
	for _, t := range tables {
		with, err := s.withColumns(ctx, t, remarks)
		t.Release()
		if err != nil {
			return nil, nil, s.refusal(ctx, err)
		}
		out <- flight.StreamChunk{Data: with}
	}
	close(out)
	return schema_ref.TablesWithIncludedSchema, out, ctx.Err()
}

// withColumns adds the columns of each table to a list of tables.
func (s *service) withColumns(ctx context.Context, r arrow.Record, all map[place]remark) (arrow.Record, error) {
	quoted := func(column, row int) string {
		return `"` + strings.ReplaceAll(r.Column(column).ValueStr(row), `"`, `""`) + `"`
	}
	tables := make([]string, r.NumRows())
	for i := range tables {
		tables[i] = "FROM " + quoted(0, i) + "." + quoted(1, i) + "." + quoted(2, i)
	}
	described, err := s.pool.Describe(ctx, nil, tables...)
	if err != nil {
		return nil, err
	}
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	defer b.Release()
	for i, d := range described {
		at := place{schema: r.Column(1).ValueStr(i), table: r.Column(2).ValueStr(i)}
		b.Append(flight.SerializeSchema(remarked(d.Schema, at, all), memory.DefaultAllocator))
	}
	columns := b.NewArray()
	defer columns.Release()
	with := append(append([]arrow.Array{}, r.Columns()...), columns)
	return array.NewRecord(schema_ref.TablesWithIncludedSchema, with, r.NumRows()), nil
}

// sent sends a record that is known already, and releases it.
func sent(r arrow.Record) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	chunks := make(chan flight.StreamChunk, 1)
	chunks <- flight.StreamChunk{Data: r}
	close(chunks)
	return r.Schema(), chunks, nil
}

// none sends no rows of a schema.
func none(schema *arrow.Schema) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	chunks := make(chan flight.StreamChunk)
	close(chunks)
	return schema, chunks, nil
}

// GetFlightInfoTableTypes describes the list of the types of tables.
func (s *service) GetFlightInfoTableTypes(_ context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.TableTypes, d.GetCmd()), nil
}

// DoGetTableTypes sends the list of the types of tables.
func (s *service) DoGetTableTypes(context.Context) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema_ref.TableTypes)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"TABLE", "VIEW"}, nil)
	return sent(b.NewRecord())
}
