package plan

import (
	"slices"
	"time"
)

// mostEarly is how much earlier than Sweep.Every a search is due, at most: the nights do not begin at the
// same second.
const mostEarly = 4 * time.Hour

// dueSweeps drops the status searches that were answered within a time, less a sixth of it or mostEarly,
// and records them as skipped. Those that the night itself made stay: the journal has their answers, and
// they cost nothing.
func (d *Plan) dueSweeps(all []StatusSearch, f Inputs, every time.Duration) []StatusSearch {
	within := every - min(every/6, mostEarly)
	return slices.DeleteFunc(all, func(s StatusSearch) bool {
		tonight := !f.Since.IsZero() && !s.At.Before(f.Since)
		if s.At.IsZero() || f.Now.Sub(s.At) >= within || tonight {
			return false
		}
		e := s.Entry()
		e.Skipped = "covered at " + s.At.UTC().Format(time.RFC3339)
		d.Skipped = append(d.Skipped, e)
		return true
	})
}
