// Package network keeps what strangers reach in a process of its own, apart from the one that harvests.
//
//	scheduler: Keeper ── starts it, with the sockets that it listens on ─▶ network process: page, Flight SQL, queries
//	                  ── the setup, answers, stop ──────────────────────▶ Link
//	                  ◀── requests, by a socket pair ─────────────────────
//	                  ◀── its log, by lines ──────────────────────────────
//
// The Keeper watches the memory of the process, and starts it again when it ended, later each time that it ends soon.
// The sockets stay open meanwhile: a client that connects waits, and is not refused.
//
// What comes from the process is hostile. A request is one line of JSON with one of a few verbs, and has at most
// maxRequest bytes; whatever else comes ends the process. At most maxPending are answered at the same time, and perSecond
// in a second; the process waits meanwhile. Its log is read by lines of bounded length and number, and logged again with
// the attribute process=network. Nothing of it is waited for without a time limit.
//
// The process is started from a thread that has lost what it does not need (Config.Confine), and so never had it.
//
// Both processes end when the other side asks them to. The network process also ends when the socket pair is closed,
// and on Linux with the thread that started it, so that it never outlives a killed scheduler.
//
// # What a crash leaves
//
// Nothing: the package has no files.
package network
