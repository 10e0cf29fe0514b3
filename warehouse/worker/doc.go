// Package worker runs queries of others, such as those from a network, in processes of their own, so
// that a query which takes its process down takes nothing else with it.
//
//	Pool ── stdin: hello, request, cancel ─────────▶ Serve: DuckDB on the published file, read-only
//	     ◀─ descriptor 3: ready, answer, records, end
//
// A process runs one statement of one client, and ends: nothing that a statement leaves in it can reach another
// client. Some wait for the next statements with the file open, and open it again when it was replaced. So a query
// sees one version from its beginning to its end.
//
// Answers come on a descriptor of their own, in frames with a number and a mark that only the pool and our code in the
// process know. Standard output leads nowhere, and the beginning of standard error to the log. A frame that is not the
// expected one, or bytes after the end of an answer, end the process and are logged.
//
// The limits are watched from both sides. In the process: DuckDB's memory, threads and temporary files,
// the system's limits of data and of the size of a file, rows and bytes of the answer. From outside: time, resident
// memory and temporary files, because DuckDB does not count all that it takes. Where the kernel has Landlock, a process
// can write nowhere but into the directory of the pool, and cannot connect to anything. A process that does not end its query when asked is
// killed. It has a low priority, is the first that the kernel kills if memory runs out, has an empty
// environment, and ends when its pipe is closed, which the end of the pool's process does.
//
// # What a crash leaves
//
// Of a process: temporary files, which the pool removes. Of the pool's process: its directory of
// temporary files, which is for the caller to remove.
package worker
