// Package console writes the output of the program for people and scripts: tables and values, reports
// of runs, the ledger, the history of a vessel, and the progress of a run. Each kind of output has one
// function, which all verbs use. The package reads and decides nothing.
package console
