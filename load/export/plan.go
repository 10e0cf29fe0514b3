package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// selection is what an export is asked to bring up to date. The rest stays as it is listed.
type selection struct {
	since  string // the first night; "" is all
	tables []string
}

// ErrTable says that an export was asked for a table that it does not have.
var ErrTable = errors.New("no such table")

// newSelection checks the names: a table, as in facts.positions, positions for both, or facts for all.
func newSelection(since string, names []string, tables map[string]Table) (selection, error) {
	s := selection{since: since}
	for _, name := range names {
		found := false
		for table := range tables {
			namespace, short, _ := strings.Cut(table, ".")
			if name == table || name == namespace || name == short {
				s.tables, found = append(s.tables, table), true
			}
		}
		if !found {
			return s, fmt.Errorf("table %q: %w: name one as facts.positions, positions for facts and history, or facts, history or ready for all of them; current.json and the dictionary list them", name, ErrTable)
		}
	}
	return s, nil
}

func (s selection) table(name string) bool {
	return len(s.tables) == 0 || slices.Contains(s.tables, name)
}

func (s selection) night(table, date string) bool { return s.table(table) && date >= s.since }

// factsPlan decides which files of facts an export lists.
type factsPlan struct {
	lake      []File // the files of the published runs
	published func(run string) bool
	present   map[string]int64 // what the store has, by path
	selected  selection
	keepSince string // nights before it are not listed; "" is all
}

// runTable identifies a file of the lake.
type runTable struct{ run, table string }

// files returns the new list. A merged month stays while the lake has all its sources unchanged;
// otherwise its nights are listed one by one again. Runs that were rolled back leave the list.
func (p factsPlan) files(current []File) []File {
	byRun := map[runTable]File{}
	for _, f := range p.lake {
		byRun[runTable{f.Run, f.Table}] = f
	}
	listed, apart := map[runTable]bool{}, map[string]bool{}
	var files []File
	for _, f := range current {
		switch {
		case !f.Facts() || len(f.Sources) > 0 && f.Last < p.keepSince || len(f.Sources) == 0 && f.SnapshotDate < p.keepSince:
		case len(f.Sources) > 0 && p.stands(f, byRun):
			files = append(files, f)
			for _, s := range f.Sources {
				listed[runTable{s.Run, f.Table}] = true
			}
		case len(f.Sources) > 0:
			apart[f.Table+month(f.First)] = true
		case p.published(f.Run) && !p.selected.night(f.Table, f.SnapshotDate):
			files = append(files, f)
			listed[runTable{f.Run, f.Table}] = true
		}
	}
	for _, f := range p.lake {
		wanted := p.selected.night(f.Table, f.SnapshotDate) || apart[f.Table+month(f.SnapshotDate)]
		if wanted && f.SnapshotDate >= p.keepSince && !listed[runTable{f.Run, f.Table}] {
			files = append(files, f)
		}
	}
	sortFiles(files)
	return files
}

// stands reports whether a merged file stays in the list.
func (p factsPlan) stands(f File, byRun map[runTable]File) bool {
	if bytes, ok := p.present[f.Path]; !ok || bytes != f.Bytes {
		return false
	}
	for _, s := range f.Sources {
		now := byRun[runTable{s.Run, f.Table}]
		changed := now.SHA256 != s.SHA256 && p.selected.night(f.Table, s.SnapshotDate)
		if !p.published(s.Run) || changed {
			return false
		}
	}
	return true
}

// month returns YYYY-MM of a date.
func month(date string) string { return date[:min(7, len(date))] }

// night returns the first night of a file.
func (f File) night() string { return cmp.Or(f.First, f.SnapshotDate) }

// sortFiles sorts files by table, night and path.
func sortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.night(), b.night()), strings.Compare(a.Path, b.Path))
	})
}
