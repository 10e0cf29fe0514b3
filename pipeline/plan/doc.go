// Package plan decides what a run asks, within its caps, limits and deadline. It is pure: the same
// inputs give the same plan, and it reads no clock, no disk and no network.
//
//	Inputs ─ partitions of the list and their checks, status searches, lookups by score
//	       ─ what the night has answered already is not asked and costs nothing
//	       ─ what fits the caps, the lanes and the deadline, the most worth per credit first
//	       ─▶ Plan: what is asked in order, what waits for credits, what is left out and why, the price
//
// A price has three figures: the least and the most that a lane can cost, and what is expected. A run
// never spends more than the most.
package plan
