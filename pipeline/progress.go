package pipeline

import (
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
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
	Done      int     // requests that have ended, and those that an earlier run of the night has the answers to
	Left      int     // requests that are known so far and paid for: a listing grows when its totals become known
	PerMinute float64 // requests that were sent within the last minute, retries included
	Credits   int
	Remaining time.Duration // at the lane's limit, and no longer than the deadline
	Away      time.Time     // since when the service has not answered; zero while it answers
	Why       string        // the error of the service or of the connection meanwhile
}

// watch reports progress while the lanes work.
func (p *Pipeline) watch(h *harvest, work func()) {
	rates := map[api.Operation]*rate{}
	report := func() {
		now := p.Now()
		pr := Progress{At: now, Phase: "harvest", Lanes: h.progress(now, rates), Cap: h.work.recorded.Budget}
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
	stop := sync.OnceFunc(func() {
		close(done)
		ticking.Wait()
	})
	defer stop()
	work()
	stop()
	report()
}

// progress returns how far each lane is that has requests. What is left is what will still be bought: not the lookups
// that the credits cannot pay.
func (h *harvest) progress(now time.Time, rates map[api.Operation]*rate) []LaneProgress {
	var lanes []LaneProgress
	for _, l := range h.lanes {
		o, s := l.operation, h.client.Stats(l.operation)
		if rates[o] == nil {
			rates[o] = &rate{}
		}
		done, underWay := h.requests.done(o)
		p := LaneProgress{Operation: o.Name, Done: done, Left: l.queue.left(), Credits: s.Credits,
			PerMinute: rates[o].add(now, s.Requests)}
		if o.IsLookup() {
			p.Left = h.spending.affords(o).Cut(p.Left)
		}
		if p.Left += underWay; p.Done+p.Left == 0 {
			continue
		}
		p.Away, p.Why = h.client.Away(o)
		p.Remaining = time.Duration(p.Left) * time.Minute / time.Duration(h.client.Lane(o).PerMinute())
		if deadline := h.work.job.Deadline; deadline > 0 {
			p.Remaining = min(p.Remaining, max(0, deadline-now.Sub(h.work.started)))
		}
		lanes = append(lanes, p)
	}
	return lanes
}

// rate counts the requests of a lane within the last minute, which its limit bounds.
type rate struct{ samples []sample }

// sample is how many requests a lane had sent at a time.
type sample struct {
	at   time.Time
	sent int
}

// add takes in how many requests were sent up to now, and returns those of the last minute.
func (r *rate) add(now time.Time, sent int) float64 {
	if len(r.samples) == 0 {
		r.samples = append(r.samples, sample{now.Add(-time.Second), 0}) // before the first request
	}
	r.samples = append(r.samples, sample{now, sent})
	for now.Sub(r.samples[0].at) >= time.Minute {
		r.samples = r.samples[1:]
	}
	return float64(sent - r.samples[0].sent)
}
