package api

// Operation is one call of the API: what a request can cost and the lane it queues in.
type Operation struct {
	Name      string // ours: "by-status"
	Method    string
	Path      string // relative to the base URL
	Credits   int    // the most one request can cost
	PerMinute int    // the documented limit
}

// The operations that fleetlake uses, with the prices and limits of the interface text.
var (
	ByStatus    = Operation{"by-status", "POST", "/get-vessels-by-navigational-status", 10, 15}
	ByType      = Operation{"by-type", "GET", "/vessels-by-types-and-countries", 10, 50}
	Info        = Operation{"info", "GET", "/get-vessel-info", 5, 15}
	Location    = Operation{"location", "GET", "/get-vessel-location", 1, 15} // its limit is not documented: that of info
	Particulars = Operation{"particulars", "GET", "/get-vessel-particulars", 1, 50}
	Credits     = Operation{"credits", "GET", "/my-credits", 0, 50}
)

// Operations lists every operation, in the order in which reports show them.
var Operations = []Operation{ByStatus, ByType, Info, Location, Particulars, Credits}

// PageSize is the number of vessels on a full page of the type/country search.
const PageSize = 100

// OperationNamed returns the operation of that name.
func OperationNamed(name string) (Operation, bool) {
	for _, o := range Operations {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// IsLookup reports whether the operation asks for one vessel.
func (o Operation) IsLookup() bool { return o != ByType && o != ByStatus && o != Credits }

// IsLookup reports whether the operation of that name asks for one vessel.
func IsLookup(operation string) bool {
	o, ok := OperationNamed(operation)
	return ok && o.IsLookup()
}
