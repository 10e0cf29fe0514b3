// Package derive is all that follows from the journal without a request: lake files, the warehouse and the reports of
// runs, for a run that has ended, for runs that a crash left, and for all of them anew. It spends nothing, so that
// everything here can be done again, with the same rows.
//
//	segment ─ write ─▶ lake files, report ─ publish ─▶ warehouse ─▶ held_back.json
//
// Recover publishes what earlier runs paid for. Rebuild makes lake and warehouse anew, Verify compares them with the
// journal, Rollback returns to the version before. The journal is never changed, except that a segment without an end
// gets one, and that Salvage replaces a damaged segment by its undamaged entries and keeps the damaged file beside it.
//
// The file held_back.json of a data directory lists the runs that are paid for and not published, because suddenly
// many of their values are refused. A run that is held back keeps no other from being published, except those that
// resume it. The directory work/rebuild is where a rebuild is made beside what is published:
//
//	build ─ compare ─ ready ─│─ switch ─ remove
//	      throw away         │  complete
//
// # What a crash leaves
//
//	in write                lake files without a manifest, which load.Clean removes
//	in publish              the published file as it was, or with the new runs
//	after it                held_back.json without the newest runs; the next start tries to publish them, and lists them
//	before the file ready   what was published, unchanged; the next writer removes work/rebuild
//	after it                a part of the switch; the next writer completes it before anything else
package derive
