package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// format is the version of current.json that this program reads.
const format = 2

// manifest is current.json: what the export holds.
type manifest struct {
	Format  int                      `json:"format"`
	Export  string                   `json:"export"`
	Program string                   `json:"program"`
	Tables  map[string]manifestTable `json:"tables"`
	Files   []manifestFile           `json:"files"`
}

// manifestTable describes the columns of a table in the order of its files.
type manifestTable struct {
	Comment string   `json:"comment"`
	Sort    []string `json:"sort"`
	Columns []column `json:"columns"`
}

// column is one column; its ID never changes and is never used again.
type column struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Comment string `json:"comment"`
}

// manifestFile is a Parquet file of the export. A monthly file names the nights that it took the place of.
type manifestFile struct {
	Table        string `json:"table"`
	Path         string `json:"path"`
	Rows         int64  `json:"rows"`
	Bytes        int64  `json:"bytes"`
	SHA256       string `json:"sha256"`
	Run          string `json:"run"`
	SnapshotDate string `json:"snapshot_date"`
	Sources      []part `json:"sources"`
}

// part is one night of one run, as it was derived: another derivation has another SHA-256.
type part struct {
	Run          string `json:"run"`
	SnapshotDate string `json:"snapshot_date"`
	SHA256       string `json:"sha256"`
}

// parts returns the nights that a file holds. The file of a history table is one part.
func (f manifestFile) parts() []part {
	if len(f.Sources) > 0 {
		return f.Sources
	}
	return []part{{f.Run, f.SnapshotDate, f.SHA256}}
}

// dates returns the days that a file covers, none for a history table.
func (f manifestFile) dates() []string {
	var days []string
	for _, p := range f.parts() {
		if p.SnapshotDate != "" {
			days = append(days, p.SnapshotDate)
		}
	}
	return days
}

var sha256Text = regexp.MustCompile(`^[0-9a-f]{64}$`)

// readManifest reads and checks current.json of the target.
func readManifest(ctx context.Context, t target) (manifest, error) {
	text, _, err := t.read(ctx, "current.json")
	if errors.Is(err, errNotFound) {
		return manifest{}, fmt.Errorf("%s has no current.json: run `fleetlake export %s` first", t.uri, t.name)
	}
	if err != nil {
		return manifest{}, fmt.Errorf("read current.json: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return manifest{}, fmt.Errorf("read current.json: %w", err)
	}
	if m.Format != format {
		return manifest{}, fmt.Errorf("current.json has format %d, this program reads format %d: use the fleetlake-iceberg of the release that wrote the export", m.Format, format)
	}
	if err := m.check(); err != nil {
		return manifest{}, fmt.Errorf("current.json: %w", err)
	}
	return m, nil
}

// check reports the first thing that is wrong with the manifest, so that nothing is registered of a damaged one.
func (m manifest) check() error {
	for name, t := range m.Tables {
		if err := t.check(name); err != nil {
			return err
		}
	}
	type tablePart struct {
		table string
		part  part
	}
	holder := map[tablePart]string{}
	for _, f := range m.Files {
		if err := m.checkFile(f); err != nil {
			return err
		}
		for _, p := range f.parts() {
			key := tablePart{f.Table, p}
			if other, twice := holder[key]; twice {
				return fmt.Errorf("run %s of %s is in two files of %s: %s and %s", p.Run, p.SnapshotDate, f.Table, other, f.Path)
			}
			holder[key] = f.Path
		}
	}
	return nil
}

func (t manifestTable) check(name string) error {
	namespace, short, ok := strings.Cut(name, ".")
	if !ok || !slices.Contains(namespaces, namespace) || short == "" || strings.ContainsAny(short, "./") {
		return fmt.Errorf("table %q is in none of the namespaces %s", name, strings.Join(namespaces, ", "))
	}
	ids, names := map[int]bool{}, map[string]bool{}
	for _, c := range t.Columns {
		if _, err := icebergType(c.Type); err != nil {
			return fmt.Errorf("column %s.%s: %w", name, c.Name, err)
		}
		if c.ID < 1 || ids[c.ID] || c.Name == "" || names[c.Name] {
			return fmt.Errorf("column %s.%s: its id %d or its name is missing or used twice", name, c.Name, c.ID)
		}
		ids[c.ID], names[c.Name] = true, true
	}
	if len(t.Columns) == 0 {
		return fmt.Errorf("table %s has no columns", name)
	}
	for _, s := range t.Sort {
		if !names[s] {
			return fmt.Errorf("table %s is sorted by %s, which is no column of it", name, s)
		}
	}
	return nil
}

func (m manifest) checkFile(f manifestFile) error {
	if _, known := m.Tables[f.Table]; !known {
		return fmt.Errorf("file %s belongs to table %q, which is not described", f.Path, f.Table)
	}
	if path.Clean(f.Path) != f.Path || !strings.HasPrefix(f.Path, strings.Replace(f.Table, ".", "/", 1)+"/") {
		return fmt.Errorf("file %q of table %s is not below its folder", f.Path, f.Table)
	}
	for _, p := range f.parts() {
		if !sha256Text.MatchString(p.SHA256) {
			return fmt.Errorf("file %s: sha256 %q is not 64 hexadecimal digits", f.Path, p.SHA256)
		}
	}
	return nil
}

// names returns the tables in alphabetical order.
func (m manifest) names() []string {
	var names []string
	for name := range m.Tables {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// filesOf returns the files of a table in the order in which they are appended: by date, then by run.
func (m manifest) filesOf(table string) []manifestFile {
	var files []manifestFile
	for _, f := range m.Files {
		if f.Table == table {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b manifestFile) int {
		x, y := a.parts()[0], b.parts()[0]
		return strings.Compare(x.SnapshotDate+"\x00"+x.Run+"\x00"+a.Path, y.SnapshotDate+"\x00"+y.Run+"\x00"+b.Path)
	})
	return files
}
