package pipeline

import "time"

// Progress is how far a run is.
type Progress struct {
	Run     string // its id; none of a rebuild
	At      time.Time
	Phase   string // harvest, derive, publish
	Lanes   []LaneProgress
	Credits int // spent so far, unknown outcomes included
	Cap     int // 0 is no cap
}

// LaneProgress is how far one operation is.
type LaneProgress struct {
	Operation string
	Done      int
	Left      int // known so far: listings grow when their totals are told
	PerMinute float64
	Credits   int
	Remaining time.Duration // at the lane's limit
	Away      time.Time     // since when the service gives no answer; zero while it does
	Why       string        // what it says instead, or the connection does
}
