// Package schedules decides when a job runs. It owns the cron table and nothing that a run does.
//
// A schedule is a cron expression in a time zone. robfig/cron reads the expression and finds the
// next tick on a clock that knows no daylight saving; this package maps those ticks to the zone:
//
//	a time that the zone skips    the first instant after the gap
//	a time that it has twice      the first of the two
//	a date that it skips          no slot
//	`*` in the hour field         every matching time of the clock, also the second time
//
// So a job at a fixed time of day has exactly one slot on every civil date of its zone.
//
// What is due is decided from the stored runs, never from memory alone: a restart neither
// forgets a slot nor runs it again. A slot that passed without a run is either made up for
// once or given up. Jobs queue for the one writer by the age of their slots.
//
//	the process was down         the latest slot runs, unless `missed` is skip
//	the slot is too old          given up
//	another process writes       tried again each minute, until it is too old or the next comes
//	a run was cut short          tried again by the next process, five times
//	a run panics                 the next slot runs
//	a run could not publish      publishing is tried again until the next slot, at growing pauses
//	the service was away         tried again until the deadline of the job, at growing pauses
//
// Each slot that did not run, and each run that failed, is in the SlotLog with its reason.
//
// # What a crash leaves
//
// A run without an end, whose slot is open again, and at most a torn last line in the slot log,
// which the next start cuts off.
package schedules
