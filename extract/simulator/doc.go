// Package simulator is a stand-in for the vessel API: an http.Handler with a seeded fleet
// that changes from day to day, with prices, limits, error shapes and faults.
//
// The fleet of a day is a pure function of the seed and the day. Going to day 9 directly,
// or by way of day 40, gives the same fleet, and within a day every answer is the same
// bytes each time: no answer reads the clock. Only the rate limits do, and slow answers.
//
// # How a request is judged
//
//  1. An unknown path is 404, a wrong method 405.
//  2. A missing or wrong key is 401 (shape A). Nothing is counted or billed.
//  3. The request takes its place in the rate window, whatever becomes of it. A place that
//     is refused is not counted.
//  4. A page that is no number is the framework's own 422; then the values are checked:
//     422 of shape D, or 400 of shape A. Both cost nothing, and both come before a 429.
//  5. 429 (shape C for by-type, A elsewhere) when step 3 found no place.
//  6. A fault that comes in place of the answer and is not billed.
//  7. 400 when the endpoint is blocked for the key, or when the balance does not cover the
//     full price of the operation, even if this answer would turn out to be free (shape B
//     for by-type, A elsewhere).
//  8. The data. by-status costs 10, also when it is empty; by-type 10 when it has a vessel;
//     info 5, location 1 and particulars 1 when the vessel is found. An unknown vessel is 404
//     (shape A).
//  9. A fault that comes in place of the answer and is billed.
//
// The waiting of a slow answer comes between steps 4 and 5. A client that goes away while it
// waits is billed like any other.
//
// # What is out there
//
// A scrapped vessel is unknown to every operation. One that is unlisted for a time is in no
// search, but lookups still find it. A lookup by IMO finds the vessels whose stored IMO is
// right; a lookup by MMSI finds each registration, also the old one that is still listed.
// Every vessel of a search has a country or a type, so that the type/country search can
// reach it, and a zone if it has a status.
//
// Most sales show on the list on the same day, as a new name, a new flag, or both: who sees
// one of these has a reason to ask for the owner.
//
// A location tells the position that a profile tells. Of one vessel in five it tells less, and
// not the IMO number; a few do not say when the position was received.
//
// # Tables
//
// The files under tables/ are tab separated: flags (alpha-2, weight, country digits of the
// MMSI, spellings), types (type, group, vessel_type, weight), zones (middle and reach in
// degrees, weight), ports, and words to make names of. A weight of 0 keeps a value out of
// the fleet, so that some valid searches are empty. The companies are invented.
//
// # Control
//
// Under /simulator/, with no key, for a simulator in another process:
//
//	GET  /simulator/bill               what was asked, answered and charged
//	GET  /simulator/log                one JSON object a line for each request, if kept
//	GET  /simulator/day                {"day": 3, "date": "2026-01-04"}
//	POST /simulator/day                {"day": 4}
//	GET  /simulator/truth?day=4        one JSON object a line for each vessel; today without day
//	POST /simulator/faults             [{"kind": "cut", "operation": "by-type", "every": 7, "billed": true}]
//	POST /simulator/balance            {"credits": 500}
//
// Durations in JSON are nanoseconds. A list of faults replaces the one before; an empty
// list ends them.
package simulator
