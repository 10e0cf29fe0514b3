package simulator

import (
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/extract"
)

// BasePath is where the API begins: the base URL of a client ends in it.
const BasePath = "/api/vessels_operations"

// Window is how the service counts requests against a limit per minute.
type Window int

// The two ways in which services count.
const (
	FixedWindow  Window = iota // from zero at each full minute of the clock
	MovingWindow               // over the 60 seconds before each request
)

// Envelope is where the answer of a lookup stands.
type Envelope int

// The envelopes that have been seen.
const (
	EnvelopeMixed  Envelope = iota // per vessel, one or the other
	EnvelopeDetail                 // in an object named detail
	EnvelopeFlat                   // in the root
)

// Config is what a simulator is made from. Zero means default.
type Config struct {
	Seed    uint64
	Vessels int       // listed on day 0, roughly; 0 is 1,000, at most 1,000,000
	Start   time.Time // the civil date of day 0; zero is 2026-01-01

	Key     string // empty is "simulated"
	Credits int    // opening balance; 0 is 1,000,000, negative is none

	Limits     map[string]int // per minute by operation name; absent is documented, negative is none
	Window     Window
	RetryAfter bool // a 429 says when the window opens again

	// Dirt scales every share of dirty values: 0 is 1, the default, and negative is a clean
	// fleet, where only the formats remain ("176 m") and "0" for a vessel without an IMO.
	Dirt        float64
	Envelope    Envelope
	BalanceText bool // the balance as a sentence, as one document of the service has it
	Vague       bool // too few credits and a blocked endpoint are refused in the same words

	Rates    Rates
	CacheMiB int  // answers of searches that are kept for the day; 0 is 64
	KeepLog  bool // keep every request for Log
}

// Rates says how much of the fleet changes in a day, each as a share of the vessels. 0 is
// the default, negative is never.
type Rates struct {
	Built      float64 // new vessels; 0.0002
	Scrapped   float64 // gone for good; 0.0002
	Unlisted   float64 // gone for 1 to 10 days; 0.0005
	Renamed    float64 // 0.0005
	Reflagged  float64 // new country, MMSI and call sign; 0.0004
	Identified float64 // of the vessels that hide their IMO, those that show it; 0.03
	Corrected  float64 // a value of the particulars changes; 0.002
	Sold       float64 // new owner and manager; 0.0008
	Moved      float64 // begin a voyage: new zone, destination and status; 0.1, at most 0.5

	// SoldShows is a share of the sales and not of the vessels: those after which the vessel is
	// renamed, reflagged or both on the same day; 0.6, at most 1.
	SoldShows float64
}

// defaultRates are the rates of a zero Config.
var defaultRates = Rates{0.0002, 0.0002, 0.0005, 0.0005, 0.0004, 0.03, 0.002, 0.0008, 0.1, 0.6}

// fields lists the rates a day.
func (r *Rates) fields() []*float64 {
	return []*float64{&r.Built, &r.Scrapped, &r.Unlisted, &r.Renamed, &r.Reflagged, &r.Identified, &r.Corrected, &r.Sold, &r.Moved}
}

// complete checks a configuration and fills in the defaults.
func (c Config) complete() (Config, error) {
	switch {
	case c.Vessels < 0 || c.Vessels > 1_000_000:
		return c, fmt.Errorf("vessels %d: want 1 to 1,000,000", c.Vessels)
	case c.Window != FixedWindow && c.Window != MovingWindow:
		return c, fmt.Errorf("window %d: want FixedWindow or MovingWindow", c.Window)
	case c.Envelope < EnvelopeMixed || c.Envelope > EnvelopeFlat:
		return c, fmt.Errorf("envelope %d: want EnvelopeMixed, EnvelopeDetail or EnvelopeFlat", c.Envelope)
	case !(c.Dirt <= 10): // also not a number
		return c, fmt.Errorf("dirt %v: want at most 10", c.Dirt)
	case c.CacheMiB < 0:
		return c, fmt.Errorf("cache %d MiB: want 0 or more", c.CacheMiB)
	}
	for name, limit := range c.Limits {
		if _, ok := extract.OperationNamed(name); !ok {
			return c, fmt.Errorf("limit of %q: no such operation", name)
		}
		if limit == 0 {
			return c, fmt.Errorf("limit of %q is 0: want 1 or more, or negative for none", name)
		}
	}
	c.Vessels = orDefault(c.Vessels, 1000)
	c.Key = orDefault(c.Key, "simulated")
	c.Credits = max(orDefault(c.Credits, 1_000_000), 0)
	c.CacheMiB = orDefault(c.CacheMiB, 64)
	c.Dirt = max(orDefault(c.Dirt, 1), 0)
	if c.Start.IsZero() {
		c.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	year, month, day := c.Start.Date()
	c.Start = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return c, c.Rates.complete()
}

// complete checks the rates and fills in the defaults.
func (r *Rates) complete() error {
	defaults := defaultRates.fields()
	for i, rate := range r.fields() {
		if !(*rate <= 0.5) {
			return fmt.Errorf("rate %v a day: want at most 0.5", *rate)
		}
		*rate = max(orDefault(*rate, *defaults[i]), 0)
	}
	if !(r.SoldShows <= 1) {
		return fmt.Errorf("%v of the sales show: want at most 1", r.SoldShows)
	}
	r.SoldShows = max(orDefault(r.SoldShows, defaultRates.SoldShows), 0)
	return nil
}

// limit is what the service allows of an operation per minute; negative is no limit.
func (c Config) limit(o extract.Operation) int {
	if n, ok := c.Limits[o.Name]; ok {
		return n
	}
	return o.PerMinute
}

// orDefault is the value, or the default where the value is zero.
func orDefault[T comparable](value, standard T) T {
	var zero T
	if value == zero {
		return standard
	}
	return value
}
