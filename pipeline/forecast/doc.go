// Package forecast simulates the nights to come: what a job will know, how old it will be, and what it
// will cost. It is pure: it sends no request, reads no clock and no disk, and the same state and scenario
// give the same forecast.
//
//	State ─ what is stored now: vessels with the ages of their datasets, totals, rates
//	      ─ each night: what changed in the world since the last one (arrivals, departures, changes)
//	      ─ plan.Decide, which is the code that plans a real night
//	      ─ the expected effect of its requests on the state, and their credits
//	      ─▶ Night: share known, ages, expected share that is true, credits, minutes
//
// What happens in the world is drawn from a seeded generator, at the rates that the history has shown;
// where there is no history, from priors that a forecast names with their sources. A stored dataset of
// age a is expected to be true with probability exp(-rate*a); once the registration of its vessel has
// changed, that is multiplied by the chance that the dataset has not changed with it (plan.Rates).
package forecast
