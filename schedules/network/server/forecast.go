package server

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/forecast"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse"
)

// forecasts computes the forecasts of the page, one at a time, and keeps each until another file is
// published.
type forecasts struct {
	config  Config
	ctx     context.Context // ends with the page
	cancel  context.CancelFunc
	turn    chan struct{} // one computes
	working sync.WaitGroup

	mu      sync.Mutex
	entries map[string]*forecastEntry // by job
}

// forecastEntry is the forecast of a job; nil and no error while it is being computed.
type forecastEntry struct {
	file   os.FileInfo // the published file that it was computed from; nil if nothing was published
	made   time.Time
	result *page.Forecast
	err    error
}

// forecastAgain is how long an error stays.
const forecastAgain = time.Minute

func newForecasts(c Config) *forecasts {
	ctx, cancel := context.WithCancel(context.Background())
	return &forecasts{config: c, ctx: ctx, cancel: cancel, turn: make(chan struct{}, 1), entries: map[string]*forecastEntry{}}
}

// stop ends the computation under way, and waits for it.
func (f *forecasts) stop() {
	f.cancel()
	f.working.Wait()
}

// of returns the forecast of a job from the published file. While it is computed, it returns the one of
// the file before, or nil.
func (f *forecasts) of(job string) (*page.Forecast, error) {
	file, err := os.Stat(warehouse.Path(f.config.Dir))
	if err != nil {
		file = nil // nothing is published, or reading it says what is wrong
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.entries[job]
	if e != nil && samePublished(e.file, file) && (e.err == nil || time.Since(e.made) < forecastAgain) {
		return e.result, e.err
	}
	next := &forecastEntry{file: file, made: time.Now()}
	if e != nil {
		next.result = e.result
	}
	f.entries[job] = next
	f.working.Go(func() {
		select {
		case f.turn <- struct{}{}:
			defer func() { <-f.turn }()
		case <-f.ctx.Done():
			return
		}
		result, err := f.compute(job)
		f.mu.Lock()
		defer f.mu.Unlock()
		next.result, next.err = result, err
	})
	return next.result, nil
}

func samePublished(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// pageNights is how many nights the page looks ahead.
const pageNights = 90

// compute makes the forecast of a job, and keeps it for comparison.
func (f *forecasts) compute(name string) (*page.Forecast, error) {
	job, err := f.config.job(name)
	if err != nil {
		return nil, err
	}
	p := &pipeline.Pipeline{Dir: f.config.Dir}
	state, err := p.ForecastState(f.ctx, job)
	if err != nil {
		return nil, err
	}
	base, err := f.config.Scenario(name, state, pageNights, time.Now())
	if err != nil {
		return nil, err
	}
	curve, configured, err := forecast.Draw(f.ctx, state, base)
	if err != nil {
		return nil, err
	}
	result := &page.Forecast{Made: state.Now, Known: state.Run != "", Curve: curve, Configured: configured, Priors: state.Priors}
	if state.Run == "" {
		return result, nil
	}
	records, _, err := pipeline.ReadForecasts(f.config.Dir)
	if err != nil {
		return nil, err
	}
	result.Scores = forecast.Scores(state, base, configured.Nights[0], records)
	return result, errors.Join(f.ctx.Err(), pipeline.KeepForecast(f.config.Dir, forecast.Keep(state, base, configured)))
}
