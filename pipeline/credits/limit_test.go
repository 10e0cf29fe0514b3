package credits

import (
	"math"
	"testing"
)

// TestALimitOfNothingIsNoLackOfALimit checks each method from both sides of a limit, for a limit of 0,
// and without a limit.
func TestALimitOfNothingIsNoLackOfALimit(t *testing.T) {
	for name, c := range map[string]struct {
		limit   Limit
		allowed []int // the most is last
		refused int   // 0 if nothing is
		cut     int   // of 100
		plus    Limit // 5 more
		with7   Limit // the tightest of it and 7
	}{
		"no limit":            {Limit{}, []int{0, 1, math.MaxInt}, 0, 100, Limit{}, AtMost(7)},
		"a limit of 0":        {AtMost(0), []int{0}, 1, 0, AtMost(5), AtMost(0)},
		"a limit below 0":     {AtMost(-3), []int{0}, 1, 0, AtMost(5), AtMost(0)},
		"a limit":             {AtMost(50), []int{0, 49, 50}, 51, 50, AtMost(55), AtMost(7)},
		"a higher limit":      {AtMost(101), []int{101}, 102, 100, AtMost(106), AtMost(7)},
		"a limit that is cut": {AtMost(8).Plus(-3), []int{5}, 6, 5, AtMost(10), AtMost(5)},
		"more than there is":  {AtMost(8).Plus(-9), []int{0}, 1, 0, AtMost(5), AtMost(0)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range c.allowed {
				if !c.limit.Allows(n) {
					t.Errorf("refuses %d", n)
				}
			}
			if c.refused > 0 && c.limit.Allows(c.refused) {
				t.Errorf("allows %d", c.refused)
			}
			if got := c.limit.Cut(100); got != c.cut {
				t.Errorf("cuts 100 to %d, want %d", got, c.cut)
			}
			if got := c.limit.Plus(5); got != c.plus {
				t.Errorf("plus 5 is %+v, want %+v", got, c.plus)
			}
			if got, reverse := c.limit.Tightest(AtMost(7)), AtMost(7).Tightest(c.limit); got != c.with7 || reverse != c.with7 {
				t.Errorf("the tightest of it and 7 is %+v and %+v, want %+v", got, reverse, c.with7)
			}
		})
	}
}
