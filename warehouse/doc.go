// Package warehouse owns the DuckDB file that analysts query: its tables, how it is
// published, and how it is read. SQL is its only language; sql/ has one statement a
// file, which begins with what the statement decides.
//
//	warehouse/fleet.duckdb            published; replaced by rename, never opened for writing
//	warehouse/versions/<run>.duckdb   hard links to published files, for Rollback
//	warehouse/versions/order          the order in which they were published
//	work                              a directory of builds in progress; safe to delete
//
// All are in the data directory. A build works on a copy. Readers see the night before or
// the whole new night, and wait for no lock: the file that they have open is never written again.
//
//	copy into work ─ migrate, recreate views ─ steps, one transaction each ─ checkpoint ─ close
//	  ─ reopen read-only ─ verify ─ fsync ─ link into versions ─ rename ─ fsync the directory
//
// # What a crash leaves
//
//	before the rename   a file in work/ and perhaps a version that nobody reads: the next
//	                    build deletes the one and replaces the other
//	after the rename    everything
//
// # Rules for DuckDB
//
// One connection writes, with its memory, threads and directory for temporary files set and
// read back. No table has a key or an index: an update of an indexed row is a delete and an
// insert, and what keys would promise is verified before publishing. Only the end of a build
// checkpoints. The file is never the only copy of anything: a build that fails is thrown
// away.
package warehouse
