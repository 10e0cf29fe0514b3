package flight

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

func pointer[T any](v T) *T { return &v }

// listed reads a list of metadata.
func (c *client) listed(info *flight.FlightInfo, err error) string {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := c.read(c.t.Context(), info)
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

func TestMetadata(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	ctx := t.Context()
	if got := c.listed(c.GetCatalogs(ctx)); got != "fleet;" {
		t.Errorf("catalogs: %s", got)
	}
	if got := c.listed(c.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{})); !strings.Contains(got, "fleet main;") || strings.Contains(got, "pg_catalog") || strings.Contains(got, "internal") || strings.Contains(got, "temp") {
		t.Errorf("schemas: %s", got)
	}
	for name, o := range map[string]*flightsql.GetDBSchemasOpts{
		"a pattern":      {DbSchemaFilterPattern: pointer("ma_n")},
		"an escaped one": {DbSchemaFilterPattern: pointer(`main`), Catalog: pointer("fleet")},
	} {
		if got := c.listed(c.GetDBSchemas(ctx, o)); got != "fleet main;" {
			t.Errorf("schemas by %s: %s", name, got)
		}
	}
	if got := c.listed(c.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{Catalog: pointer("other")})); got != "" {
		t.Errorf("schemas of another catalog: %s", got)
	}
	if got := c.listed(c.GetTableTypes(ctx)); got != "TABLE;VIEW;" {
		t.Errorf("types of tables: %s", got)
	}
	if got := c.listed(c.GetXdbcTypeInfo(ctx, nil)); strings.Count(got, ";") != len(valueTypes) || !strings.Contains(got, "VARCHAR 12 ") {
		t.Errorf("types: %s", got)
	}
	ordered := func(a, b valueType) int { return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.name, b.name)) }
	if !slices.IsSortedFunc(valueTypes, ordered) {
		t.Error("the types are not in the order of the protocol")
	}
	if got := c.listed(c.GetXdbcTypeInfo(ctx, pointer(int32(93)))); strings.Count(got, ";") != 2 || !strings.HasPrefix(got, "TIMESTAMP 93 ") {
		t.Errorf("types of a number: %s", got)
	}
}

// TestMetadataOfKeys: the keys of the dictionary, where no column of one is ever null, and what refers to them.
func TestMetadataOfKeys(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	ctx := t.Context()
	for name, q := range map[string]struct {
		table flightsql.TableRef
		want  string
	}{
		"of a table":                {flightsql.TableRef{Table: "runs"}, "fleet main runs run_id 1 (null);"},
		"of two columns":            {flightsql.TableRef{Catalog: pointer("fleet"), DBSchema: pointer("main"), Table: "registration"}, "fleet main registration vessel_id 1 (null);fleet main registration valid_from 2 (null);"},
		"of a view":                 {flightsql.TableRef{Table: "VESSELS"}, "fleet main vessels vessel_id 1 (null);"},
		"with a column that may be": {flightsql.TableRef{Table: "fleet_daily"}, ""},
		"of another catalog":        {flightsql.TableRef{Catalog: pointer("other"), Table: "runs"}, ""},
		"of a table that is not":    {flightsql.TableRef{Table: "nothing"}, ""},
		"of one for the program":    {flightsql.TableRef{DBSchema: pointer("internal"), Table: "latest"}, ""},
	} {
		if got := c.listed(c.GetPrimaryKeys(ctx, q.table)); got != q.want {
			t.Errorf("the key %s: %q, want %q", name, got, q.want)
		}
	}
	const flags = "fleet main flags flag fleet main vessels flag 1 (null) (null) 3 3;"
	if got := c.listed(c.GetImportedKeys(ctx, flightsql.TableRef{Table: "vessels"})); !strings.Contains(got, flags) || strings.Count(got, " fleet main vessels ") != strings.Count(got, ";") {
		t.Errorf("what vessels refers to: %s", got)
	}
	if got := c.listed(c.GetExportedKeys(ctx, flightsql.TableRef{Table: "flags"})); !strings.Contains(got, flags) || strings.Count(got, "fleet main flags flag ") != strings.Count(got, ";") || strings.Count(got, ";") < 5 {
		t.Errorf("what refers to flags: %s", got)
	}
	if got := c.listed(c.GetCrossReference(ctx, flightsql.TableRef{Table: "flags"}, flightsql.TableRef{Table: "vessels"})); got != flags {
		t.Errorf("what of vessels refers to flags: %s", got)
	}
}

