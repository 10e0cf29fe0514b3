// Package console writes what a person or a script reads of the program: tables and values, reports
// of runs, the ledger, what is known of a vessel, and how far a run is. Each thing is written by one
// function, for whichever verb shows it. Nothing is read or decided here.
package console
