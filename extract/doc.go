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
// that is not known counts as spent.
//
// Connections are used once: a transport that sends a request again on its own, because a
// kept connection died, would spend money that nobody reserved.
package extract
