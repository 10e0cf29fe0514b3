package transform

// engineRules are the columns of engine, from the object of that name.
var engineRules = []rule{
	{"fuel_type", []string{"fueltype"}, asText},
	{"propeller", []string{"propeller"}, asText},
	{"engine_type", []string{"enginetype"}, asText},
	{"engine_builder", []string{"enginebuilder"}, asText},
	{"engine_power_kw", []string{"enginepowerkw", "enginepower"}, as(quantity{units: []string{"kw"}, most: 500_000})},
}
