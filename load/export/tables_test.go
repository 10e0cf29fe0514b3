package export

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestEveryColumnIsDescribed checks that a reader finds the meaning, the type and the id of each column.
func TestEveryColumnIsDescribed(t *testing.T) {
	dir := published(t, nights("2026-11-20", 1, 1)...)
	s := directoryStore(t)
	export(t, dir, s, Options{})
	m := current(t, s)
	if len(m.Tables) != len(transform.Tables)+1+len(derived) {
		t.Errorf("%d tables", len(m.Tables))
	}
	for name, table := range m.Tables {
		if table.Comment == "" || len(table.Columns) == 0 || len(table.Sort) == 0 {
			t.Errorf("%s: %q, %d columns, sorted by %v", name, table.Comment, len(table.Columns), table.Sort)
		}
		ids, names := map[int]bool{}, map[string]bool{}
		for _, c := range table.Columns {
			if c.Comment == "" || c.Type == "" || c.ID == 0 || ids[c.ID] || names[c.Name] {
				t.Errorf("%s: %+v", name, c)
			}
			ids[c.ID], names[c.Name] = true, true
		}
		for _, by := range table.Sort {
			if !names[by] {
				t.Errorf("%s is sorted by %s, which it does not have", name, by)
			}
		}
		if strings.HasPrefix(name, factsPrefix) && !names["snapshot_date"] {
			t.Errorf("%s has no snapshot_date", name)
		}
	}
}

// pinned are the SHA-256 of the first lines of field_ids.txt, by their number, as they were at each
// addition. An addition adds a line here, and changes none. Before the first release three capacities got
// their unit in the name.
var pinned = map[int]string{
	245: "90fb3a1dfca5d6a6134fea372e78f79d0b04d3c7baebb3ba677fb53f0b6c68a7",
	254: "675d4bf190dfe5aac4184f882800fb21e90880c1632f0a007a1182fc32345a08",
	266: "6b10c08aff4b5128db7961b5fe143e61a6eb14097961427e870dd29fadf66f60",
	268: "f9c452e13a8348261b22c2841c551a6e8a7b0d7f0704127b29c06cca99c5aa52",
	269: "1622bd5326cc6b804e901879285fdbc3dd43d4051e2b41d253dd6a86da8586f9",
	278: "3a543e2ba651699e5ae35bb462498a27c8e9a94f4eaaf77fb940b45370f47cb0",
	309: "d5547188d537ea5848b6d8c36e6597c076e17c6f84c63df73c33f07ee59007b2",
	311: "1f48b93106396cea0b46ebca48948f1f99cbccb2925a92c9a0006683240efc67",
	521: "84ccbd6a8f4c7c3aefb636a1cfdf8e2e2057a770d3a284621a83de919689439d",
}

// TestFieldIDsAreForEver fails if an id changes, is used again or is not pinned.
func TestFieldIDsAreForEver(t *testing.T) {
	var lines []string
	used := map[string]string{}
	for line := range strings.Lines(fieldIDLines) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		lines = append(lines, line)
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		table := name[:strings.LastIndex(name, ".")]
		for _, key := range []string{name, table + " " + id} {
			if other, twice := used[key]; twice {
				t.Errorf("%q and %q", other, line)
			}
			used[key] = line
		}
	}
	most := 0
	for n, want := range pinned {
		most = max(most, n)
		h := sha256.Sum256([]byte(strings.Join(lines[:min(n, len(lines))], "")))
		if got := hex.EncodeToString(h[:]); n > len(lines) || got != want {
			t.Errorf("the first %d of %d lines have the SHA-256 %s, want %s: a line was changed or removed", n, len(lines), got, want)
		}
	}
	if most != len(lines) {
		t.Errorf("%d lines, and only %d are pinned: add a line to pinned", len(lines), most)
	}
}

// TestEveryTableOfTheWarehouseIsExported fails for a new table that is neither exported nor left out
// for a reason.
func TestEveryTableOfTheWarehouseIsExported(t *testing.T) {
	leftOut := map[string]string{
		"coverage": "in facts", "requests": "in facts", "issues": "in facts", "raw_answers": "in facts",
	}
	dir := published(t, nights("2026-11-20", 1, 1)...)
	w, err := warehouse.Open(t.Context(), warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	tables, err := w.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, name := range derived {
		exported[inWarehouse(name)] = true
	}
	for _, table := range tables {
		ready := table.Group == warehouse.GroupReady && !table.EveryNight
		if ready && !exported[table.Name] {
			t.Errorf("%s is not exported: add it to dictionary.ReadyViews and field_ids.txt", table.Name)
		}
		if _, ok := leftOut[table.Name]; !ok && table.Kind == warehouse.KindTable && !exported[table.Name] {
			t.Errorf("%s is not exported: add it to historyTables and field_ids.txt", table.Name)
		}
	}
}
