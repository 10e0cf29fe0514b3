// Package journal keeps every paid answer, byte for byte, for ever.
//
// A segment is the record of one run: an append-only file of entries. Each entry is one line of
// JSON, compressed as one zstd frame with a checksum, and written with one write, so that
// `zstdcat FILE | jq` reads a segment without this program.
//
//	plan ─ intent ─ answer ─ intent ─ intent ─ answer ─ answer ─ ... ─ end
//
// Append returns after fsync: an entry whose Append returned survives a crash. Appends that
// wait at the same time share one fsync.
//
// # What the entries cost
//
// Each request counts as its answer says, or, without an answer, as its intent says: over all that Exchanges
// yields. An answer of Charge unknown counts in full, because it may have been billed. Package credits has the
// rule by which later balances prove that some were not; no entry is ever changed for it.
//
// # What a crash leaves
//
//	before an intent   nothing was sent and nothing was spent
//	after an intent    an intent without an answer: its credits count as spent
//	during an append   a torn last frame; Reopen cuts it off
//	after an append    the entry; the next start loads it, free of charge
//
// A torn tail is bytes that no whole entry follows.
//
// A loss of power can leave a torn entry before a whole one: appends that share an fsync reach the
// disk in any order. Each entry says how many were on disk when it was written (Safe). Where no
// entry after a hole counts the missing one as on disk, the Append of the missing entry never
// returned: Read passes over the hole, and Reopen repairs it.
//
// Any other damage did not come from a crash: it is reported with file and offset, and the segment
// is not used until Salvage has rebuilt it from its whole entries. Missing entries then count as
// spent.
package journal
