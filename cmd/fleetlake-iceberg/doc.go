// Command fleetlake-iceberg keeps Iceberg tables over an export of fleetlake: engines that read Iceberg
// then read the lake without any ETL of their own.
//
// It knows only the export: current.json and the files that it lists. A table facts.<name> has the files of
// the nights, a table history.<name> or ready.<name> the one file of a derived table. The columns keep the field ids of the
// export, for ever.
//
//	<target>/current.json                                   read
//	<target>/facts, <target>/history, <target>/ready        referred to, never written, never deleted
//	<target>/_fleetlake/pins/iceberg.json                   written: the files of the export that a snapshot still needs
//	<target>/_iceberg/catalog.db                            the SQL catalog of a directory
//	<target>/_iceberg/catalog-read.db                       its copy for readers, renamed into place by each verb
//	<target>/_iceberg/unreferenced.json                     files that expire found to be unneeded, and since when
//	<target>/_iceberg/<namespace>/<table>/metadata, data    the metadata of the tables, and compacted files
//
// # What a table holds
//
// A part is one night of one run: run id, date, SHA-256. The manifest says which parts there are; a file of the
// export has one part or, after the export's own compaction, several; a file that compact wrote names its parts
// in its Parquet footer. register compares parts and not snapshots, so it stays idempotent after snapshots have
// expired.
//
// # What a crash leaves
//
// Every change of a table is one commit of the catalog. A crash before it leaves files that nothing refers to:
// expire lists them and deletes them after the grace period. A crash inside it leaves the journal of SQLite beside the
// catalog, which the next verb, status too, rolls back; the copy for readers is not touched. Pins are written before the commit that needs them
// and shortened only after the commit that no longer does.
package main