func TestMetadataOfTables(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	ctx := t.Context()
	all := c.listed(c.GetTables(ctx, &flightsql.GetTablesOpts{}))
	if !strings.Contains(all, "fleet main runs TABLE;") || !strings.Contains(all, "fleet main vessels VIEW;") || strings.Contains(all, "temp ") || strings.Contains(all, "fleet internal ") {
		t.Errorf("tables: %s", all)
	}
	for name, q := range map[string]struct {
		o    *flightsql.GetTablesOpts
		want string
	}{
		"a name":                {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("runs")}, "fleet main runs TABLE;"},
		"a pattern":             {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("r_ns")}, "fleet main runs TABLE;"},
		"a pattern not escaped": {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer(`r\_ns`)}, ""},
		"an apostrophe":         {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer(`' OR 1=1 --`)}, ""},
		"a type":                {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("runs"), TableTypes: []string{"VIEW"}}, ""},
		"two types":             {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("runs"), TableTypes: []string{"VIEW", "TABLE"}}, "fleet main runs TABLE;"},
		"a schema":              {&flightsql.GetTablesOpts{TableNameFilterPattern: pointer("runs"), DbSchemaFilterPattern: pointer("main"), Catalog: pointer("fleet")}, "fleet main runs TABLE;"},
	} {
		if got := c.listed(c.GetTables(ctx, q.o)); got != q.want {
			t.Errorf("%s: got %s, want %s", name, got, q.want)
		}
	}
	info, err := c.GetTables(ctx, &flightsql.GetTablesOpts{IncludeSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	tables := 0
	for r.Next() {
		for i := range int(r.Record().NumRows()) {
			tables++
			schema, err := flight.DeserializeSchema(r.Record().Column(4).(*array.Binary).Value(i), memory.DefaultAllocator)
			name := r.Record().Column(2).ValueStr(i)
			if err != nil || schema.NumFields() == 0 {
				t.Errorf("%s: %v, %v", name, schema, err)
			}
			if name != "runs" {
				continue
			}
			kind, _ := schema.Field(0).Metadata.GetValue(flightsql.TypeNameKey)
			comment, _ := schema.Field(0).Metadata.GetValue(remarksKey)
			table, _ := schema.Metadata().GetValue(remarksKey)
			if schema.Field(0).Name != "run_id" || kind != "VARCHAR" || comment == "" || table == "" {
				t.Errorf("runs: %v", schema)
			}
		}
	}
	if tables != strings.Count(all, ";") || r.Err() != nil {
		t.Errorf("%d tables with columns: %v", tables, r.Err())
	}
}

func TestMetadataOfTheServer(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	if got := c.listed(c.GetSqlInfo(t.Context(), []flightsql.SqlInfo{flightsql.SqlInfoFlightSqlServerName, flightsql.SqlInfoFlightSqlServerReadOnly})); !strings.Contains(got, "fleetlake") || !strings.Contains(got, "true") {
		t.Errorf("two facts: %s", got)
	}
	if got := c.listed(c.GetSqlInfo(t.Context(), []flightsql.SqlInfo{flightsql.SqlInfoFlightSqlServerVersion})); !strings.Contains(got, "v1 (DuckDB v1.4.3)") {
		t.Errorf("the version: %s", got)
	}
	if got := c.listed(c.GetSqlInfo(t.Context(), nil)); strings.Count(got, ";") < 30 {
		t.Errorf("all facts: %s", got)
	}
	if got := c.listed(c.GetSqlInfo(t.Context(), []flightsql.SqlInfo{99_999})); got != "" {
		t.Errorf("an unknown fact: %s", got)
	}
	if got := c.listed(c.GetSqlInfo(t.Context(), []flightsql.SqlInfo{99_999, flightsql.SqlInfoFlightSqlServerName})); strings.Count(got, ";") != 1 {
		t.Errorf("an unknown fact beside a known one: %s", got)
	}
}
