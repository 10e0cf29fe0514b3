package flight

import (
	"context"
	"fmt"
	"maps"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/marcboeker/go-duckdb/mapping"
)

// registerInfo sets what clients can ask about the server.
func (s *service) registerInfo(version string) error {
	all := map[flightsql.SqlInfo]any{
		flightsql.SqlInfoFlightSqlServerName:           "fleetlake",
		flightsql.SqlInfoFlightSqlServerVersion:        version + " (DuckDB " + mapping.LibraryVersion() + ")", // whose SQL it is
		flightsql.SqlInfoFlightSqlServerArrowVersion:   arrow.PkgVersion,
		flightsql.SqlInfoFlightSqlServerReadOnly:       true,
		flightsql.SqlInfoFlightSqlServerSql:            true,
		flightsql.SqlInfoFlightSqlServerSubstrait:      false,
		flightsql.SqlInfoFlightSqlServerTransaction:    int32(flightsql.SqlTransactionNone),
		flightsql.SqlInfoFlightSqlServerCancel:         true,
		flightsql.SqlInfoFlightSqlServerBulkIngestion:  false,
		flightsql.SqlInfoDDLCatalog:                    false,
		flightsql.SqlInfoDDLSchema:                     false,
		flightsql.SqlInfoDDLTable:                      false,
		flightsql.SqlInfoIdentifierCase:                int64(flightsql.SqlCaseSensitivityCaseInsensitive),
		flightsql.SqlInfoQuotedIdentifierCase:          int64(flightsql.SqlCaseSensitivityCaseInsensitive),
		flightsql.SqlInfoIdentifierQuoteChar:           `"`,
		flightsql.SqlInfoAllTablesAreASelectable:       true,
		flightsql.SqlInfoNullOrdering:                  int64(flightsql.SqlNullOrderingSortAtEnd),
		flightsql.SqlInfoSearchStringEscape:            `\`,
		flightsql.SqlInfoSupportsColumnAliasing:        true,
		flightsql.SqlInfoNullPlusNullIsNull:            true,
		flightsql.SqlInfoSupportsTableCorrelationNames: true,
		flightsql.SqlInfoSupportsExpressionsInOrderBy:  true,
		flightsql.SqlInfoSupportsOrderByUnrelated:      true,
		flightsql.SqlInfoSupportsLikeEscapeClause:      true,
		flightsql.SqlInfoSupportsNonNullableColumns:    true,
		flightsql.SqlInfoSchemaTerm:                    "schema",
		flightsql.SqlInfoCatalogTerm:                   "database",
		flightsql.SqlInfoCatalogAtStart:                true,
		flightsql.SqlInfoSelectForUpdateSupported:      false,
		flightsql.SqlInfoStoredProceduresSupported:     false,
		flightsql.SqlInfoCorrelatedSubqueriesSupported: true,
		flightsql.SqlInfoTransactionsSupported:         false,
		flightsql.SqlInfoSavePointsSupported:           false,
		flightsql.SqlInfoBatchUpdatesSupported:         false,
		flightsql.SqlInfoNamedParametersSupported:      true,
	}
	maps.Copy(all, grammar)
	for name, value := range all {
		if err := s.RegisterSqlInfo(name, value); err != nil {
			return fmt.Errorf("describe the server: %w", err)
		}
		s.capabilities = append(s.capabilities, uint32(name))
	}
	return nil
}

// known is a request for those of the numbers that the server has an answer to: the library would answer
// none of them otherwise.
type known []uint32

func (k known) GetInfo() []uint32 { return k }

// DoGetSqlInfo sends what a client asks about the server, and all of it if it names nothing.
func (s *service) DoGetSqlInfo(ctx context.Context, q flightsql.GetSqlInfo) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	if len(q.GetInfo()) == 0 {
		return s.BaseServer.DoGetSqlInfo(ctx, q)
	}
	var asked known
	for _, name := range q.GetInfo() {
		for _, has := range s.capabilities {
			if name == has {
				asked = append(asked, name)
			}
		}
	}
	if len(asked) == 0 {
		return none(schema_ref.SqlInfo)
	}
	return s.BaseServer.DoGetSqlInfo(ctx, asked)
}

// valueType is a type of DuckDB as ODBC and JDBC describe it.
type valueType struct {
	name     string
	code     int32 // of ODBC
	size     int32 // digits, or characters; 0 is unbounded
	quoted   bool  // its literals are
	unsigned bool
	number   bool
}

// valueTypes are the types that a column can have, in the order of the protocol: by their codes and names.
var valueTypes = []valueType{
	{"BOOLEAN", -7, 1, false, false, false},
	{"TINYINT", -6, 3, false, false, true},
	{"UTINYINT", -6, 3, false, true, true},
	{"BIGINT", -5, 19, false, false, true},
	{"UBIGINT", -5, 20, false, true, true},
	{"BLOB", -4, 0, true, false, false},
	{"DECIMAL", 3, 38, false, false, true},
	{"HUGEINT", 3, 38, false, false, true},
	{"INTEGER", 4, 10, false, false, true},
	{"UINTEGER", 4, 10, false, true, true},
	{"SMALLINT", 5, 5, false, false, true},
	{"USMALLINT", 5, 5, false, true, true},
	{"FLOAT", 7, 24, false, false, true},
	{"DOUBLE", 8, 53, false, false, true},
	{"VARCHAR", 12, 0, true, false, false},
	{"DATE", 91, 10, true, false, false},
	{"TIME", 92, 15, true, false, false},
	{"TIMESTAMP", 93, 26, true, false, false},
	{"TIMESTAMP WITH TIME ZONE", 93, 32, true, false, false},
}

// GetFlightInfoXdbcTypeInfo describes the list of types.
func (s *service) GetFlightInfoXdbcTypeInfo(_ context.Context, _ flightsql.GetXdbcTypeInfo, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.XdbcTypeInfo, d.GetCmd()), nil
}

// DoGetXdbcTypeInfo sends the list of types, or those with the number that a client asks for.
func (s *service) DoGetXdbcTypeInfo(_ context.Context, q flightsql.GetXdbcTypeInfo) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema_ref.XdbcTypeInfo)
	defer b.Release()
	for _, t := range valueTypes {
		if asked := q.GetDataType(); asked == nil || *asked == t.code {
			t.append(b)
		}
	}
	return sent(b.NewRecord())
}

// Values of ODBC.
const (
	nullable   = 1
	searchable = 3
)

// append adds the row of a type. What does not apply is NULL.
func (t valueType) append(b *array.RecordBuilder) {
	values := map[string]any{"type_name": t.name, "data_type": t.code, "nullable": int32(nullable), "case_sensitive": t.name == "VARCHAR",
		"searchable": int32(searchable), "fixed_prec_scale": false, "auto_increment": false, "local_type_name": t.name, "sql_data_type": t.code}
	if t.size > 0 {
		values["column_size"] = t.size
	}
	if t.quoted {
		values["literal_prefix"], values["literal_suffix"] = "'", "'"
	}
	if t.number {
		values["unsigned_attribute"], values["num_prec_radix"] = t.unsigned, int32(10)
	}
	for i, f := range b.Schema().Fields() {
		switch field := b.Field(i).(type) {
		case *array.StringBuilder:
			appendTo(values[f.Name], field.Append, field.AppendNull)
		case *array.Int32Builder:
			appendTo(values[f.Name], field.Append, field.AppendNull)
		case *array.BooleanBuilder:
			appendTo(values[f.Name], field.Append, field.AppendNull)
		default:
			field.AppendNull()
		}
	}
}

func appendTo[T any](value any, add func(T), null func()) {
	if v, ok := value.(T); ok {
		add(v)
	} else {
		null()
	}
}
