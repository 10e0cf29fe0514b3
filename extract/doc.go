// Package extract asks the API and keeps every answer in the journal.
//
// It knows operations, prices, limits and error shapes, and nothing of tables. Each request
// goes the same way:
//
//	budget ─ lane ─ intent on disk ─ send ─ answer on disk ─ settle
//
// The budget reserves the most that the request can cost, so that what is spent never
// exceeds the cap. The lane keeps the operation's rate limit. A request that was sent is
// waited for even when the run is cancelled: its answer may be billed already. An outcome
// that is not known counts as spent, until the free balance tells: what it shows not to have
// been billed is noted with it as negative credits of the charge unknown, and free to spend again.
//
// While the service gives no answer to an operation, one request at a time asks whether it is
// back, for as long as the patience lasts. A request that fails while others are answered is given
// up. A lookup that the service answers with 404 is of a vessel that it does not know, unless it
// knows no vessel any more.
//
// Whatever the service sends, its bodies take a bounded place in memory, and its words are shown
// without the key, on one line, and without characters that control a terminal.
//
// Connections are used once: a transport that sends a request again on its own, because a
// kept connection died, would spend money that nobody reserved.
package extract
