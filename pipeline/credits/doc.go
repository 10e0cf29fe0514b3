// Package credits is the money of a run and of all runs, as values: what was spent, by one rule, what the caps
// leave of it, and who gets the next credit. It is pure: entries of the journal and events of a harvest go in,
// amounts and decisions come out. It knows no lock, no clock and no file.
package credits
