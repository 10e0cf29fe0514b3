// Package metrics exposes how the harvest is doing as Prometheus metrics.
//
//	while a run is under way   fleetlake_run_…    from its progress
//	of what is published       fleetlake_last_… and the totals, from the stored runs
//	of the process             go_… and process_…, of the process
//
// A scrape reads the stored numbers only if the published file was replaced since the last one. A
// warehouse that cannot be read sets fleetlake_warehouse_readable to 0, and its numbers are absent,
// never old.
//
// # What a crash leaves
//
// The text file as it was: it is replaced whole.
package metrics
