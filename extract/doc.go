// Package extract sends requests to the API and appends every answer to the journal.
//
// It knows operations, prices, limits and error shapes, and no tables. Each request takes the
// same steps:
//
//	budget ─ lane ─ intent on disk ─ send ─ answer on disk ─ counted
//
// The budget reserves the most that the request can cost, so that the run never spends more than
// its cap. The lane keeps the operation's rate limit. The client waits for the answer of a request
// in flight even when the run is cancelled, because the answer may be billed already. A request
// whose answer does not tell whether it was billed is of unknown outcome. What a balance, which is
// free, proves of it is not decided here.
//
// An outage begins when the service gives no answer to an operation. During it one request at a
// time, the probe, finds out whether the service is back, for as long as the patience lasts. A
// request that fails while others are answered is given up. A lookup that the service answers with
// 404 is of an unknown vessel, unless the service finds no vessel at all any more.
//
// The bodies of answers take a bounded amount of memory, whatever the service sends. Its messages
// are printed without the key, on one line, and without characters that control a terminal.
//
// Each connection is used once: a transport that repeats a request by itself, because a reused
// connection broke, would spend credits that nobody reserved.
package extract
