// Package journal keeps every answer that was paid for, byte for byte, for ever.
//
// A segment is the record of one run: a file of entries that is only ever appended to. Each
// entry is one line of JSON, compressed as one zstd frame with a checksum, and written with
// one write, so that `zstdcat FILE | jq` reads a segment without this program.
//
//	plan ─ intent ─ answer ─ intent ─ intent ─ answer ─ answer ─ ... ─ end
//
// Append returns after fsync: an entry whose Append returned survives a crash. Appends that
// wait at the same time share one fsync.
//
// # What a crash leaves
//
//	before an intent   nothing was sent and nothing was spent
//	after an intent    an intent without an answer: its credits count as spent
//	during an append   a torn last frame; Open cuts it off
//	after an append    the entry; the next start loads it, free of charge
//
// A torn tail is damage that no whole frame follows. Damage with a whole frame behind it
// did not come from a crash: it is reported with file and offset, and the segment is not used.
package journal
