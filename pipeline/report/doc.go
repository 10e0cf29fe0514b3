// Package report says what a run did: what it asked and paid, what it covered, and why it ended. A
// report is made from the journal alone, so that deriving a run again reports the same. It is stored
// with the run, as JSON.
package report
