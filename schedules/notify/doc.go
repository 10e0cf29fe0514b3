// Package notify notifies people when a night went wrong: through any service that shoutrrr
// speaks (mail, Slack, Teams, ntfy and some thirty more) and through a signed webhook.
//
// Send never waits and never fails: an event is queued, sent by a goroutine of the notifier, tried
// again a few times, and then given up with a line in the log. A notification that is lost does not
// change how a run ends.
//
// Addresses contain tokens. They are kept out of logs and errors: an error names the place of an
// address in the configuration and its service, and what a service says is cleaned of every
// piece of its address.
//
// # The webhook
//
// A POST of one event as JSON, with these headers. A receiver computes the signature over the
// time stamp, a dot and the exact body, and refuses what is old; one event that comes twice has
// the same id.
//
//	X-Fleetlake-Event      the id of the event
//	X-Fleetlake-Timestamp  seconds since 1970
//	X-Fleetlake-Signature  sha256=HEX, HMAC-SHA256 with the shared secret
package notify
