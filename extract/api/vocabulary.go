package api

import (
	"embed"
	"slices"
	"strings"
)

//go:embed vocabulary/*.txt
var vocabulary embed.FS

// The values that the API accepts, in its own spelling and order. The service compares
// types and countries without case; statuses, zones and vessel types are exact.
var (
	Types       = words("types")        // type_specific: 361
	Countries   = words("countries")    // country: 273
	Zones       = words("zones")        // world_zone: 41
	VesselTypes = words("vessel_types") // vessel_type of the status search: 36
	Laden       = []string{"ballast", "partial", "laden"}
	ForOrder    = []string{"true", "false"}
)

// Status is a navigational status that can be searched for.
type Status struct {
	Name  string
	Zoned bool // the search needs a world zone
}

// Statuses are the nine navigational statuses: six by zone, three worldwide.
var Statuses = []Status{
	{"under-way", true}, {"at-anchor", true}, {"drifting", false},
	{"restricted", true}, {"constrained", false}, {"moored", true},
	{"aground", false}, {"fishing", true}, {"sailing", true},
}

// StatusNamed returns the status of that name.
func StatusNamed(name string) (Status, bool) {
	i := slices.IndexFunc(Statuses, func(s Status) bool { return s.Name == name })
	if i < 0 {
		return Status{}, false
	}
	return Statuses[i], true
}

// words reads one value a line. A missing list is a bug, not an error.
func words(name string) []string {
	b, err := vocabulary.ReadFile("vocabulary/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}
