// Package simulation has no code of the program: its tests play years of nights, in virtual time, over
// the real pipeline, and compare what it wrote with a reference that is written independently.
//
// From one seed come a job with its caps, a fleet that changes, and an event for each night: faults of
// the service, kills, clock changes, rollbacks, rebuilds, another version of the program. Only the
// service is simulated, behind HTTP. The reference reads what the service sent and what the journal
// keeps without the program's own readers, and follows it in maps: what was spent, what was covered,
// and what is known of each vessel.
//
// Publishing is most of a night's work. Most scenarios therefore publish few of their nights: the others
// plan on what is published, collect, write their lake files and report, and the reference checks their
// money, their searches, their coverage and their report. A night that is published begins on a new
// machine with the journal of at most four nights, which are published at once and compared row by row.
// It is also the last night of every scenario. One scenario in twelve publishes every night by itself.
//
// The fleet of these years stands still while it is read. TestAMovingFleet has one that moves between any two
// requests, on nights with the same kinds of trouble, and compares departures, new flags and names, sales and
// identities with what happened.
package simulation
