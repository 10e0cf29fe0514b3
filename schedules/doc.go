// Package schedules decides when a job runs. It owns the cron table and nothing that a run does.
//
// A schedule is a cron expression in a time zone. robfig/cron reads the expression and finds the
// next tick on a clock that knows no daylight saving; this package lays those ticks on the zone:
//
//	a time that the zone skips    the first instant after the gap
//	a time that it has twice      the first of the two
//	a date that it skips          no slot
//	`*` in the hour field         every matching reading of the clock, twice read or not
//
// So a job at a fixed time of day has exactly one slot on every civil date of its zone.
//
// What is due is decided from the stored runs, never from memory alone: a restart neither
// forgets a slot nor runs it again. A slot that passed without a run is either made up for
// once or given up, and the log says which and why.
package schedules
