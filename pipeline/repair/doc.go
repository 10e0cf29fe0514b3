// Package repair makes lake and warehouse agree with the journal again, with no request: it publishes
// what earlier runs paid for, rebuilds what is damaged, missing or of another version, returns to the
// previous version, and verifies all of it.
//
// The journal is never changed, except that a segment without an end gets one, and that Salvage
// replaces a damaged segment by its undamaged entries and keeps the damaged file beside it.
//
// It owns the directory work/rebuild, where a rebuild is made beside what is published:
//
//	build ─ compare ─ ready ─│─ switch ─ remove
//	      throw away         │  complete
//
// # What a crash leaves
//
//	before the file ready   what was published, unchanged; the next writer removes work/rebuild
//	after it                a part of the switch; the next writer completes it before anything else
package repair
