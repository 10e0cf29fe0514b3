// Package pipeline runs a job for a night, in the files that its verbs name:
//
//	resume ─ plan ─ harvest │ derive ─ publish ─ report
//	                spends  │ starts from the journal, as often as you like
//
// resume publishes what earlier runs paid for, and reads what of the night is paid for already. plan
// reads the inputs and decides (package plan). harvest sends the requests. publish makes the
// rows (package derive), from the journal alone, and anew if they are damaged.
//
// A run is one execution with one run id and one journal segment. A run that ended early still
// publishes what it paid for. The next run of the same job and snapshot date resumes it: requests
// that have an answer are not sent again.
//
// # What a crash leaves
//
// A segment without an end, or one that is not in the published warehouse. The next start appends
// the end (state killed) and derives the segment like any other, before it plans.
package pipeline
