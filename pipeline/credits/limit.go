package credits

// Limit is the most credits that may be spent: a number, which may be 0, or no limit, which is the
// zero value. A cap that is used up and a cap that was never set cannot be confused.
type Limit struct {
	credits int
	set     bool
}

// AtMost returns the limit of some credits. Credits below 0 count as 0.
func AtMost(credits int) Limit { return Limit{max(0, credits), true} }

// Get returns the credits of a limit, and false if there is no limit.
func (l Limit) Get() (credits int, limited bool) { return l.credits, l.set }

// Allows reports whether some credits are within the limit.
func (l Limit) Allows(credits int) bool { return !l.set || credits <= l.credits }

// Cut returns some credits, or those of the limit if these are fewer.
func (l Limit) Cut(credits int) int {
	if l.set {
		return min(credits, l.credits)
	}
	return credits
}

// Tightest returns the lower one of two limits.
func (l Limit) Tightest(other Limit) Limit {
	if l.set && other.Allows(l.credits) {
		return l
	}
	return other
}

// Plus returns a limit that is higher by some credits, or lower if they are below 0. No limit stays
// none.
func (l Limit) Plus(credits int) Limit {
	if !l.set {
		return l
	}
	return AtMost(l.credits + credits)
}
