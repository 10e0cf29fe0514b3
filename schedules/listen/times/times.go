// Package times derives the time limits of what a network asks from the one that the configuration has, that of a
// statement, so that no limit ends what another one still allows.
package times

import "time"

// Read is how long a reader may read the published file: the page, the metrics, and those who tell of a night.
const Read = 30 * time.Second

// Limits are how long the parts of an answer may take.
type Limits struct {
	Request   time.Duration // that a request waits for its turn
	Queue     time.Duration // that a statement, or a file of a list, waits for its turn
	Statement time.Duration // from the beginning of a statement to its first row, and between two rows
	Piece     time.Duration // that a client may take for a piece of a file
	Page      time.Duration // that a client may take for all of a page
	File      time.Duration // that a client may take for all of a file
}

// Of are the limits that follow from that of a statement. Our own pages and their clients have limits that do not
// depend on how short the statements of others must be.
func Of(statement time.Duration) Limits {
	return Limits{
		Request: 10 * time.Second,
		Queue:   statement / 2, Statement: statement,
		Piece: statement,
		Page:  30 * time.Second,
		File:  max(5*time.Minute, 5*statement),
	}
}

// FirstByte is the longest that an answer may take until its first byte: the turns of the request and of what it asks,
// and the statement or the reading of the file.
func (l Limits) FirstByte() time.Duration {
	return l.Request + max(l.Request+Read, l.Queue+l.Statement)
}

// Write is the limit of a server's write: an answer that has not begun within it never does. Each answer gets a shorter
// one with its first byte.
func (l Limits) Write() time.Duration { return l.FirstByte() + max(l.Page, l.Piece) }
