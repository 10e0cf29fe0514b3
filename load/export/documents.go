package export

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/warehouse"
)

//go:embed documents
var documents embed.FS

// describedTable is a table with its name and its files, for the documents.
type describedTable struct {
	Name string `json:"name"`
	Table
	Paths []string `json:"-"`
}

// SQLName is the name of the table in a schema of another engine: facts_positions.
func (t describedTable) SQLName() string { return strings.ReplaceAll(t.Name, ".", "_") }

// Directory is where the files of the table are.
func (t describedTable) Directory() string { return strings.ReplaceAll(t.Name, ".", "/") }

// engines are those for which statements are generated.
var engines = []string{"athena", "bigquery", "clickhouse", "snowflake", "trino"}

// describe makes the documents of a manifest, by their paths.
func describe(m Manifest) (map[string][]byte, error) {
	paths := map[string][]string{}
	for _, f := range m.Files {
		paths[f.Table] = append(paths[f.Table], f.Path)
	}
	var tables, filled []describedTable
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		t := describedTable{name, m.Tables[name], paths[name]}
		tables = append(tables, t)
		if len(t.Paths) > 0 {
			filled = append(filled, t)
		}
	}
	readme, err := documents.ReadFile("documents/README.md")
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{"README.md": readme}
	if all["dictionary.json"], all["dictionary.html"], err = dictionaryOf(tables); err != nil {
		return nil, err
	}
	for _, engine := range engines {
		var ddl bytes.Buffer
		if err := statements(engine).Execute(&ddl, filled); err != nil {
			return nil, fmt.Errorf("write the statements for %s: %w", engine, err)
		}
		all["ddl/"+engine+".sql"] = ddl.Bytes()
	}
	return all, nil
}

// dictionaryOf describes the tables for programs and for people.
func dictionaryOf(tables []describedTable) (forPrograms, forPeople []byte, err error) {
	groups := []dictionary.Group{{Name: "facts", Title: "Facts: a row for each observation"}, {Name: "history", Title: "History: the tables of the warehouse"},
		{Name: "ready", Title: "Ready to use: the fleet of now, the nights, and what changed"}}
	for _, t := range tables {
		var columns []warehouse.Definition
		for _, c := range t.Columns {
			columns = append(columns, warehouse.Definition{Name: c.Name, Type: c.Type, FieldID: c.ID, Comment: c.Comment})
		}
		namespace, _, _ := strings.Cut(t.Name, ".")
		i := slices.IndexFunc(groups, func(g dictionary.Group) bool { return string(g.Name) == namespace })
		groups[i].Entries = append(groups[i].Entries, dictionary.Exported(t.Name, t.Comment, t.Sort, columns))
	}
	var b, page bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{"groups": groups}); err != nil {
		return nil, nil, fmt.Errorf("write the dictionary: %w", err)
	}
	err = dictionary.Page{Title: "Data dictionary of the export", Lead: "The types are those of current.json; each column has the field id that its files have.", Groups: groups}.Write(&page)
	return b.Bytes(), page.Bytes(), err
}

// typeOrder is the order in which a template names an engine's types.
var typeOrder = []string{"string", "int", "long", "double", "boolean", "date", "timestamptz"}

// statements returns the template of an engine.
func statements(engine string) *template.Template {
	name := engine + ".sql"
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"type":    func(is string, names ...string) string { return names[slices.Index(typeOrder, is)] },
		"quote":   func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
		"text":    func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" },
		"pattern": func(s string) string { return strings.ReplaceAll(regexp.QuoteMeta(s), `\`, `\\`) },
	}).ParseFS(documents, path.Join("documents", name)))
}

// document is the content of a document that is to be written.
type document struct {
	path    string
	content []byte
	version string // of the object that it replaces; "" if there is none
}

// planDocuments decides which documents are written. One that is not as an export wrote it is of
// somebody else: it stays, is not listed, and is reported.
func (p *plan) planDocuments(ctx context.Context, s store.Store, t *target) (notices []string, err error) {
	contents, err := describe(p.next)
	if err != nil {
		return nil, err
	}
	p.next.Documents, p.documents = []Document{}, nil
	for _, key := range slices.Sorted(maps.Keys(contents)) {
		d := Document{key, int64(len(contents[key])), sum(contents[key])}
		if slices.Contains(t.current.Documents, d) && t.present[key] == d.Bytes {
			p.next.Documents = append(p.next.Documents, d)
			continue
		}
		there, version, err := read(ctx, s, key)
		absent := errors.Is(err, store.ErrNotFound)
		if err != nil && !absent {
			return nil, err
		}
		if !absent && sum(there) != d.SHA256 {
			ours, err := wrote(ctx, s, t, Document{key, int64(len(there)), sum(there)})
			if err != nil {
				return nil, err
			}
			if !ours {
				notices = append(notices, key+" is not as an export wrote it, and stays as it is: if you remove it, the next export writes it")
				continue
			}
		}
		p.next.Documents = append(p.next.Documents, d)
		if absent || sum(there) != d.SHA256 {
			p.documents = append(p.documents, document{key, contents[key], version})
		}
	}
	return notices, nil
}

// wrote reports whether a manifest lists a document. The latest ones are read only if the one in
// force does not list it, as after a crash.
func wrote(ctx context.Context, s store.Store, t *target, d Document) (bool, error) {
	if slices.Contains(t.current.Documents, d) {
		return true, nil
	}
	keys := slices.Sorted(maps.Keys(t.present))
	slices.Reverse(keys)
	for _, key := range keys {
		if !strings.HasPrefix(key, manifestsKey) {
			continue
		}
		m, _, err := readManifest(ctx, s, key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
		if slices.Contains(m.Documents, d) {
			return true, nil
		}
	}
	return false, nil
}

// writeDocuments writes the documents that changed.
func (p *plan) writeDocuments(ctx context.Context, s store.Store) error {
	for _, d := range p.documents {
		if err := s.Replace(ctx, d.path, d.content, d.version); err != nil {
			return err
		}
	}
	return nil
}
