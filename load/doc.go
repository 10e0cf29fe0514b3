// Package load writes a run's rows to the Parquet files of the lake, and brings them into the
// published warehouse.
//
//	<data>/lake/<table>/snapshot_date=2026-11-20/<run_id>.parquet   facts of a run; written once
//	<data>/lake/vessels/snapshot_date=2026-11-20/<run_id>.parquet   the fleet as published by the night's latest run
//	<data>/lake/_manifests/<run_id>.json                            the commit point of a run's lake files
//
// A file appears whole or not at all: it is written under a temporary name, synced, and renamed. A
// table without rows has no file. The same rows make the same bytes.
//
// The footer of a file of facts declares the order of its rows and has the bounds of every column of a row group; the
// footer of every file names its table, its run and the schema (SchemaID). Groups are small, so
// that an engine that looks for a vessel reads one of a file. There is no index of pages: DuckDB, Polars and pyarrow
// read the same bytes with and without one. There are no Bloom filters: one of the ids costs four fifths
// of the size, and a vessel that is looked for is in the files of nearly every night.
//
// A night is applied as a whole. To publish a run, load starts from the last published file
// without rows of its night, and applies the lake files of all the night's runs, and of later
// nights if there are any. So a night gives the same tables whether it has one run or five, in
// order or not, published once or twice.
//
// # What a crash leaves
//
//	during Write      files without a manifest, and a temporary one: Clean removes the latter, and
//	                  the next Write makes the same files again
//	during Publish    the same, and a build in work/; the published file is as it was
//	manifest written  a run that the published file does not have: Publish it again
//	after Publish     everything
package load
