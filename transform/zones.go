package transform

import (
	"github.com/fleetlake/fleetlake/extract/api"
)

// zoneIgnored is the reason of a search whose answer is not of the zone that it asked for. The interface requires a zone
// for some statuses only; for the others the service may ignore it, and answer with the whole world. The
// warehouse gives the vessels of such an answer no zone.
const zoneIgnored = "the service ignores the zone"

// fewInTheWorld is how many vessels of the world can all be in one zone.
const fewInTheWorld = 10

// ignoredZones returns the partitions whose answers are not of their zone: two zones have most of their vessels in
// common, although each vessel is in one; or the answer has nine tenths of what the world had when it was last asked for.
func (c coverage) ignoredZones() map[partitionKey]bool {
	ignored := map[partitionKey]bool{}
	zones := map[api.Sweep][]partitionKey{} // of each search without its zone
	vessels := map[partitionKey]map[uint64]bool{}
	for k, p := range c {
		sweep, _ := api.Partition{Kind: p.kind, Value: p.value}.Sweep()
		world, optional := sweep.World()
		if !optional {
			continue
		}
		zones[world] = append(zones[world], k)
		vessels[k] = p.vessels()
		if rows, _ := p.received(); p.world >= fewInTheWorld && rows*10 >= p.world*9 {
			ignored[k] = true
		}
	}
	for _, same := range zones {
		for i, a := range same {
			for _, b := range same[:i] {
				if mostlyShared(vessels[a], vessels[b]) {
					ignored[a], ignored[b] = true, true
				}
			}
		}
	}
	return ignored
}

// vessels returns the vessels on the usable pages of a partition.
func (p *partition) vessels() map[uint64]bool {
	all := map[uint64]bool{}
	for _, o := range p.pages {
		if o.usable {
			for _, v := range o.page.vessels {
				all[v] = true
			}
		}
	}
	return all
}

// mostlyShared reports whether two answers have at least half of their vessels in common. A few may have gone from one
// zone to the other between the two requests.
func mostlyShared(a, b map[uint64]bool) bool {
	shared := 0
	for v := range a {
		if b[v] {
			shared++
		}
	}
	return shared > 0 && 2*shared >= max(len(a), len(b))
}
