// Package plan decides which requests a run sends, within its caps, limits and deadline. It is pure:
// the same inputs give the same plan, and it reads no clock, no disk and no network.
//
//	Inputs ─ list the partitions and their checks, the status searches, and the lookups by score: the
//	         days for which each makes stored data right, at rates of change that are learnt
//	       ─ subtract the requests that earlier runs of the night have answers to: they cost nothing
//	       ─ fit the caps, the lanes and the deadline, the most valuable per credit first
//	       ─▶ Plan: the requests in order, what waits for credits, what is left out and why, the price
//
// A price has three figures: the least and the most that a lane can cost, and the expected cost. A
// run never spends more than the most.
package plan
