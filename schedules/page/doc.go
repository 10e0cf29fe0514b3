// Package page shows a person how the harvest is doing, and what the warehouse knows: whether last
// night ran, what it proved, what it cost and what changed; vessels, lists, zones and nights; the news as
// feeds. It owns these pages, the report of a run as one HTML file, and the rules about who may see them.
//
//	published file ─ read once, when it is replaced ─▶ NightReport, news ─┐
//	live run, slots ──────────────────────────────────────────────────────┴▶ templates ─▶ bytes
//	published file ─ read for each request, a few at a time ─▶ vessels, lists, series ─▶ templates ─▶ bytes
//	statements of a person ─▶ a process of their own (the caller's) ─▶ templates or a file
//
// A published file is opened read-only, read through statements of ours within bounds of memory and
// time, and closed again before anything is written to a client. So no client, however slow, keeps the
// file open. The status page is shared by all clients, and read once for each version of the file.
//
// # Who may do what
//
//	another Host than ours     refused, so that a foreign name that was pointed here reads nothing
//	a loopback name            may read
//	any other allowed name     may read with the token, as the password or the bearer
//	POST                       from a page of the same origin, with the page's own token, and with the token if there is one
//	GET                        never changes anything
//
// What the caller serves below /warehouse/ and as /metrics is guarded in the same way.
//
// The pages work without JavaScript and load nothing from other hosts. Two have a script of a few lines that
// they do without: Ctrl+Enter in the form for a statement, and what fetches the next state of a run or a forecast. No other
// page may load one. They contain no key, no
// answers of the service and no path of this machine.
//
// # What a crash leaves
//
// Nothing. The package writes no file.
package page
