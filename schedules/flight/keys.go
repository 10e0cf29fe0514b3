package flight

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow/go/v17/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/fleetlake/fleetlake/warehouse"
)

// described are the tables and views of the file as the dictionary describes them, by name. No constraint of the file
// says what identifies a row and what refers to what; the dictionary does, and tests hold it to the data.
func (s *service) described(ctx context.Context) (map[string]warehouse.Table, error) {
	all, err := s.remarks(ctx)
	if err != nil {
		return nil, s.refusal(ctx, err)
	}
	columns := map[string][]warehouse.Definition{}
	for at, r := range all {
		if at.schema == sessionOptions["schema"] && at.column != "" {
			columns[at.table] = append(columns[at.table], warehouse.Definition{Name: at.column, Type: r.kind, Comment: r.comment})
		}
	}
	tables := map[string]warehouse.Table{}
	for name, its := range columns {
		tables[name] = warehouse.Describe(name, its)
	}
	return tables, nil
}

// named reports whether a client means a table of the file. A catalog or schema that it does not name is any.
func named(ref flightsql.TableRef, table string) bool {
	is := func(asked *string, is string) bool {
		return asked == nil || *asked == "" || strings.EqualFold(*asked, is)
	}
	return is(ref.Catalog, sessionOptions["catalog"]) && is(ref.DBSchema, sessionOptions["schema"]) && strings.EqualFold(ref.Table, table)
}

// GetFlightInfoPrimaryKeys describes a list of keys.
func (s *service) GetFlightInfoPrimaryKeys(_ context.Context, _ flightsql.TableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.PrimaryKeys, d.GetCmd()), nil
}

// DoGetPrimaryKeys sends the columns that identify a row of a table or view, if none of them is ever null.
func (s *service) DoGetPrimaryKeys(ctx context.Context, ref flightsql.TableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	tables, err := s.described(ctx)
	if err != nil {
		return nil, nil, err
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema_ref.PrimaryKeys)
	defer b.Release()
	for name, t := range tables {
		if !named(ref, name) {
			continue
		}
		for i, column := range t.PrimaryKey() {
			appendRow(b, sessionOptions["catalog"], sessionOptions["schema"], name, column, int32(i+1), nil)
		}
	}
	return sent(b.NewRecord())
}

// reference is a column whose values are the key of another table.
type reference struct{ to, toColumn, from, column string }

// references sends those between tables of the file that a client asks for.
func (s *service) references(ctx context.Context, asked func(reference) bool) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	tables, err := s.described(ctx)
	if err != nil {
		return nil, nil, err
	}
	var found []reference
	for name, t := range tables {
		for _, c := range t.Columns {
			if len(c.References) != 1 { // a value that is in one of several tables is no key of any
				continue
			}
			to, column, _ := strings.Cut(c.References[0], ".")
			r := reference{to, column, name, c.Name}
			if to != name && slices.Equal(tables[to].PrimaryKey(), []string{column}) && asked(r) {
				found = append(found, r)
			}
		}
	}
	slices.SortFunc(found, func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from), cmp.Compare(a.column, b.column))
	})
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema_ref.ImportedExportedKeysAndCrossReference)
	defer b.Release()
	const noAction = uint8(pb.UpdateDeleteRules_NO_ACTION)
	for _, r := range found {
		catalog, schema := sessionOptions["catalog"], sessionOptions["schema"]
		appendRow(b, catalog, schema, r.to, r.toColumn, catalog, schema, r.from, r.column, int32(1), nil, nil, noAction, noAction)
	}
	return sent(b.NewRecord())
}

// appendRow adds a row of texts and numbers; nil is NULL.
func appendRow(b *array.RecordBuilder, values ...any) {
	for i, v := range values {
		switch field := b.Field(i).(type) {
		case *array.StringBuilder:
			appendTo(v, field.Append, field.AppendNull)
		case *array.Int32Builder:
			appendTo(v, field.Append, field.AppendNull)
		case *array.Uint8Builder:
			appendTo(v, field.Append, field.AppendNull)
		}
	}
}

// GetFlightInfoExportedKeys describes a list of keys.
func (s *service) GetFlightInfoExportedKeys(_ context.Context, _ flightsql.TableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.ExportedKeys, d.GetCmd()), nil
}

// DoGetExportedKeys sends the columns that refer to the key of a table.
func (s *service) DoGetExportedKeys(ctx context.Context, ref flightsql.TableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return s.references(ctx, func(r reference) bool { return named(ref, r.to) })
}

// GetFlightInfoImportedKeys describes a list of keys.
func (s *service) GetFlightInfoImportedKeys(_ context.Context, _ flightsql.TableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.ImportedKeys, d.GetCmd()), nil
}

// DoGetImportedKeys sends the keys that the columns of a table refer to.
func (s *service) DoGetImportedKeys(ctx context.Context, ref flightsql.TableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return s.references(ctx, func(r reference) bool { return named(ref, r.from) })
}

// GetFlightInfoCrossReference describes a list of keys.
func (s *service) GetFlightInfoCrossReference(_ context.Context, _ flightsql.CrossTableRef, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return info(d, schema_ref.CrossReference, d.GetCmd()), nil
}

// DoGetCrossReference sends the columns of a table that refer to the key of another one.
func (s *service) DoGetCrossReference(ctx context.Context, ref flightsql.CrossTableRef) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	return s.references(ctx, func(r reference) bool { return named(ref.PKRef, r.to) && named(ref.FKRef, r.from) })
}
