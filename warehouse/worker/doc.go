// Package worker runs queries of others, such as those from a network, in processes of their own, so
// that a query which takes its process down takes nothing else with it.
//
//	Pool ── stdin: hello, request, cancel ──▶ Serve: DuckDB on the published file, read-only
//	     ◀─ stdout: answer, records, end ────
//
// A process runs one query at a time, and the next one if it is still in order. Before each query it
// opens what is published by then; while it waits, it closes a file that was replaced. So a query sees
// one version from its beginning to its end, and no version is kept open for longer than its last query.
//
// The limits are watched from both sides. In the process: DuckDB's memory, threads and temporary files,
// the system's limit of data, rows and bytes of the answer. From outside: time, and resident memory,
// because DuckDB does not count all that it takes. A process that does not end its query when asked is
// killed. It has a low priority, is the first that the kernel kills if memory runs out, has an empty
// environment, and ends when its pipe is closed, which the end of the pool's process does.
//
// # What a crash leaves
//
// Of a process: temporary files, which the pool removes. Of the pool's process: its directory of
// temporary files, which is for the caller to remove.
package worker
