package simulator

import (
	"fmt"
	"slices"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// Anomalies is what analysts search a fleet for. The zero value is a fleet without any.
type Anomalies struct {
	// SharedIMO and SharedMMSI are shares of the ships with an IMO number: those that the service
	// lists under the IMO number (the MMSI) of another ship. Some do so from the first day, others
	// begin within two weeks.
	SharedIMO, SharedMMSI float64

	// GoneDark is a share of the ships per day: those that nobody receives any more. They stay
	// listed, are in no status search, and their last position grows old.
	GoneDark float64

	// OpenRegistry is a share of the changes of flag: those that lead to one of openRegistries.
	// The others lead to any flag, by its weight in the fleet.
	OpenRegistry float64

	// Dress is a share of the companies, places and addresses in the profiles of a day: those that are
	// written in another way than on other days, although nothing changed, or as a placeholder.
	Dress float64

	Congestion Congestion
}

// Congestion is a time in which cargo vessels and tankers that would be moored in a zone wait at
// anchor instead. Their number rises for two days, and falls for two days at the end.
type Congestion struct {
	Zone  string  // of api.Zones; empty is no congestion
	From  int     // first day
	Days  int     // how long it lasts
	Share float64 // of the vessels that would be moored
}

// openRegistries are flags that let ships of any owner register, the three with the most ships.
var openRegistries = []int{flagIndex("PA"), flagIndex("LR"), flagIndex("MH")}

// flagIndex returns the position of a flag in flags.
func flagIndex(iso string) int {
	return slices.IndexFunc(flags, func(f flag) bool { return f.iso == iso })
}

// Demo returns the configuration of the fleet that the demo shows: more is sold and reflagged than
// in the real one, of every anomaly there are a few, and for a week, from the seventh day on,
// vessels wait at anchor in the zone of Singapore. It has as many vessels on day 0, the date first.
func Demo(vessels int, first time.Time) Config {
	return Config{
		Seed: 7, Vessels: vessels, Start: first, Key: "demo", Credits: 10_000_000,
		Rates: Rates{Sold: .002, Reflagged: .001},
		Anomalies: Anomalies{
			SharedIMO: .0015, SharedMMSI: .0025, GoneDark: .0005, OpenRegistry: .5,
			Congestion: Congestion{Zone: "south-east-asia", From: 6, Days: 7, Share: .8},
		},
	}
}

// check returns an error that names the field that is not valid.
func (a Anomalies) check() error {
	for _, f := range []struct {
		name  string
		share float64
	}{
		{"SharedIMO", a.SharedIMO}, {"SharedMMSI", a.SharedMMSI}, {"GoneDark", a.GoneDark}, {"OpenRegistry", a.OpenRegistry}, {"Dress", a.Dress}, {"Congestion.Share", a.Congestion.Share},
	} {
		if !(f.share >= 0 && f.share <= 1) { // NaN fails this comparison too
			return fmt.Errorf("anomalies: %s %v: want 0 to 1", f.name, f.share)
		}
	}
	switch c := a.Congestion; {
	case c.Zone != "" && !slices.Contains(api.Zones, c.Zone):
		return fmt.Errorf("anomalies: congestion in %q: no such zone", c.Zone)
	case c.From < 0 || c.Days < 0:
		return fmt.Errorf("anomalies: congestion of %d days from day %d on: want neither below 0", c.Days, c.From)
	}
	return nil
}

// sharing is what a ship shares with another one.
type sharing uint8

// A ship shares nothing, or one number.
const (
	sharesNothing sharing = iota
	sharesIMO
	sharesMMSI
)

// shareNumber decides whether the next hull shares a number with another ship: an earlier one, of
// another type, that shares nothing itself.
func (y *shipyard) shareNumber(h *hull) {
	u := unit(draw(h.seed, forSharing, 0))
	if h.imo == 0 || u >= y.anomalies.SharedIMO+y.anomalies.SharedMMSI {
		return
	}
	for try := range min(64, int(h.number)) {
		n := uint32(draw(h.seed, forSharing, 1+try) % uint64(h.number))
		if o := &y.hulls[n]; o.imo == 0 || o.shares != sharesNothing || o.specificType == h.specificType {
			continue
		}
		h.other, h.shares = n, sharesMMSI
		if u < y.anomalies.SharedIMO {
			h.shares = sharesIMO
		}
		return
	}
}

// sharesOn reports whether a hull shares that number on a day: half of those that do at all begin
// before day 0, the others within two weeks.
func (h *hull) sharesOn(number sharing, day int) bool {
	return h.shares == number && day >= int(draw(h.seed, forSharing, -1)%28)-14
}

// darkFrom returns the day from which on nobody receives a ship.
func (m model) darkFrom(h *hull) int {
	return max(int(h.born), 0) + daysUntil(draw(h.seed, forDarkness, 0), m.anomalies.GoneDark)
}

// waitsForBerth reports whether a vessel that would be moored on a day waits at anchor instead.
func (m model) waitsForBerth(h *hull, v voyage, day int) bool {
	c := m.anomalies.Congestion
	if v.status != moored || zones[v.zone].name != c.Zone || !specificTypes[h.specificType].group.carriesCargo() {
		return false
	}
	part := min(1, float64(day-c.From+1)/2, float64(c.From+c.Days-day)/2) // at most 0 before and after
	return unit(draw(h.seed, forCongestion, v.number)) < c.Share*part
}

// newFlag returns the flag to which the nth change of flag leads, as an index into flags, from a
// drawn number.
func (m model) newFlag(h *hull, n int, u uint64) int {
	if o := draw(h.seed, forOpenRegistry, n); unit(o) < m.anomalies.OpenRegistry {
		return openRegistries[u%uint64(len(openRegistries))]
	}
	return flagChoice.pick(u)
}
