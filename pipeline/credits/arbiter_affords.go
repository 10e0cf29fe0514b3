package credits

import "github.com/fleetlake/fleetlake/extract/api"

// Affords returns how many more requests of a lookup the limit pays for if every search costs the most that it was
// granted or asks for; no limit if nothing limits the run. What it leaves out is paid for if searches turn out cheaper.
func (a *Arbiter) Affords(o api.Operation) Limit {
	claimed := a.counted + a.reserved + a.claims(o) + a.expected
	for _, s := range a.waiting {
		claimed += s.Most
	}
	credits, limited := a.limit.Plus(-claimed).Get()
	if !limited {
		return Limit{}
	}
	return AtMost(max(credits, a.kept()) / o.Credits)
}
