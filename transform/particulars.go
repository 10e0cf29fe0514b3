package transform

// The units in which the API writes the particulars. The bounds of the numbers are well
// beyond the largest ship that ever sailed.
var (
	metres = []string{"m", "metre", "metres", "meter", "meters"}
	tonnes = []string{"t", "dwt", "tonnes", "tons"}
	cubic  = []string{"m³", "m3", "cbm"}
)

var capacity = as(quantity{units: cubic, most: 2_000_000})

// particularsRules are the columns of particulars that follow those of the registration.
var particularsRules = []rule{
	{"eni", []string{"eni"}, asText},
	{"updated_at", []string{"updatetime"}, asPast},
	{"length_m", []string{"length"}, as(quantity{units: metres, most: 600})},
	{"beam_m", []string{"beam"}, as(quantity{units: metres, most: 150})},
	{"deadweight_t", []string{"deadweight"}, as(quantity{units: tonnes, most: 1_000_000})},
	{"gross_tonnage", []string{"grosstonnage"}, as(quantity{units: []string{"gt", "grt", "t"}, most: 1_000_000})},
	{"net_tonnage", []string{"nettonnage"}, as(quantity{units: []string{"nt", "nrt", "t"}, most: 1_000_000})},
	{"teu", []string{"teu"}, asWhole(quantity{units: []string{"teu"}, most: 100_000})},
	{"year_built", []string{"yearofbuilt"}, asYearBuilt},
	{"hull", []string{"hull"}, asText},
	{"builder", []string{"builder"}, asText},
	{"material", []string{"material"}, asText},
	{"place_of_build", []string{"placeofbuild"}, asText},
	{"ballast_water", []string{"ballastwater"}, capacity},
	{"fresh_water", []string{"freshwater"}, capacity},
	{"crude_oil", []string{"crudeoil"}, capacity},
	{"gas_m3", []string{"gas"}, capacity},
	{"grain_m3", []string{"grain"}, capacity},
	{"bale_m3", []string{"bale"}, capacity},
}

// asYearBuilt accepts the year of a ship that sails, or is on order.
func asYearBuilt(s string, at *answer) (any, error) {
	return asWhole(quantity{least: 1800, most: float64(at.year + 2)})(s, at)
}
