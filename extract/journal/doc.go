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
// # What the entries cost
//
// The ledger is the sum of Credits over answers and balances, and over intents without an answer.
// An answer of Charge unknown counts in full, as spent, because it may have been billed. When a later
// balance shows that the service took less than was counted, its entry says how much less: Credits
// below zero, of Charge unknown. It takes back, all together, what earlier answers of unknown outcome
// counted and the service did not bill; it does not say which. No entry is ever changed: whoever sums
// up the credits of a segment, or of its charge unknown, adds the balances too.
//
// # What a crash leaves
//
//	before an intent   nothing was sent and nothing was spent
//	after an intent    an intent without an answer: its credits count as spent
//	during an append   a torn last frame; Open cuts it off
//	after an append    the entry; the next start loads it, free of charge
//
// A torn tail is bytes that no whole entry follows.
//
// A loss of power can leave a torn entry before a whole one: appends that share an fsync reach the
// disk in any order. Each entry says how many were on disk when it was written (Safe). Where no
// entry behind a hole says that of the entry that should stand in it, nobody was ever told that it
// was kept: Read passes over the hole, and Reopen repairs it.
//
// Any other damage did not come from a crash: it is reported with file and offset, and the segment
// is not used until Salvage has kept what is whole. What is missing then counts as spent.
package journal
