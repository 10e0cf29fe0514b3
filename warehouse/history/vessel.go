package history

import "time"

// Vessel is what is known of one vessel, since when, and from which answers. Times are UTC,
// dates are YYYY-MM-DD, and unknown values are nil or empty.
type Vessel struct {
	VesselID string   `json:"vessel_id"`
	Name     string   `json:"name,omitempty"`
	IMO      string   `json:"imo,omitempty"`
	MMSI     string   `json:"mmsi,omitempty"`
	Others   []string `json:"others,omitempty"` // vessels that had the MMSI before, or have it beside another

	Aliases   []Alias    `json:"aliases,omitempty"`
	Datasets  []Dataset  `json:"datasets"` // registration, particulars, engine, management, voyages
	Stays     []Stay     `json:"listed"`
	Episodes  []Episode  `json:"episodes"` // the newest first
	Sighted   *time.Time `json:"sighting_seen_at,omitempty"`
	Positions Positions  `json:"positions"`
	Lookups   []Lookup   `json:"lookups"`
	Issues    []Issue    `json:"issues"` // the open ones first
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// Evidence names an answer: the run, the entry in that run's journal, and its request, which is
// empty for all but the newest episodes.
type Evidence struct {
	Run        string `json:"run,omitempty"`
	Entry      int    `json:"entry"` // -1 is none
	Operation  string `json:"operation,omitempty"`
	Parameters string `json:"parameters,omitempty"`
	Credits    *int   `json:"credits,omitempty"` // what the request cost, which a search shares among its vessels
}

// Alias is an id that the vessel had before its IMO number was reported.
type Alias struct {
	ID     string     `json:"alias_id"`
	Since  *time.Time `json:"since"`
	Until  *time.Time `json:"until,omitempty"`
	Reason string     `json:"reason,omitempty"`
	Run    string     `json:"run,omitempty"`
}

// Dataset is the versions of one dataset, oldest first; none if it was never seen.
type Dataset struct {
	Name     string     `json:"dataset"`
	Columns  []string   `json:"-"` // in the order of the table
	Seen     *time.Time `json:"last_seen,omitempty"`
	Versions []Version  `json:"versions"`

	versioned int // how many of the first columns make a version; the others are evidence
}

// Now returns the open version; nil if there is none.
func (d Dataset) Now() *Version {
	if n := len(d.Versions); n > 0 && d.Versions[n-1].To == nil {
		return &d.Versions[n-1]
	}
	return nil
}

// Version is one version of a dataset.
type Version struct {
	VesselID  string         `json:"vessel_id"` // the alias, while the vessel was known by that
	From      *time.Time     `json:"valid_from"`
	To        *time.Time     `json:"valid_to,omitempty"`
	FirstSeen *time.Time     `json:"first_seen"`
	LastSeen  *time.Time     `json:"last_seen"`
	Evidence  Evidence       `json:"evidence"`
	Values    map[string]any `json:"values"`            // by column, without the empty ones
	Changed   []Change       `json:"changed,omitempty"` // from the version before
}

// Change is a column that a version changed. An empty value is nil.
type Change struct {
	Column string `json:"column"`
	Old    any    `json:"old"`
	New    any    `json:"new"`
}

// Stay is an unbroken stay on the list.
type Stay struct {
	From    string `json:"from_date"`
	To      string `json:"to_date,omitempty"` // empty while it is open
	Last    string `json:"last_date"`
	Missing string `json:"missing_since,omitempty"` // the first night whose list missed the vessel: no proof while the stay is open
	Absent  string `json:"absent_on,omitempty"`     // the night that proved that the vessel had left
	Proof   string `json:"proof,omitempty"`         // what proves it
	Run     string `json:"run,omitempty"`
}

// Episode is an unbroken stay in a status and zone.
type Episode struct {
	Status     string     `json:"navigational_status"`
	Zone       string     `json:"world_zone,omitempty"`
	Laden      string     `json:"laden,omitempty"`
	ForOrder   *bool      `json:"for_order,omitempty"`
	VesselType string     `json:"vessel_type,omitempty"`
	FirstSeen  *time.Time `json:"first_seen"`
	LastSeen   *time.Time `json:"last_seen"`
	Nights     int        `json:"nights"`
	Evidence   Evidence   `json:"evidence"`
}

// Positions counts the positions and has the latest.
type Positions struct {
	Count    int        `json:"count"`
	Since    *time.Time `json:"since,omitempty"`     // the first; when it was answered, if it has no time
	LastSeen *time.Time `json:"last_seen,omitempty"` // when a position was last reported, old or new
	Latest   *Position  `json:"latest,omitempty"`
	Track    []Point    `json:"track,omitempty"` // the newest ones, oldest first
}

// Point is where a vessel was.
type Point struct {
	At        *time.Time `json:"position_at"` // nil if the service does not say
	SeenAt    *time.Time `json:"seen_at"`
	Latitude  float64    `json:"latitude"`
	Longitude float64    `json:"longitude"`
}

// Position is one observed position.
type Position struct {
	At          *time.Time `json:"position_at"` // nil if the service does not say
	SeenAt      *time.Time `json:"seen_at"`
	Latitude    float64    `json:"latitude"`
	Longitude   float64    `json:"longitude"`
	SpeedKn     *float64   `json:"speed_kn"`
	CourseDeg   *float64   `json:"course_deg"`
	Status      string     `json:"navigational_status,omitempty"`
	Destination string     `json:"destination,omitempty"`
	Evidence    Evidence   `json:"evidence"`
}

// Lookup sums up the lookups of one operation.
type Lookup struct {
	Operation string     `json:"operation"`
	Requests  int        `json:"requests"`
	Credits   int        `json:"credits"`
	Asked     *time.Time `json:"last_asked"`
	Answered  *time.Time `json:"last_answered,omitempty"`
	Refused   *time.Time `json:"last_refused,omitempty"`
	Outcome   string     `json:"last_outcome"`
	Evidence  Evidence   `json:"evidence"` // the last one
}

// Issue is a value or a record that was not accepted, over all nights on which it occurred.
type Issue struct {
	Dataset  string   `json:"dataset"`
	Field    string   `json:"field,omitempty"`
	Reason   string   `json:"reason"`
	RawValue string   `json:"raw_value,omitempty"` // the last
	First    string   `json:"first_date"`
	Last     string   `json:"last_date"`
	Nights   int      `json:"nights"`
	Open     bool     `json:"open"` // it occurred when the dataset was last seen
	Evidence Evidence `json:"evidence"`
}

// Conflict is a contradiction with other vessels.
type Conflict struct {
	Dataset  string `json:"dataset"`
	Field    string `json:"field"`
	RawValue string `json:"raw_value"`
	Reason   string `json:"reason"`
	First    string `json:"first_date"`
	Last     string `json:"last_date,omitempty"`
}
