package simulator

// state is what is true about a hull on one day.
type state struct {
	country         uint16 // of registration, as an index into api.Countries
	previousCountry uint16 // before the last change of flag
	renames         uint16
	sales           uint16
	corrections     uint16
	conditions      condition
	status          int8 // index into api.Statuses, -1 where none is known
	zone            int8 // index into api.Zones, -1 where no status is known
}

// condition is a set of facts about a vessel on a day.
type condition uint8

const (
	exists      condition = 1 << iota // built and not scrapped
	listed                            // in the searches
	listedTwice                       // listed under the previous flag too
	showsIMO                          // has an IMO and the service knows it
	storesIMO                         // and stores it correctly
	noCountry                         // the stored country is null
	noType                            // the stored type is null
)

// has reports whether all facts of c are true.
func (s *state) has(c condition) bool { return s.conditions&c == c }

// These are the shares of dirty values in the fleet, at Dirt 1.
const (
	shareBadDigit        = 0.005 // IMO with a wrong check digit
	shareNoIMO           = 0.003 // IMO that exists and is stored as null
	shareIMOReportedLate = 0.02  // IMO that the service lacks at first, in the fleet of day 0
	shareNoCountry       = 0.003
	shareNoType          = 0.004
	shareListedTwice     = 0.4 // changes of flag after which the previous entry stays listed for a while
	shareSilent          = 0.2 // vessels without status, zone and recent position; does not depend on Dirt
)
