package pipeline

import "time"

// Progress is how far a run is.
type Progress struct {
	Run     string // the run id; "" for a rebuild
	At      time.Time
	Phase   string // harvest, derive, publish; of a rebuild also load, compare, and "derive DATE"
	Lanes   []LaneProgress
	Credits int // spent so far, including requests with an unknown outcome
	Cap     int // 0 is no cap
}

// LaneProgress is how far the lane of one operation is.
type LaneProgress struct {
	Operation string
	Done      int
	Left      int // requests that are known so far: a listing grows when its totals become known
	PerMinute float64
	Credits   int
	Remaining time.Duration // at the lane's limit
	Away      time.Time     // since when the service has not answered; zero while it answers
	Why       string        // the error of the service or of the connection meanwhile
}
