package export

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Facts, history and ready are namespaces: facts.particulars and history.particulars are two tables.
const (
	factsPrefix   = "facts."
	historyPrefix = "history."
	readyPrefix   = "ready."
)

// historyTables are the tables of the warehouse that are exported whole.
var historyTables = strings.Fields(`registration particulars engine management positions voyages episodes listed changes vessel_aliases
	second_mmsi_claims identity_conflicts fleet_daily zone_daily runs partitions
	flags registers countries types vessel_types world_zones navigational_statuses maritime_identification_digits
	operations operation_datasets`)

// derived are the tables of an export that are exported whole, by their names in it, in their order.
var derived = func() (all []string) {
	for _, name := range historyTables {
		all = append(all, historyPrefix+name)
	}
	for _, name := range dictionary.ReadyViews {
		all = append(all, readyPrefix+name)
	}
	return all
}()

// inWarehouse is the name in the warehouse of a table of derived.
func inWarehouse(name string) string {
	_, name, _ = strings.Cut(name, ".")
	return name
}

// duckdbTypes are DuckDB's names of the types in a manifest, in the lake and in the warehouse.
var duckdbTypes = map[string]string{
	"string": "VARCHAR", "int": "INTEGER", "long": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE", "timestamptz": "TIMESTAMP WITH TIME ZONE",
}

// typeOf returns the name in a manifest of a type of DuckDB; false if it has none. A TIMESTAMP without
// a zone has none: nothing would say that it is UTC.
func typeOf(duckdb string) (string, bool) {
	if duckdb == "JSON" {
		return "string", true // a text in every engine; the comment of the column says what it holds
	}
	for name, t := range duckdbTypes {
		if t == duckdb {
			return name, true
		}
	}
	return "", false
}

// columnsOf returns the columns of a table as DuckDB has them.
func (t Table) columnsOf() []warehouse.ExportColumn {
	var columns []warehouse.ExportColumn
	for _, c := range t.Columns {
		columns = append(columns, warehouse.ExportColumn{Name: c.Name, Type: duckdbTypes[c.Type], ID: c.ID})
	}
	return columns
}

// tablesOf describes every table of an export, by the warehouse's own description of its tables.
func tablesOf(described []warehouse.Table) (map[string]Table, error) {
	all := map[string]Table{}
	var err error
	for _, e := range dictionary.Lake("", described) {
		name := factsPrefix + strings.TrimPrefix(e.Name, dictionary.LakePrefix)
		if all[name], err = facts(name, e); err != nil {
			return nil, err
		}
	}
	for _, name := range derived {
		i := slices.IndexFunc(described, func(t warehouse.Table) bool { return t.Name == inWarehouse(name) })
		if i < 0 {
			return nil, fmt.Errorf("the warehouse has no table %s", inWarehouse(name))
		}
		if all[name], err = tableOf(name, described[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// facts describes a table of the lake.
func facts(name string, e dictionary.Entry) (Table, error) {
	t := Table{Comment: e.Comment, Sort: e.Sort}
	for _, c := range e.Columns {
		is, ok := typeOf(c.Type)
		if !ok {
			return Table{}, noType(name, c.Name, c.Type)
		}
		t.Columns = append(t.Columns, Column{c.FieldID, c.Name, is, c.Comment})
	}
	return t, nil
}

// tableOf describes a table or view of the warehouse. Columns that only the program uses are left out.
func tableOf(name string, in warehouse.Table) (Table, error) {
	described := Table{Comment: in.Comment, Sort: in.Keys}
	for _, c := range in.Columns {
		if c.Internal {
			continue
		}
		id, ok := fieldIDs[name+"."+c.Name]
		if !ok {
			return Table{}, fmt.Errorf("%s.%s has no field id: another program made this warehouse; "+
				"`fleetlake rebuild` makes it anew", name, c.Name)
		}
		is, ok := typeOf(c.Type)
		if !ok {
			return Table{}, noType(name, c.Name, c.Type)
		}
		described.Columns = append(described.Columns, Column{id, c.Name, is, c.Comment})
	}
	return described, nil
}

// noType says that a column has a type that an export has no name for. Every type of this program's tables has one.
func noType(table, column, is string) error {
	return fmt.Errorf("%s.%s has the type %s, which no table of this program has: an earlier program made this warehouse; "+
		"`fleetlake rebuild`, or the next run, makes it anew, and the export works then", table, column, is)
}

//go:embed field_ids.txt
var fieldIDLines string

// fieldIDs are the ids of the columns of history and ready tables, by names such as history.runs.job, of which the list
// has runs.job, and ready.nights.job. A line of the list never changes and is never removed, also if its column is.
var fieldIDs = parseFieldIDs(fieldIDLines)

func parseFieldIDs(lines string) map[string]int {
	ids := map[string]int{}
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, number, _ := strings.Cut(line, " ")
		id, err := strconv.Atoi(number)
		if err != nil {
			panic(fmt.Sprintf("field_ids.txt: %q", line)) // a bug, not an error
		}
		if !strings.HasPrefix(name, readyPrefix) {
			name = historyPrefix + name
		}
		ids[name] = id
	}
	return ids
}
