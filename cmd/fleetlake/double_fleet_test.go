package main

import (
	"fmt"
	"strings"
)

// hull is a vessel of the double.
type hull struct {
	imo, mmsi, name, flag, iso, specific, category, status, zone string
}

// majorFlags carry half of the double's fleet: name, ISO code and the digits of their MMSIs.
var majorFlags = [][3]string{
	{"Panama", "PA", "351"}, {"Liberia", "LR", "636"}, {"Marshall Islands", "MH", "538"}, {"Malta", "MT", "215"},
	{"Greece", "GR", "237"}, {"Norway", "NO", "257"}, {"Cyprus", "CY", "209"}, {"Japan", "JP", "431"},
}

// kinds are specific types with their broad category.
var kinds = [][2]string{
	{"Bulk Carrier", "Cargo"}, {"Container Ship", "Cargo"}, {"Crude Oil Tanker", "Tanker"}, {"General Cargo Ship", "Cargo"},
	{"Tug", "Tug"}, {"Fishing Vessel", "Fishing"}, {"Ro-Ro/Passenger Ship", "Passenger"}, {"LNG Tanker", "Tanker"},
}

// worldFleet has n vessels: half of them under a few major flags, the others spread thinly
// over two thirds of the accepted countries, and each in one status and zone.
func worldFleet(n int) []hull {
	countries := strings.Split(strings.TrimSpace(interfaceCountries), "\n")
	zones := strings.Fields(interfaceZones)
	statuses := []string{"under-way", "moored", "at-anchor", "fishing", "sailing", "restricted", "drifting", "constrained", "aground"}
	fleet := make([]hull, n)
	for i := range fleet {
		h := hull{imo: imoNumber(900_000 + i), name: fmt.Sprintf("DOUBLE_%d", i), specific: kinds[i%len(kinds)][0], category: kinds[i%len(kinds)][1]}
		h.status, h.zone = statuses[i*7%len(statuses)], zones[i*11%len(zones)]
		if i%2 == 0 {
			f := majorFlags[i/2%len(majorFlags)]
			h.flag, h.iso, h.mmsi = f[0], f[1], fmt.Sprintf("%s%06d", f[2], i)
		} else {
			h.flag = countries[i*5%(len(countries)*2/3)]
		}
		fleet[i] = h
	}
	return fleet
}

// tinyFleet has 135 vessels: two pages of Malta, a part of a page of Panama, one of Cyprus.
func tinyFleet() []hull {
	fleet := make([]hull, 135)
	for i := range fleet {
		f := majorFlags[3]
		switch {
		case i >= 130:
			f = majorFlags[6]
		case i >= 120:
			f = majorFlags[0]
		}
		fleet[i] = hull{imo: imoNumber(800_000 + i), mmsi: fmt.Sprintf("%s%06d", f[2], i), name: fmt.Sprintf("DOUBLE_%d", i), flag: f[0], iso: f[1],
			specific: kinds[i%len(kinds)][0], category: kinds[i%len(kinds)][1], status: []string{"moored", "aground"}[i%2], zone: []string{"north-sea", "baltic-sea"}[i/2%2]}
	}
	return fleet
}

// imoNumber appends the check digit: the last digit of the sum of the six others, times 7 to 2.
func imoNumber(six int) string {
	sum, text := 0, fmt.Sprintf("%06d", six)
	for i, c := range text {
		sum += int(c-'0') * (7 - i)
	}
	return fmt.Sprintf("%s%d", text, sum%10)
}

// item is the vessel in an answer of the search by type and country.
func (h hull) item() map[string]any {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return map[string]any{"name": h.name, "mmsi": null(h.mmsi), "imo": h.imo, "callsign": nil, "country": h.flag,
		"countryIso": null(h.iso), "shipType": h.category, "typeSpecific": h.specific}
}

// profile is the vessel in an answer of a lookup.
func (h hull) profile() map[string]string {
	return map[string]string{"name": h.name, "imo": h.imo, "mmsi": h.mmsi, "countryIso": h.iso, "country": h.flag, "shipType": h.category,
		"typeSpecific": h.specific, "grossTonnage": "31877", "length": "176 m", "beam": "30 m", "yearOfBuilt": "2009", "deadweight": "42210",
		"updateTime": "Nov 18, 2026 04:00 UTC"}
}
