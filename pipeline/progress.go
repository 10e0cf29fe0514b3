package pipeline

import (
	"sync"
	"time"
)

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

// watch reports progress while the lanes work.
func (p *Pipeline) watch(h *harvest, work func()) {
	started := p.Now()
	report := func() {
		pr := Progress{At: p.Now(), Phase: "harvest", Lanes: h.progress(started, p.Now()), Cap: h.work.recorded.Budget}
		for _, l := range pr.Lanes {
			pr.Credits += l.Credits
		}
		p.Progress(pr)
	}
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		tick := time.NewTicker(250 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				report()
			}
		}
	})
	defer ticking.Wait()
	defer close(done)
	work()
	report()
}

// progress returns how far each lane is that has requests.
func (h *harvest) progress(started, now time.Time) []LaneProgress {
	var lanes []LaneProgress
	for _, l := range h.lanes {
		o, q, s := l.operation, l.queue, h.client.Stats(l.operation)
		if q.left()+s.Requests == 0 {
			continue
		}
		p := LaneProgress{Operation: o.Name, Done: s.Requests, Left: q.left(), Credits: s.Credits}
		if elapsed := now.Sub(started); elapsed > 0 {
			p.PerMinute = float64(s.Requests) / elapsed.Minutes()
		}
		p.Away, p.Why = h.client.Away(o)
		p.Remaining = time.Duration(p.Left) * time.Minute / time.Duration(h.client.Lane(o).PerMinute())
		lanes = append(lanes, p)
	}
	return lanes
}
