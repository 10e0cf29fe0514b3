package simulator

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/fleetlake/fleetlake/extract"
)

//go:embed tables/*.txt
var tables embed.FS

// flag is a registry: its weight in the fleet, its country digits and its spellings, the
// commonest first, as indexes into extract.Countries.
type flag struct {
	iso       string // alpha-2; empty for Unknown
	weight    float64
	mids      []uint32
	spellings []int
}

// kind is a specific type of the accepted list.
type kind struct {
	name   string
	group  *group
	filter string // the vessel_type that finds it in the status search
	wider  string // the one that finds it among others
	weight float64
}

// group is what the types of one trade have in common.
type group struct {
	name      string
	label     string  // shipType
	wider     string  // the vessel_type that finds the whole group, if there is one
	imo       float64 // share with an IMO number
	short     float64 // length overall in metres, from
	long      float64 // and to
	mmsi      string  // what the MMSI begins with, before the country digits, if it is no ship
	deadweigh float64 // tonnes of deadweight per gross ton
}

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

// isShip reports whether the types of the group float and move.
func (g *group) isShip() bool { return g.long > 0 }

// trades reports whether the types of the group carry cargo, and so a laden condition.
func (g *group) trades() bool { return g.name == "cargo" || g.name == "tanker" }

type zone struct {
	name                string
	latitude, longitude float64 // the middle
	north, east         float64 // how far it reaches
	weight              float64
}

type port struct {
	name, country, locode string
	zone                  int
}

var (
	flags   = readFlags()
	kinds   = readKinds()
	zones   = readZones()
	ports   = readPorts()
	words   = readWords()
	flagOf  = flagsBySpelling()
	flagDie = newDie(flags, func(f flag) float64 { return f.weight })
	kindDie = newDie(kinds, func(k kind) float64 { return k.weight })
	zoneDie = newDie(zones, func(z zone) float64 { return z.weight })
)

// rows reads a table of tab-separated columns. A bad table is a bug, not an error.
func rows(name string) [][]string {
	b, err := tables.ReadFile("tables/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(b)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

func readFlags() []flag {
	var all []flag
	for _, row := range rows("flags") {
		f := flag{iso: strings.TrimPrefix(row[0], "-"), weight: number(row[1])}
		for _, mid := range strings.Split(row[2], ",") {
			f.mids = append(f.mids, uint32(number(mid)))
		}
		for _, spelling := range strings.Split(row[3], ";") {
			f.spellings = append(f.spellings, place(extract.Countries, spelling))
		}
		all = append(all, f)
	}
	return all
}

func readKinds() []kind {
	all := make([]kind, len(extract.Types))
	for _, row := range rows("types") {
		g := slices.IndexFunc(groups, func(g group) bool { return g.name == row[1] })
		place(extract.VesselTypes, row[2])
		all[place(extract.Types, row[0])] = kind{name: row[0], group: &groups[g], filter: row[2], weight: number(row[3])}
	}
	// An inland tanker is among the tankers too: what is wider hangs on the filter.
	wider := make(map[string]string)
	for _, k := range all {
		if k.group.wider != "" {
			wider[k.filter] = k.group.wider
		}
	}
	for i := range all {
		all[i].wider = wider[all[i].filter]
	}
	return all
}

func readZones() []zone {
	all := make([]zone, len(extract.Zones))
	for _, r := range rows("zones") {
		all[place(extract.Zones, r[0])] = zone{r[0], number(r[1]), number(r[2]), number(r[3]), number(r[4]), number(r[5])}
	}
	return all
}

func readPorts() []port {
	var all []port
	for _, row := range rows("ports") {
		all = append(all, port{row[0], row[1], row[2], place(extract.Zones, row[3])})
	}
	return all
}

func readWords() map[string][]string {
	all := make(map[string][]string)
	for _, row := range rows("words") {
		all[row[0]] = strings.Split(row[1], ";")
	}
	return all
}

// flagsBySpelling is the index in flags of each country of extract.Countries.
func flagsBySpelling() []int {
	all := make([]int, len(extract.Countries))
	for i, f := range flags {
		for _, spelling := range f.spellings {
			all[spelling] = i
		}
	}
	return all
}

// word chooses one of a list.
func word(list string, u uint64) string {
	all := words[list]
	return all[u%uint64(len(all))]
}

func place(list []string, value string) int {
	i := slices.Index(list, value)
	if i < 0 {
		panic("simulator: no " + value + " in the accepted values")
	}
	return i
}

func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// die is a weighted choice with one look-up.
type die []uint16

func newDie[T any](sides []T, weight func(T) float64) die {
	total, sum := 0.0, 0.0
	for _, side := range sides {
		total += weight(side)
	}
	d := make(die, 0, 1<<16)
	for i, side := range sides {
		sum += weight(side)
		for float64(len(d)) < sum/total*(1<<16)-.5 {
			d = append(d, uint16(i))
		}
	}
	for len(d) < 1<<16 {
		d = append(d, d[len(d)-1])
	}
	return d
}

func (d die) roll(u uint64) int { return int(d[u>>48]) }
