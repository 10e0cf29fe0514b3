package warehouse

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"
)

//go:embed sql
var files embed.FS

// Statements are the SQL files below the folder sql of a package that embeds them, one statement a
// file.
type Statements struct{ Files embed.FS }

// Text returns the SQL in sql/name.sql. A missing file is a bug, not an error.
func (s Statements) Text(name string) string {
	b, err := s.Files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Filled returns what the template in sql/name.sql makes of the values. A bad file is a bug, not an
// error.
func (s Statements) Filled(name string, values any) string {
	return execute(template.New(name), s.Text(name), name, values)
}

// execute returns what a part of a template makes of the values; its text defines the part.
func execute(t *template.Template, text, part string, values any) string {
	var b strings.Builder
	if err := template.Must(t.Parse(text)).ExecuteTemplate(&b, part, values); err != nil {
		panic(err)
	}
	return b.String()
}

// sqlParts are the templates in the files of sql/parts, which several statements use. They are parsed
// once, since a night fills a hundred statements.
var sqlParts = sync.OnceValue(func() *template.Template {
	t := template.New("parts").Funcs(template.FuncMap{"dict": dict, "fields": strings.Fields})
	return template.Must(t.ParseFS(files, "sql/parts/*.sql"))
})

// dict makes a map of keys and values, so that a template can give several values to another.
func dict(pairs ...string) map[string]string {
	m := map[string]string{}
	for pair := range slices.Chunk(pairs, 2) {
		m[pair[0]] = pair[1]
	}
	return m
}

// statement returns the SQL in sql/name.sql.
func statement(name string) string { return Statements{files}.Text(name) }

// filled returns what the template in sql/name.sql makes of the values. It may use the templates of
// sql/parts.
func filled(name string, values any) string {
	return execute(template.Must(sqlParts().Clone()).New(name), statement(name), name, values)
}

// namedSQL is a statement with the name that errors give it.
type namedSQL struct{ name, text string }

// statements lists those in a folder of sql/, in the order of their names.
func statements(folder string) (names []string) {
	entries, err := files.ReadDir("sql/" + folder)
	if err != nil {
		panic(err) // a bug, not an error
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".sql"); ok {
			names = append(names, folder+"/"+name)
		}
	}
	return names
}

// Dataset is a table of versions. The statements of a load are the same for each dataset, except
// for its name and columns: they are templates.
type Dataset struct {
	Name    string
	Columns []DatasetColumn // what makes a version: a new value opens the next
	Kept    []DatasetColumn // further columns of the evidence, which open no version
	Order   string          // ORDER BY of a night's observations n of a vessel: the last value counts
	// Searched says that status searches observe the dataset as well as lookups. Its observations are in the table
	// NAME_observed, and a version keeps when a lookup observed it.
	Searched bool

	Empty bool // before the night that is applied: then every observation is of a new vessel
}

// DatasetColumn is a column of a dataset. One with a leader takes its value from the observation
// that gave the leader's: a flag without its country, or a category without its type, means nothing.
//
// One that belongs to another column ends with a new value of that one: an ETA is of a destination, and says nothing of
// the next. Until then an answer without it leaves it as it is.
type DatasetColumn struct {
	Name   string
	Leader string
	Of     string // the column that it belongs to
}

// Owners lists the columns to which others of the dataset belong.
func (d Dataset) Owners() (names []string) {
	for _, c := range d.Columns {
		if c.Of != "" && !slices.Contains(names, c.Of) {
			names = append(names, c.Of)
		}
	}
	return names
}

// All are the columns of the dataset that observations carry.
func (d Dataset) All() []DatasetColumn {
	return append(d.Columns[:len(d.Columns):len(d.Columns)], d.Kept...)
}

// datasets lists the datasets without the columns that make their versions, which readDatasets
// takes from the tables of a file.
var datasets = []Dataset{
	{Name: "registration", Kept: columns("country_iso source"), Order: "n.second DESC, n.seen_at, n.source, n.run_id, n.entry"},
	{Name: "particulars", Kept: columns("operation updated_at"), Order: "n.seen_at, n.operation, n.run_id, n.entry"},
	{Name: "engine", Order: "n.seen_at, n.run_id, n.entry"},
	{Name: "management", Order: "n.seen_at, n.run_id, n.entry"},
	{Name: "voyages", Kept: columns("operation updated_at"), Order: "n.seen_at, n.operation, n.run_id, n.entry", Searched: true},
}

// leaders names the leader of each column that has one.
var leaders = map[string]string{"flag": "country", "register": "country", "category": "vessel_type", "is_vessel": "vessel_type"}

// belongsTo names the column that others belong to.
var belongsTo = map[string]string{"locode": "destination", "eta": "destination", "last_port_locode": "last_port", "departed_at": "last_port",
	"world_zone": "navigational_status"}

func columns(names string) []DatasetColumn {
	var cs []DatasetColumn
	for _, name := range strings.Fields(names) {
		cs = append(cs, DatasetColumn{Name: name})
	}
	return cs
}

// Datasets returns the datasets of versions with the columns that the file has: registration,
// particulars, engine, management, voyages.
func (w *Warehouse) Datasets(ctx context.Context) ([]Dataset, error) { return readDatasets(ctx, w.db) }

// readDatasets returns the datasets with the columns that a file has. A migration that adds a
// column to a table is enough to give it to the versions.
func readDatasets(ctx context.Context, db querier) ([]Dataset, error) {
	found, err := collectRows(ctx, db, nil, filled("read/dataset_columns", datasets), func(rows *sql.Rows) (c [2]string, err error) {
		return c, rows.Scan(&c[0], &c[1])
	})
	if err != nil {
		return nil, fmt.Errorf("list the columns of the datasets: %w", err)
	}
	all := slices.Clone(datasets)
	for _, c := range found {
		d := &all[slices.IndexFunc(all, func(d Dataset) bool { return d.Name == c[0] })]
		if added := (DatasetColumn{Name: c[1], Leader: leaders[c[1]], Of: belongsTo[c[1]]}); !slices.Contains(d.Kept, added) {
			d.Columns = append(d.Columns, added)
		}
	}
	return all, nil
}
