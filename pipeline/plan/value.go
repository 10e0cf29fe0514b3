package plan

import (
	"math"
	"time"
)

// gain is the value of a lookup of one dataset: for how many more days its stored values are right,
// compared with a lookup at the moment at which it would pay as well as the others that the credits
// are spent on. right is the chance that what is stored is right, 0 if nothing is; silent and announced are
// the changes per day that the list does not show, and those that it does.
//
// After a lookup the values are right for the time s with the chance exp(−silent × s). The policy that
// keeps most values right looks a vessel up when the days that it gains between lookups, above the
// chance that it has now, reach a price that is the same for all vessels:
//
//	gain = ∫ (exp(−silent·s) − right) exp(−announced·s) ds, from 0 until exp(−silent·s) = right
//
// It is not the chance of a change: values that change soon again are worth little however surely
// they are wrong. For announced = 0 it is the crawl value of Azar, Horvitz, Lubetzky, Peres and Shahaf,
// "Tractable near-optimal policies for crawling" (PNAS 2018), of which Cho and Garcia-Molina,
// "Effective page refresh policies for web crawlers" (2003), is the case of fixed intervals; a
// change of the registration is a signal of change as in Kolobov et al., "Staying up to date with
// online content changes using reinforcement learning for scheduling" (2019), and ends the wait.
func gain(right, silent, announced float64) float64 {
	if right <= 0 {
		return 1 / (silent + announced)
	}
	days := -math.Log(right) / silent
	if silent*days < 1e-3 {
		return silent * days * days / 2
	}
	unannounced, waited := 1.0, days
	if announced > 0 {
		unannounced = math.Exp(-announced * days)
		waited = (1 - unannounced) / announced
	}
	return (1-right*unannounced)/(silent+announced) - right*waited
}

// stillRight is the chance that values which were right an age ago are right now.
func stillRight(perDay float64, age time.Duration) float64 {
	return math.Exp(-perDay * age.Hours() / 24)
}
