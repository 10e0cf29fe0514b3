package simulator

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
)

//go:embed tables/*.txt
var tableFiles embed.FS

// flag is a country of registration: its weight in the fleet, its country digits and its
// spellings, as indexes into api.Countries, the most common one first.
type flag struct {
	iso       string // alpha-2; empty for Unknown
	weight    float64
	mids      []uint32
	spellings []int
}

// specificType is a vessel type of the accepted list, which the service calls typeSpecific.
type specificType struct {
	name            string
	group           *group
	vesselType      string // the vessel_type by which the status search finds it
	widerVesselType string // a vessel_type that finds it and others
	weight          float64
}

// group is what related specific types have in common.
type group struct {
	name            string
	label           string  // shipType
	widerVesselType string  // the vessel_type that finds the whole group; empty where there is none
	imoShare        float64 // share of vessels with an IMO number
	minLengthM      float64 // length overall
	maxLengthM      float64 // 0 for what does not float and move
	mmsiPrefix      string  // before the country digits; empty for ships
	deadweightPerGT float64 // tonnes of deadweight per gross ton
}

// groups are all groups; the specific types name them in tables/types.txt.
var groups = []group{
	{"cargo", "Cargo vessels", "cargo-vessels", .97, 60, 400, "", 1.6},
	{"tanker", "Tankers", "tankers", .97, 50, 340, "", 1.8},
	{"passenger", "Passenger ships", "passenger-and-cruise-ships", .75, 20, 340, "", .15},
	{"fishing", "Fishing vessels", "", .45, 10, 120, "", .5},
	{"tug", "Tugs", "", .75, 15, 75, "", .5},
	{"service", "Miscellaneous", "", .75, 12, 180, "", .7},
	{"inland", "Inland vessels", "", .1, 40, 135, "", 1.4},
	{"leisure", "Yachts or sailing vessels", "", .2, 8, 90, "", .1},
	{"navy", "Military", "", .4, 20, 250, "", .2},
	{"other", "Other type or auxiliary", "", .4, 10, 120, "", .4},
	{"unknown", "Unknown", "", .35, 10, 200, "", .4},
	{"structure", "Other type or auxiliary", "", 0, 0, 0, "", 0},
	{"aid", "Navigation aids", "", 0, 0, 0, "99", 0},
	{"coast", "Base stations", "", 0, 0, 0, "00", 0},
	{"aircraft", "SAR aircraft", "", 0, 0, 0, "111", 0},
}

// isShip reports whether vessels of the group float and move.
func (g *group) isShip() bool { return g.maxLengthM > 0 }

// carriesCargo reports whether vessels of the group carry cargo, and so are laden or in
// ballast.
func (g *group) carriesCargo() bool { return g.name == "cargo" || g.name == "tanker" }

// zone is a world zone as a rectangle, with its weight as a destination. Coordinates and
// reach are in degrees.
type zone struct {
	name                  string
	latitude, longitude   float64 // of the centre
	reachNorth, reachEast float64 // from the centre to each side
	weight                float64
}

// port is a port of call.
type port struct {
	name, country, locode string
	zone                  int
}

var (
	flags         = readFlags()
	specificTypes = readSpecificTypes()
	zones         = readZones()
	ports         = readPorts()
	wordLists     = readWordLists()
	flagOf        = flagsBySpelling()
	flagChoice    = newWeightedChoice(flags, func(f flag) float64 { return f.weight })
	typeChoice    = newWeightedChoice(specificTypes, func(k specificType) float64 { return k.weight })
	zoneChoice    = newWeightedChoice(zones, func(z zone) float64 { return z.weight })
)

