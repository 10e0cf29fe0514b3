package simulator

import "time"

// Vessel is the truth about a vessel on a day: what a perfect reader of all answers could
// know. A value that the service does not have is zero, or nil where zero is a value.
type Vessel struct {
	Hull      int    `json:"hull"`      // number of the hull, which never changes
	VesselID  string `json:"vessel_id"` // by the evidence of this day: IMO9218301, or MMSI306256000
	IMO       int    `json:"imo,omitempty"`
	MMSI      string `json:"mmsi"`
	Name      string `json:"name"`
	Callsign  string `json:"callsign,omitempty"`
	ENI       string `json:"eni,omitempty"`
	Flag      string `json:"flag,omitempty"` // ISO 3166 alpha-2; empty for Unknown
	Country   string `json:"country"`        // an accepted value, as the lists spell it
	Type      string `json:"type"`           // an accepted value, as the lists spell it
	ShipType  string `json:"ship_type"`
	IsShip    bool   `json:"is_ship"`    // floats and moves: no aid, station, aircraft or platform
	ShowsIMO  bool   `json:"shows_imo"`  // the service has an IMO, correct or not
	StoresIMO bool   `json:"stores_imo"` // the IMO that it has is correct
	Listed    bool   `json:"listed"`     // in the searches; lookups find it either way

	Status   string `json:"status,omitempty"` // of api.Statuses
	Zone     string `json:"zone,omitempty"`   // of api.Zones; only with a status
	Laden    string `json:"laden,omitempty"`
	ForOrder bool   `json:"for_order,omitempty"`

	Particulars Particulars `json:"particulars"`
	Engine      Engine      `json:"engine"`
	Management  Management  `json:"management"`
	Position    Position    `json:"position"`

	// Stored is what the type/country search answers, byte for byte: two entries while the
	// vessel is listed under two flags, the previous one first; none while it is not listed.
	Stored []Listing `json:"stored,omitempty"`
}

// Listing is a vessel item of the type/country search. Each member is the stored text; nil is
// null.
type Listing struct {
	Name         *string `json:"name"`
	MMSI         *string `json:"mmsi"`
	IMO          *string `json:"imo"`
	Callsign     *string `json:"callsign"`
	Country      *string `json:"country"`
	CountryISO   *string `json:"countryIso"`
	ShipType     *string `json:"shipType"`
	TypeSpecific *string `json:"typeSpecific"`
}

// Particulars are the dimensions (metres), tonnage, build and capacities (GasM3, GrainM3 and
// BaleM3 in cubic metres) of a vessel. Zero is unknown.
type Particulars struct {
	LengthM      int    `json:"length_m,omitempty"`
	BeamM        int    `json:"beam_m,omitempty"`
	DeadweightT  int    `json:"deadweight_t,omitempty"`
	GrossTonnage int    `json:"gross_tonnage,omitempty"`
	NetTonnage   int    `json:"net_tonnage,omitempty"`
	TEU          int    `json:"teu,omitempty"`
	YearBuilt    int    `json:"year_built,omitempty"`
	Hull         string `json:"hull,omitempty"`
	Builder      string `json:"builder,omitempty"`
	Material     string `json:"material,omitempty"`
	PlaceOfBuild string `json:"place_of_build,omitempty"`
	BallastWater int    `json:"ballast_water_m3,omitempty"`
	FreshWater   int    `json:"fresh_water_m3,omitempty"`
	CrudeOil     int    `json:"crude_oil_m3,omitempty"`
	GasM3        int    `json:"gas_m3,omitempty"`
	GrainM3      int    `json:"grain_m3,omitempty"`
	BaleM3       int    `json:"bale_m3,omitempty"`
}

// Engine is the propulsion of a vessel. Zero is unknown.
type Engine struct {
	FuelType  string `json:"fuel_type,omitempty"`
	Propeller string `json:"propeller,omitempty"`
	Type      string `json:"engine_type,omitempty"`
	Builder   string `json:"engine_builder,omitempty"`
	PowerKW   int    `json:"engine_power_kw,omitempty"`
}

// Management is who owns and operates a vessel. The manager is also its safety manager (ISM).
// An empty text is unknown.
type Management struct {
	Manager         string `json:"manager,omitempty"`
	ManagerEmail    string `json:"manager_email,omitempty"`
	ManagerAddress  string `json:"manager_address,omitempty"`
	ManagerWebsite  string `json:"manager_website,omitempty"`
	RegisteredOwner string `json:"registered_owner,omitempty"`
	OwnerEmail      string `json:"registered_owner_email,omitempty"`
	OwnerAddress    string `json:"registered_owner_address,omitempty"`
	OwnerWebsite    string `json:"registered_owner_website,omitempty"`
	ISM             string `json:"ism,omitempty"`
	ClassSociety    string `json:"class_society,omitempty"`
	PAndI           string `json:"p_and_i,omitempty"`
}

// Position is where a vessel was last seen, and its voyage. Times are UTC; a number is nil
// where the service sends a sentinel. The position of a silent vessel, or of one that went dark, is
// old and never changes.
type Position struct {
	At                  time.Time `json:"position_at,omitzero"`
	UpdatedAt           time.Time `json:"updated_at,omitzero"`
	Latitude            *float64  `json:"latitude,omitempty"`
	Longitude           *float64  `json:"longitude,omitempty"`
	SpeedKn             *float64  `json:"speed_kn,omitempty"`
	CourseDeg           *float64  `json:"course_deg,omitempty"`
	HeadingDeg          *float64  `json:"heading_deg,omitempty"`
	DraughtM            float64   `json:"draught_m,omitempty"`
	MaxDraughtM         float64   `json:"max_draught_m,omitempty"`
	Destination         string    `json:"destination,omitempty"`
	DestinationUNLOCODE string    `json:"destination_unlocode,omitempty"`
	LastPort            string    `json:"last_port,omitempty"`
	LastPortUNLOCODE    string    `json:"last_port_unlocode,omitempty"`
	ETA                 time.Time `json:"eta,omitzero"`
	DepartedAt          time.Time `json:"departed_at,omitzero"`
	DataSource          string    `json:"data_source,omitempty"`
}
