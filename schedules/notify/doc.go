// Package notify notifies people when a night went wrong: through any service that shoutrrr
// speaks (mail, Slack, Teams, ntfy and some thirty more) and through a signed webhook.
//
// Send waits for no receiver and never fails: an event is queued in the outbox of the data directory, sent by a
// goroutine of the notifier, tried again at growing pauses, and given up after KeepFor with a line in the log. A
// notification that is lost does not change how a run ends, and a slow receiver holds no other.
//
// Addresses contain tokens. They are kept out of logs, errors and the outbox, which names them by a hash: an
// error names the place of an address in the configuration and its service, and what a service says is cleaned
// of every piece of its address.
//
// # What is told, and how often
//
// An event has an id that stays the same: at each try, after a crash, and if a night is rolled back and published
// again. The outbox, notifications.json, remembers the ids that it has had, so that nobody hears an event twice
// because a process started again, and the news of vessels that was told. It stores a try before it is made, and
// for each receiver whether it has the event. A receiver can still get one event twice, with the same id: if its
// answer comes after 10 seconds, or if the process is killed between the answer and its store. It drops what it had.
//
// # What a crash leaves
//
// The outbox as it was before a change, or as it is after it. The next notifier of the data directory goes on.
// Several processes change it in turn, under notifications.json.lock. Where it cannot be read or written, as on a
// full disk, the process goes on in memory.
//
// # The webhook
//
// A POST of one event as JSON, with these headers. A receiver computes the signature over the
// time stamp, a dot and the exact body, and refuses what is old; one event that comes twice has
// the same id, which is also "id" of the body, and the last line of a message to a service.
//
//	X-Fleetlake-Event      the id of the event
//	X-Fleetlake-Timestamp  seconds since 1970
//	X-Fleetlake-Signature  sha256=HEX, HMAC-SHA256 with the shared secret
package notify
