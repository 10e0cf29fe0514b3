// Package page shows a person how the harvest is doing: whether last night ran, what it proved,
// what it cost, what changed, what runs now and what comes next. It owns the status page, the
// report of a run as one HTML file, and the rules about who may see them.
//
//	published file ─ read once, when it is replaced ─▶ NightReport ─┐
//	live run, slots ────────────────────────────────────────────────┴▶ templates ─▶ bytes, shared by all clients
//
// A published file is opened read-only, read through a fixed list of statements within bounds of
// memory and time, and closed again before anything is written to a client. So no client, however
// slow, keeps the file open, and a thousand requests for a page read it once.
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
// The pages work without JavaScript and load nothing from other hosts. They contain no key, no
// answers of the service and no path of this machine.
//
// # What a crash leaves
//
// Nothing. The package writes no file.
package page
