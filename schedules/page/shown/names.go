package shown

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed zones.txt
var zoneTable string

// Zone is a world zone with its short name, and its place on the map of tiles.
type Zone struct {
	Value, Name, Region string
	Column, Row         int
}

// Zones places the zones roughly as on the globe. Each line of zones.txt has value, column, row,
// short name and region.
var Zones = func() []Zone {
	var zones []Zone
	for line := range strings.Lines(zoneTable) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		column, _ := strconv.Atoi(f[1])
		row, _ := strconv.Atoi(f[2])
		zones = append(zones, Zone{Value: f[0], Column: column, Row: row, Name: f[3], Region: f[4]})
	}
	return zones
}()

// Status is a navigational status with its name.
type Status struct{ Value, Name string }

// Statuses are in the order of the filter of the map.
var Statuses = []Status{
	{"under-way", "Under way"}, {"moored", "Moored"}, {"at-anchor", "At anchor"}, {"fishing", "Fishing"}, {"sailing", "Sailing"},
	{"restricted", "Restricted"}, {"drifting", "Drifting"}, {"constrained", "Constrained"}, {"aground", "Aground"},
}

// StatusName is the name of a status; its value if there is none.
func StatusName(value string) string {
	for _, s := range Statuses {
		if s.Value == value {
			return s.Name
		}
	}
	return value
}

// ZoneName is a world zone as the map names it; its value if the map has it not.
func ZoneName(value string) string {
	for _, z := range Zones {
		if z.Value == value {
			return z.Name
		}
	}
	return value
}
