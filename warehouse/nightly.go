package warehouse

import "sync"

// step is one statement of a load.
type step struct {
	name, text string
	from       []string // lake tables: without a row in any of them it would change nothing
}

// nightly lists the statements of a night in their order.
//
//	what was proven  coverage, partitions; and what was paid and refused
//	who is who       asked, shown, held: the vessel that an MMSI stands for tonight
//	who they are     registration: versions and changes
//	what they are    particulars, engine, management: versions and changes
//	what they did    positions, listed, episodes
//	what is latest   latest, and the counts of the night
var nightly = sync.OnceValue(func() (steps []step) {
	add := func(from []string, names ...string) {
		for _, name := range names {
			steps = append(steps, step{"apply " + name, statement("apply/" + name), from})
		}
	}
	versions := func(d dataset, from []string, names ...string) {
		for _, name := range names {
			steps = append(steps, step{"apply " + d.Name + " " + name, d.statement(name), from})
		}
	}
	merge := []string{"several", "merged", "tonight", "linked", "compared", "changed", "flaps", "changes", "seen", "told", "close", "open", "new"}
	ships := []string{"listings", "particulars", "sightings", "positions"}
	moves := []string{"sightings", "positions"}

	add(nil, "coverage", "requests", "issues", "partitions_tonight", "partitions_before", "partitions_clear", "partitions", "proof", "proven_countries")

	add(nil, "identities", "asked", "shown", "held")
	add(ships, "conflicts_continue", "conflicts_open", "aliases_end", "aliases_open", "aliases_stay")
	add(nil, "night_listings", "night_sightings", "night_particulars", "night_engine", "night_management", "night_positions")

	registration := datasets[0]
	add(ships, "sighted_only", "night_registration")
	versions(registration, ships, "rows")
	add(ships, "second_mmsis")
	versions(registration, ships, merge...)
	add(ships, "sighted_mmsis", "claims_continue", "claims_open", "claims_left")
	add(nil, "claims_close")
	versions(registration, ships, "carry")
	add(ships, "changes_linked")
	versions(registration, ships, "alias_close")

	for _, d := range datasets[1:] {
		versions(d, []string{d.Name}, append([]string{"rows"}, merge...)...)
		versions(d, ships, "linked", "carry", "alias_close")
	}
	add(ships, "flapping")
	add(moves, "positions_fresh", "positions")
	add([]string{"listings"}, "present", "stays", "stays_continue", "stays_under", "stays_open")
	add(nil, "stays_close", "sighted")
	add([]string{"sightings"}, "covered", "episodes_same", "episodes_continue", "episodes_open")
	add(moves, "moves", "latest_clear", "latest")
	add(nil, "fleet_daily", "zone_daily")
	return steps
})
