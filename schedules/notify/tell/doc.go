// Package tell decides what recipients are told of a data directory: how its published runs ended, what they brought about
// vessels of the watch lists, and whether its exports fail. Package notify delivers it.
//
// # What a crash leaves
//
// The published file and export.json say what there is to tell, and the outbox what was told: the next process tells the
// rest.
package tell
