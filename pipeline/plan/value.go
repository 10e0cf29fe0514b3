package plan

import "math"

// gain is the value of a lookup of one dataset: for how many more days its stored values are right,
// compared with a lookup at the moment at which it would pay as well as the others that the credits
// are spent on. right is the chance that what is stored is right: exp(−silent × days), and 0 for infinite
// days, if nothing is stored. silent and announced are the changes per day that the list does not show, and
// those that it does; one of the two is above 0.
//
// After a lookup the values are right for the time s with the chance exp(−silent × s). The policy that
// keeps most values right looks a vessel up when the days that it gains between lookups, above the
// chance that it has now, reach a price that is the same for all vessels:
//
//	gain = ∫ (exp(−silent·s) − right) exp(−announced·s) ds, from 0 to days
//
// It is not the chance of a change: values that change soon again are worth little however surely
// they are wrong. For announced = 0 it is the crawl value of Azar, Horvitz, Lubetzky, Peres and Shahaf,
// "Tractable near-optimal policies for crawling" (PNAS 2018); Cho and Garcia-Molina, "Effective page
// refresh policies for web crawlers" (2003), is the case of fixed intervals. A change of the
// registration is a signal of change as in Kolobov et al., "Staying up to date with online content
// changes using reinforcement learning for scheduling" (2019): it ends the wait, and leaves a chance that
// the values are right which is that of more days.
func gain(days, silent, announced float64) (gained, right float64) {
	if math.IsInf(days, 1) {
		return 1 / (silent + announced), 0
	}
	right = 1 - within(silent*days)
	if (silent+announced)*days < 1e-3 {
		return silent * days * days / 2, right
	}
	shown, waited := within(announced*days), days
	if announced > 0 {
		waited = shown / announced
	}
	return (1-right*(1-shown))/(silent+announced) - right*waited, right
}

// within is the chance of a change when so many are expected, 1 − exp(−x). Most are below a tenth, where
// a series is several times faster and as exact as needed.
func within(x float64) float64 {
	if x < 0.1 {
		return x * (1 - x/2*(1-x/3*(1-x/4*(1-x/5))))
	}
	return 1 - math.Exp(-x)
}
