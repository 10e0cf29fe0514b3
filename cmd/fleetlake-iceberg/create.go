package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	iceberg "github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
)

// createTable makes an empty table. It states every part of the metadata itself: CreateTable of a catalog would
// number the columns anew, and the files of the export would no longer fit.
func createTable(ctx context.Context, c catalog.Catalog, t target, name string, m manifestTable) error {
	id := identifier(name)
	if err := c.CreateNamespace(ctx, id[:1], nil); err != nil && !errors.Is(err, catalog.ErrNamespaceAlreadyExists) {
		if exists, _ := c.CheckNamespaceExists(ctx, id[:1]); !exists {
			return fmt.Errorf("create namespace %s: %w", id[0], err)
		}
	}
	order, err := sortOrderOf(m, 1)
	if err != nil {
		return fmt.Errorf("create table %s: %w", name, err)
	}
	spec := iceberg.NewPartitionSpec()
	updates := []table.Update{
		table.NewAssignUUIDUpdate(uuid.New()),
		table.NewUpgradeFormatVersionUpdate(2),
		table.NewAddSchemaUpdate(schemaOf(m)), table.NewSetCurrentSchemaUpdate(-1),
		table.NewAddPartitionSpecUpdate(&spec, true), table.NewSetDefaultSpecUpdate(-1),
		table.NewAddSortOrderUpdate(&order), table.NewSetDefaultSortOrderUpdate(-1),
		table.NewSetLocationUpdate(t.of(folder(name))),
		table.NewSetPropertiesUpdate(properties(name, m)),
	}
	if _, _, err := c.CommitTable(ctx, id, []table.Requirement{table.AssertCreate()}, updates); err != nil {
		return fmt.Errorf("create table %s: %w", name, err)
	}
	return nil
}

// properties are those of a new table. Commits are not repeated by the library, which would add files twice;
// register loads the table and plans again instead.
func properties(name string, m manifestTable) iceberg.Properties {
	p := iceberg.Properties{
		ours:                              name,
		"commit.retry.num-retries":        "0",
		"commit.manifest-merge.enabled":   "true",
		"write.parquet.compression-codec": "zstd",
	}
	if m.Comment != "" {
		p["comment"] = m.Comment
	}
	return p
}

// alterTable brings columns, comments and sort order of a table up to the manifest. It reports whether anything
// changed.
func alterTable(ctx context.Context, c catalog.Catalog, tbl *table.Table, name string, m manifestTable) (bool, error) {
	requirements := []table.Requirement{table.AssertTableUUID(tbl.Metadata().TableUUID())}
	var updates []table.Update
	schema, err := evolve(name, tbl.Schema(), m)
	if err != nil {
		return false, err
	}
	if schema != nil {
		requirements = append(requirements, table.AssertCurrentSchemaID(tbl.Schema().ID), table.AssertLastAssignedFieldID(tbl.Metadata().LastColumnID()))
		updates = append(updates, table.NewAddSchemaUpdate(schema), table.NewSetCurrentSchemaUpdate(-1))
	}
	order, err := sortOrderOf(m, len(tbl.Metadata().SortOrders())+1)
	if err != nil {
		return false, fmt.Errorf("sort order of %s: %w", name, err)
	}
	if !sameOrder(order, tbl.SortOrder()) {
		requirements = append(requirements, table.AssertDefaultSortOrderID(tbl.Metadata().DefaultSortOrder()))
		updates = append(updates, table.NewAddSortOrderUpdate(&order), table.NewSetDefaultSortOrderUpdate(-1))
	}
	if m.Comment != tbl.Properties()["comment"] {
		updates = append(updates, table.NewSetPropertiesUpdate(iceberg.Properties{"comment": m.Comment}))
	}
	if len(updates) == 0 {
		return false, nil
	}
	if _, _, err := c.CommitTable(ctx, identifier(name), requirements, updates); err != nil {
		return false, fmt.Errorf("alter table %s: %w", name, err)
	}
	return true, nil
}

// sameOrder compares the columns of two sort orders; all of ours ascend.
func sameOrder(a, b table.SortOrder) bool { return slices.Equal(columnsOf(a), columnsOf(b)) }

func columnsOf(order table.SortOrder) (ids []int) {
	for _, f := range order.Fields() {
		ids = append(ids, f.SourceID())
	}
	return ids
}
