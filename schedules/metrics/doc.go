// Package metrics exposes how the harvest is doing as Prometheus metrics.
//
//	Metrics, of the scheduler:
//	  while a run is under way   fleetlake_run_…    from its progress
//	  of the process             go_… and process_…, of the process
//	Published, of what is on disk:
//	  of what is published       fleetlake_last_… and the totals, from the stored runs
//	  of queries                 fleetlake_queries_…
//
// The scheduler has a process of its own; the one that answers a scrape asks it for the text of its metrics.
//
// A scrape reads the stored numbers only if the published file was replaced since the last one. A
// warehouse that cannot be read sets fleetlake_warehouse_readable to 0, and its numbers are absent,
// never old.
//
// # What a crash leaves
//
// The text file as it was: it is replaced whole.
package metrics