// readTable returns the rows of tables/name.txt, split at tabs. It panics on a file that is
// not there: the files are compiled in, so that is a bug.
func readTable(name string) [][]string {
	b, err := tableFiles.ReadFile("tables/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(b)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// readFlags reads the flags.
func readFlags() []flag {
	var all []flag
	for _, row := range readTable("flags") {
		f := flag{iso: strings.TrimPrefix(row[0], "-"), weight: parseNumber(row[1])}
		for _, mid := range strings.Split(row[2], ",") {
			f.mids = append(f.mids, uint32(parseNumber(mid)))
		}
		for _, spelling := range strings.Split(row[3], ";") {
			f.spellings = append(f.spellings, indexOf(api.Countries, spelling))
		}
		all = append(all, f)
	}
	return all
}

// readSpecificTypes reads the specific types, in the order of api.Types.
func readSpecificTypes() []specificType {
	all := make([]specificType, len(api.Types))
	for _, row := range readTable("types") {
		g := slices.IndexFunc(groups, func(g group) bool { return g.name == row[1] })
		indexOf(api.VesselTypes, row[2])
		all[indexOf(api.Types, row[0])] = specificType{name: row[0], group: &groups[g], vesselType: row[2], weight: parseNumber(row[3])}
	}
	// The wider vessel type follows from the narrow one, whatever the group: an inland tanker
	// is found among the tankers too.
	wider := make(map[string]string)
	for _, k := range all {
		if k.group.widerVesselType != "" {
			wider[k.vesselType] = k.group.widerVesselType
		}
	}
	for i := range all {
		all[i].widerVesselType = wider[all[i].vesselType]
	}
	return all
}

// readZones reads the zones, in the order of api.Zones.
func readZones() []zone {
	all := make([]zone, len(api.Zones))
	for _, r := range readTable("zones") {
		all[indexOf(api.Zones, r[0])] = zone{r[0], parseNumber(r[1]), parseNumber(r[2]), parseNumber(r[3]), parseNumber(r[4]), parseNumber(r[5])}
	}
	return all
}

// readPorts reads the ports.
func readPorts() []port {
	var all []port
	for _, row := range readTable("ports") {
		all = append(all, port{row[0], row[1], row[2], indexOf(api.Zones, row[3])})
	}
	return all
}

// readWordLists reads the lists from which names are made.
func readWordLists() map[string][]string {
	all := make(map[string][]string)
	for _, row := range readTable("words") {
		all[row[0]] = strings.Split(row[1], ";")
	}
	return all
}

// flagsBySpelling returns, for each country of api.Countries, the index of its flag.
func flagsBySpelling() []int {
	all := make([]int, len(api.Countries))
	for i, f := range flags {
		for _, spelling := range f.spellings {
			all[spelling] = i
		}
	}
	return all
}

// chooseWord returns a word of a list.
func chooseWord(list string, u uint64) string {
	all := wordLists[list]
	return all[u%uint64(len(all))]
}

// indexOf returns the position of a value that must be in a list. It panics otherwise: the
// tables are compiled in.
func indexOf(list []string, value string) int {
	i := slices.Index(list, value)
	if i < 0 {
		panic("simulator: no " + value + " in the accepted values")
	}
	return i
}

// parseNumber reads a number of a table. It panics otherwise: the tables are compiled in.
func parseNumber(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// weightedChoice chooses an index by weight, with one access to a table of 65,536 places.
type weightedChoice []uint16

// newWeightedChoice returns a choice among options. An option of weight 0 is never chosen.
func newWeightedChoice[T any](options []T, weight func(T) float64) weightedChoice {
	total, sum := 0.0, 0.0
	for _, o := range options {
		total += weight(o)
	}
	d := make(weightedChoice, 0, 1<<16)
	for i, o := range options {
		sum += weight(o)
		for float64(len(d)) < sum/total*(1<<16)-.5 {
			d = append(d, uint16(i))
		}
	}
	for len(d) < 1<<16 {
		d = append(d, d[len(d)-1])
	}
	return d
}

// pick returns the index that a drawn number chooses.
func (d weightedChoice) pick(u uint64) int { return int(d[u>>48]) }
