package transform

import (
	"embed"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

//go:embed reference/*.csv
var referenceFiles embed.FS

// ReferenceTable is a table of the warehouse that is the same in every run. Each row has a
// cell per column; an empty cell is null.
type ReferenceTable struct {
	Name    string
	Columns []string
	Rows    [][]string
}

// ReferenceTables returns the reference tables, by the names that the warehouse gives them.
//
//	flags                           flag, name, state, open_registry; one row per flag
//	registers                       register, flag, name, open_registry; one row per register of ships
//	countries                       spelling, flag, name, source
//	types                           vessel_type, category, is_vessel, source; one row per type
//	vessel_types                    spelling, name, category, is_vessel, source
//	world_zones                     value, name
//	navigational_statuses           value, meaning, zoned, labels (separated by "|")
//	maritime_identification_digits  digits, flag, name; one row per flag of the digits
//	operations                      operation, kind, credits, per_minute, paged
//	operation_datasets              operation, dataset, lake_table, share; one row per dataset of an operation
func ReferenceTables() []ReferenceTable {
	names := []string{"flags", "countries", "vessel_types", "world_zones", "navigational_statuses",
		"maritime_identification_digits"}
	tables := make([]ReferenceTable, 0, len(names)+4)
	for _, name := range names {
		rows := referenceRows(name)
		tables = append(tables, ReferenceTable{Name: name, Columns: rows[0], Rows: rows[1:]})
	}
	tables = append(tables, vesselTypes(), allRegisters(), operations(), operationDatasets())
	for i := range tables {
		if t := &tables[i]; slices.Contains([]string{"countries", "vessel_types", "types"}, t.Name) {
			t.addSource()
		}
	}
	return tables
}

// addSource adds the column that tells the values of the program's lists from those that answers brought.
func (t *ReferenceTable) addSource() {
	t.Columns = append(slices.Clip(t.Columns), "source")
	for i, row := range t.Rows {
		t.Rows[i] = append(slices.Clip(row), "interface text")
	}
}

// allRegisters returns the table registers: those of reference/registers.csv, and for every flag without one
// of the same name the register that is its own.
func allRegisters() ReferenceTable {
	registers := ReferenceTable{Name: "registers", Columns: []string{"register", "flag", "name", "open_registry"}}
	seen := map[string]bool{}
	for _, r := range referenceRows("registers")[1:] {
		seen[r[0]] = true
		registers.Rows = append(registers.Rows, r[:4])
	}
	for _, r := range referenceRows("flags")[1:] {
		if !seen[r[1]] {
			registers.Rows = append(registers.Rows, []string{r[1], r[0], r[1], r[3]})
		}
	}
	slices.SortFunc(registers.Rows, slices.Compare)
	return registers
}

// vesselTypes returns the table types: each name of reference/vessel_types.csv once. A join with the
// spellings would repeat a vessel for each spelling of its type.
func vesselTypes() ReferenceTable {
	types := ReferenceTable{Name: "types", Columns: []string{"vessel_type", "category", "is_vessel"}}
	seen := map[string]bool{}
	for _, r := range referenceRows("vessel_types")[1:] {
		if !seen[r[1]] {
			seen[r[1]] = true
			types.Rows = append(types.Rows, r[1:])
		}
	}
	slices.SortFunc(types.Rows, slices.Compare)
	return types
}

// operations returns the table operations: those of package api.
func operations() ReferenceTable {
	t := ReferenceTable{Name: "operations", Columns: []string{"operation", "kind", "credits", "per_minute", "paged"}}
	for _, o := range api.Operations {
		t.Rows = append(t.Rows, []string{o.Name, o.Kind(), strconv.Itoa(o.Credits), strconv.Itoa(o.PerMinute),
			strconv.FormatBool(o.Paged)})
	}
	return t
}

// operationDatasets returns the table operation_datasets: what the answers of each operation have.
func operationDatasets() ReferenceTable {
	t := ReferenceTable{Name: "operation_datasets", Columns: []string{"operation", "dataset", "lake_table", "share"}}
	for _, o := range api.Operations {
		shares := o.Shares()
		for _, dataset := range o.Datasets() {
			t.Rows = append(t.Rows, []string{o.Name, dataset, LakeTables[dataset],
				strconv.FormatFloat(shares[dataset], 'g', -1, 64)})
		}
	}
	return t
}

// OperationsOf returns the operations whose answers a table of the lake has rows of, in the order of reports. Every
// operation has requests and issues, and the searches have coverage; the rows of any other table that is none of a
// dataset, as the fleet is, are made of all answers about vessels.
func OperationsOf(table string) (names []string) {
	ofDataset := func(o api.Operation) bool {
		return slices.ContainsFunc(o.Datasets(), func(dataset string) bool { return LakeTables[dataset] == table })
	}
	isOf := func(o api.Operation) bool { return len(o.Datasets()) > 0 }
	switch {
	case table == RawAnswers.Name: // those of the configuration
		return nil
	case table == Requests.Name, table == Issues.Name:
		isOf = func(api.Operation) bool { return true }
	case table == Coverage.Name:
		isOf = api.Operation.IsSearch
	case slices.ContainsFunc(api.Operations, ofDataset):
		isOf = ofDataset
	}
	for _, o := range api.Operations {
		if isOf(o) {
			names = append(names, o.Name)
		}
	}
	return names
}

// referenceRows returns the rows of reference/name.csv, header included. It panics on a bad
// file: the files are compiled in, so that is a bug.
func referenceRows(name string) [][]string {
	f, err := referenceFiles.Open("reference/" + name + ".csv")
	if err != nil {
		panic(err)
	}
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows
}

// flag is an index into flags; 0 is no flag.
type flag uint16

// flagEntry is an ISO 3166 country. If it is a territory, state is the state whose country
// digits and code its ships may carry.
type flagEntry struct {
	code, name string
	state      flag
}

// These are the reference tables as the parsers use them. Spellings and labels are in lower
// case.
var (
	flags, flagByCode  = readFlags()
	digitFlags         = readDigits()
	registerBySpelling = readRegisters()
	flagByName         = readFlagNames()
	countryBySpelling  = readCountries()
	typeBySpelling     = readTypes()
	statusByLabel      = readStatuses()
)

// readFlags returns the flags, from index 1 on, and their indexes by code.
func readFlags() ([]flagEntry, map[string]flag) {
	rows := referenceRows("flags")
	entries, byCode := make([]flagEntry, 1, len(rows)), make(map[string]flag, len(rows))
	for _, r := range rows[1:] {
		byCode[r[0]] = flag(len(entries))
		entries = append(entries, flagEntry{code: r[0], name: r[1]})
	}
	for i, r := range rows[1:] {
		entries[i+1].state = byCode[r[2]]
	}
	return entries, byCode
}

// readDigits returns the flags that each number of country digits stands for.
func readDigits() (of [1000][]flag) {
	for _, r := range referenceRows("maritime_identification_digits")[1:] {
		n, _ := digits(r[0])
		of[n] = append(of[n], flagByCode[r[1]])
	}
	return of
}

// readCountries returns the meaning of each accepted country, by its spelling.
func readCountries() map[string]spelling {
	rows := referenceRows("countries")
	known := make(map[string]spelling, len(rows))
	for _, r := range rows[1:] {
		s := spelling{value: r[2], flag: flagByCode[r[1]], register: flags[flagByCode[r[1]]].name}
		if own, ok := registerBySpelling[keyOf(r[0])]; ok {
			s.register = own.register
		}
		known[keyOf(r[0])] = s
	}
	return known
}

// readRegisters returns the meaning of each spelling of a country that names a register of its own.
func readRegisters() map[string]spelling {
	known := map[string]spelling{}
	for _, r := range referenceRows("registers")[1:] {
		f := flagByCode[r[1]]
		for _, s := range strings.Split(r[4], "|") {
			known[keyOf(s)] = spelling{value: flags[f].name, flag: f, register: r[0]}
		}
	}
	return known
}

// readFlagNames returns the flags by their names. Some of these are no country that the service accepts.
func readFlagNames() map[string]flag {
	known := make(map[string]flag, len(flags))
	for i, f := range flags[1:] {
		known[keyOf(f.name)] = flag(i + 1)
	}
	return known
}

// readTypes returns the meaning of each accepted vessel type, by its spelling.
func readTypes() map[string]spelling {
	rows := referenceRows("vessel_types")
	known := make(map[string]spelling, len(rows))
	for _, r := range rows[1:] {
		known[keyOf(r[0])] = spelling{value: r[1], category: r[2], isVessel: r[3] == "true"}
	}
	return known
}

// readStatuses returns the navigational status that each label stands for.
func readStatuses() map[string]string {
	known := make(map[string]string)
	for _, r := range referenceRows("navigational_statuses")[1:] {
		known[r[0]] = r[0]
		for _, label := range strings.Split(r[3], "|") {
			known[label] = r[0]
		}
	}
	return known
}

// agrees reports whether a ship of this flag may carry the country digits or code of one of
// the others. A territory's ships may carry those of its state; a state's ships may not carry
// those of its territories.
func (f flag) agrees(with ...flag) bool {
	return slices.Contains(with, f) || flags[f].state != 0 && slices.Contains(with, flags[f].state)
}
