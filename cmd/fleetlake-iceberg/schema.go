package main

import (
	"fmt"
	"slices"

	iceberg "github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// icebergType returns the type of a column of the manifest.
func icebergType(name string) (iceberg.Type, error) {
	switch name {
	case "string":
		return iceberg.PrimitiveTypes.String, nil
	case "int":
		return iceberg.PrimitiveTypes.Int32, nil
	case "long":
		return iceberg.PrimitiveTypes.Int64, nil
	case "double":
		return iceberg.PrimitiveTypes.Float64, nil
	case "boolean":
		return iceberg.PrimitiveTypes.Bool, nil
	case "date":
		return iceberg.PrimitiveTypes.Date, nil
	case "timestamptz":
		return iceberg.PrimitiveTypes.TimestampTz, nil
	}
	return nil, fmt.Errorf("type %q is unknown: string, int, long, double, boolean, date and timestamptz are known", name)
}

// schemaOf returns the schema of a table under the field ids of the export. Every column is optional: a file
// that is older than a column has no values for it.
func schemaOf(t manifestTable) *iceberg.Schema {
	return iceberg.NewSchema(0, fieldsOf(t)...)
}

func fieldsOf(t manifestTable) []iceberg.NestedField {
	var fields []iceberg.NestedField
	for _, c := range t.Columns {
		kind, _ := icebergType(c.Type) // the manifest is checked
		fields = append(fields, iceberg.NestedField{ID: c.ID, Name: c.Name, Type: kind, Doc: c.Comment})
	}
	return fields
}

// sortOrderOf returns the order of the rows within each file.
func sortOrderOf(t manifestTable, id int) (table.SortOrder, error) {
	var fields []table.SortField
	for _, name := range t.Sort {
		i := slices.IndexFunc(t.Columns, func(c column) bool { return c.Name == name })
		fields = append(fields, table.SortField{SourceIDs: []int{t.Columns[i].ID}, Transform: iceberg.IdentityTransform{},
			Direction: table.SortASC, NullOrder: table.NullsFirst})
	}
	if len(fields) == 0 {
		return table.UnsortedSortOrder, nil
	}
	return table.NewSortOrder(id, fields)
}

// evolve returns the schema that has the columns of the manifest: new ones are added under their ids, a new
// name or comment is taken over, an int may become a long, and a column that the manifest no longer has stays.
// It returns nil if nothing changes.
func evolve(name string, current *iceberg.Schema, t manifestTable) (*iceberg.Schema, error) {
	fields := slices.Clone(current.Fields())
	changed := false
	for _, want := range fieldsOf(t) {
		i := slices.IndexFunc(fields, func(f iceberg.NestedField) bool { return f.ID == want.ID })
		if i < 0 {
			fields = append(fields, want)
			changed = true
			continue
		}
		have := fields[i]
		if !have.Type.Equals(want.Type) && !widens(have.Type, want.Type) {
			return nil, fmt.Errorf("column %s.%s (id %d) was %s and is now %s, which Iceberg cannot change: such a column needs an id of its own", name, want.Name, want.ID, have.Type, want.Type)
		}
		if !have.Equals(want) {
			fields[i] = want
			changed = true
		}
	}
	if !changed {
		return nil, nil
	}
	byName := map[string]int{}
	for _, f := range fields {
		if other, twice := byName[f.Name]; twice {
			return nil, fmt.Errorf("table %s would have two columns %s, with ids %d and %d: a name that was in use needs its old id", name, f.Name, other, f.ID)
		}
		byName[f.Name] = f.ID
	}
	return iceberg.NewSchema(0, fields...), nil
}

// widens reports whether every value of one type is a value of the other for Iceberg's readers.
func widens(from, to iceberg.Type) bool {
	return from.Equals(iceberg.PrimitiveTypes.Int32) && to.Equals(iceberg.PrimitiveTypes.Int64)
}
