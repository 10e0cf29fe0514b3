// Package simulator simulates the vessel API. It is an http.Handler with a fleet that a seed
// determines and that changes from day to day, with the service's prices, limits, error shapes
// and faults.
//
// The fleet of a day is a pure function of the seed and the day: it is the same whether the
// simulator goes to day 9 directly or by way of day 40. Within a day, an answer is the same bytes
// each time. No answer reads the clock; only the rate limits and slow answers do.
//
// # Steps of an answer
//
//  1. An unknown path is 404, a wrong method 405.
//  2. A missing or wrong key is 401 (shape A). It is not counted and not billed.
//  3. The request counts against the rate limit, whatever its answer, if the window allows one
//     more request.
//  4. A page that is not a number is the framework's own 422. Then the values are checked:
//     422 of shape D, or 400 of shape A. Both are free, and both precede a 429.
//  5. 429 (shape C for by-type, A elsewhere) when the window of step 3 was full.
//  6. A fault that replaces the answer and is not billed.
//  7. 400 when the endpoint is blocked for the key, or when the balance does not cover the
//     full price of the operation, even if this answer would be free (shape B for by-type, A
//     elsewhere).
//  8. The data. by-status costs 10, also when it is empty; by-type 10 when it has a vessel;
//     info 5, location 1 and particulars 1 when the vessel is found. An unknown vessel is 404
//     (shape A).
//  9. A fault that replaces the answer and is billed.
//
// A slow answer waits between steps 4 and 5. A client that leaves during the wait is billed like
// any other.
//
// # What the fleet contains
//
// A scrapped vessel is unknown to every operation. A vessel that is unlisted for a time is in no
// search, but lookups still find it. A lookup by IMO finds a vessel whose stored IMO is correct; a
// lookup by MMSI finds each registration, including the previous one while it is still listed.
// Every vessel of a search has a country or a type, so that the type/country search can
// reach it, and a zone if it has a status.
//
// Most sales change the list on the same day, with a new name, a new flag, or both: a client that
// sees such a change has a reason to look up the owner.
//
// Anomalies are there only if the configuration asks for them: two ships under one IMO number, two
// under one MMSI, ships that nobody receives any more, changes of flag to open registries, and a
// zone in which vessels wait at anchor. A lookup by a shared number finds the ship to which it
// belongs.
//
// A location has the position of the profile. For one vessel in five it has fewer members, and
// no IMO number; a few do not say when the position was received, and half of these have no number.
//
// # Tables
//
// The files under tables/ are tab separated: flags (alpha-2, weight, country digits of the
// MMSI, spellings), types (type, group, vessel_type, weight), zones (centre and reach in
// degrees, weight), ports, and words from which names are made. A weight of 0 keeps a value out
// of the fleet, so that some valid searches are empty. The companies are invented.
//
// # Control
//
// Another process controls the simulator under /simulator/, without a key:
//
//	GET  /simulator/bill               what was requested, answered and charged
//	GET  /simulator/log                one JSON object per line for each request, if kept
//	GET  /simulator/day                {"day": 3, "date": "2026-01-04"}
//	POST /simulator/day                {"day": 4}
//	GET  /simulator/truth?day=4        one JSON object per line for each vessel; today without day
//	POST /simulator/faults             [{"kind": "cut", "operation": "by-type", "every": 7, "billed": true}]
//	POST /simulator/balance            {"credits": 500}
//
// Durations in JSON are nanoseconds. A list of faults replaces the one before; an empty
// list removes every fault.
package simulator
