package simulator

import (
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

// BasePath is the path under which the API is served. The base URL of a client ends in it.
const BasePath = "/api/vessels_operations"

// Window is how the service counts requests against a limit per minute.
type Window int

// These are the two ways in which services count.
const (
	FixedWindow  Window = iota // from zero at each full minute of the clock
	MovingWindow               // over the 60 seconds before each request
)

// Envelope is where the answer of a lookup has its members.
type Envelope int

// These are the envelopes that have been seen.
const (
	EnvelopeMixed  Envelope = iota // one or the other, by vessel
	EnvelopeDetail                 // in an object named detail
	EnvelopeFlat                   // in the root
)

// Config is the description of a simulator. Each zero field means its default.
type Config struct {
	Seed    uint64
	Vessels int       // listed on day 0, roughly; 0 is 1,000, at most 1,000,000
	Start   time.Time // the civil date of day 0, in UTC; zero is 2026-01-01

	Key     string // empty is "simulated"
	Credits int    // opening balance; 0 is 1,000,000, negative is none

	Limits     map[string]int // requests per minute by operation name; absent is the documented limit, negative is none
	Window     Window
	RetryAfter bool // a 429 says when the window opens

	// Dirt is a factor on every share of dirty values, at most 10. 0 is the default, 1. Negative is
	// a clean fleet, which keeps only the formats ("176 m") and "0" for a vessel without an IMO.
	Dirt        float64
	Envelope    Envelope
	BalanceText bool // the balance is a sentence, as in one document of the service
	Vague       bool // too few credits and a blocked endpoint get the same message

	Rates     Rates
	Anomalies Anomalies

	CacheMiB int  // size of the cache for answers of searches; 0 is 64
	KeepLog  bool // keep every request, for Log
}

// Rates is how much of the fleet changes per day, each as a share of the vessels. 0 is the
// default, a negative rate is never.
type Rates struct {
	Built      float64 // new vessels; 0.0002
	Scrapped   float64 // removed for ever; 0.0002
	Unlisted   float64 // missing from the searches for 1 to 10 days; 0.0005
	Renamed    float64 // new name; 0.0005
	Reflagged  float64 // new country, MMSI and call sign; 0.0004
	Identified float64 // IMO becomes known, as a share of the vessels whose IMO the service lacks; 0.03
	Corrected  float64 // a value of the particulars changes; 0.002
	Sold       float64 // new owner and manager; 0.0008
	Moved      float64 // begin a voyage: new zone, destination and status; 0.1, at most 0.5

	// SoldShows is a share of the sales, not of the vessels: the sales that change the list because
	// they rename the vessel, reflag it, or do both on the same day; 0.6, at most 1.
	SoldShows float64
}

// defaultRates are the rates of a zero Config.
var defaultRates = Rates{0.0002, 0.0002, 0.0005, 0.0005, 0.0004, 0.03, 0.002, 0.0008, 0.1, 0.6}

// fields returns the rates that are per day.
func (r *Rates) fields() []*float64 {
	return []*float64{&r.Built, &r.Scrapped, &r.Unlisted, &r.Renamed, &r.Reflagged, &r.Identified, &r.Corrected, &r.Sold, &r.Moved}
}

// complete returns the configuration with its defaults, or an error that names the field that
// is not valid.
func (c Config) complete() (Config, error) {
	switch {
	case c.Vessels < 0 || c.Vessels > 1_000_000:
		return c, fmt.Errorf("vessels %d: want 1 to 1,000,000", c.Vessels)
	case c.Window != FixedWindow && c.Window != MovingWindow:
		return c, fmt.Errorf("window %d: want FixedWindow or MovingWindow", c.Window)
	case c.Envelope < EnvelopeMixed || c.Envelope > EnvelopeFlat:
		return c, fmt.Errorf("envelope %d: want EnvelopeMixed, EnvelopeDetail or EnvelopeFlat", c.Envelope)
	case !(c.Dirt <= 10): // NaN fails this comparison too
		return c, fmt.Errorf("dirt %v: want at most 10", c.Dirt)
	case c.CacheMiB < 0:
		return c, fmt.Errorf("cache %d MiB: want 0 or more", c.CacheMiB)
	}
	for name, limit := range c.Limits {
		if !isOperation(name) {
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
	if err := c.Anomalies.check(); err != nil {
		return c, err
	}
	return c, c.Rates.complete()
}

// complete fills in the default rates, or returns an error if a rate is out of range.
func (r *Rates) complete() error {
	defaults := defaultRates.fields()
	for i, rate := range r.fields() {
		if !(*rate <= 0.5) {
			return fmt.Errorf("rate %v a day: want at most 0.5", *rate)
		}
		*rate = max(orDefault(*rate, *defaults[i]), 0)
	}
	if !(r.SoldShows <= 1) {
		return fmt.Errorf("%v of the sales change the list: want at most 1", r.SoldShows)
	}
	r.SoldShows = max(orDefault(r.SoldShows, defaultRates.SoldShows), 0)
	return nil
}

// limit returns how many requests per minute the service allows for an operation; negative is
// no limit.
func (c Config) limit(o api.Operation) int {
	if n, ok := c.Limits[o.Name]; ok {
		return n
	}
	return o.PerMinute
}

// orDefault returns the value, or the default where the value is zero.
func orDefault[T comparable](value, defaultValue T) T {
	var zero T
	if value == zero {
		return defaultValue
	}
	return value
}
