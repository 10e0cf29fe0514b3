// Package metrics tells machines how the harvest is doing, in the words of Prometheus.
//
//	while a run is under way   fleetlake_run_…    from its progress
//	of what is published       fleetlake_last_… and the totals, from the stored runs
//	of the process             go_… and process_…, on the web and not in the file
//
// The stored numbers are read when they are asked for and the published file is another one than
// the last time; otherwise a scrape reads nothing. A warehouse that cannot be read is told by
// fleetlake_warehouse_readable and by the absence of its numbers, never by old ones.
//
// # What a crash leaves
//
// The text file as it was: it is replaced whole.
package metrics
