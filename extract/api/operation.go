package api

// Operation is one call of the API, with the price and the rate limit of its requests.
type Operation struct {
	Name      string // in the journal, the tables and the configuration: "by-status"
	Method    string
	Path      string // relative to the base URL
	Credits   int    // the most one request can cost
	PerMinute int    // the documented rate limit, in requests
}

// The operations that fleetlake uses, with the prices and limits of the interface text.
var (
	ByStatus    = Operation{"by-status", "POST", "/get-vessels-by-navigational-status", 10, 15}
	ByType      = Operation{"by-type", "GET", "/vessels-by-types-and-countries", 10, 50}
	Info        = Operation{"info", "GET", "/get-vessel-info", 5, 15}
	Location    = Operation{"location", "GET", "/get-vessel-location", 1, 15} // its limit is not documented: this is that of info
	Particulars = Operation{"particulars", "GET", "/get-vessel-particulars", 1, 50}
	Credits     = Operation{"credits", "GET", "/my-credits", 0, 50}
)

// Operations lists every operation, in the order of reports.
var Operations = []Operation{ByStatus, ByType, Info, Location, Particulars, Credits}

// PageSize is the number of vessels on a full page of the type/country search.
const PageSize = 100

// OperationNamed returns the operation with a name; false if there is none.
func OperationNamed(name string) (Operation, bool) {
	for _, o := range Operations {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// IsLookup reports whether the operation looks up one vessel.
func (o Operation) IsLookup() bool { return o != ByType && o != ByStatus && o != Credits }

// IsLookup reports whether the operation with a name looks up one vessel; false for an unknown name.
func IsLookup(operation string) bool {
	o, ok := OperationNamed(operation)
	return ok && o.IsLookup()
}
