package simulator

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

func TestWindows(t *testing.T) {
	type request struct {
		at   time.Duration // after a full minute
		want int
	}
	for name, c := range map[string]struct {
		window   Window
		requests []request
	}{
		"a fixed window opens at the full minute": {FixedWindow, []request{
			{50 * time.Second, 200}, {55 * time.Second, 200}, {59 * time.Second, 429}, {60 * time.Second, 200}, {61 * time.Second, 200}, {62 * time.Second, 429}, {119 * time.Second, 429}, {120 * time.Second, 200},
		}},
		"a moving window opens a minute after its oldest request": {MovingWindow, []request{
			{50 * time.Second, 200}, {55 * time.Second, 200}, {60 * time.Second, 429}, {109 * time.Second, 429}, {110 * time.Second, 200}, {111 * time.Second, 429}, {115 * time.Second, 200}, {116 * time.Second, 429},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fleet(t, Config{Window: c.window, Limits: map[string]int{"by-type": 2, "by-status": -1}})
				time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute))) // the bubble's clock
				start := time.Now()
				for _, r := range c.requests {
					time.Sleep(time.Until(start.Add(r.at)))
					if w := ask(s, api.ByType, "country=China"); w.Code != r.want {
						t.Errorf("after %v: %d, want %d", r.at, w.Code, r.want)
					}
				}
			})
		})
	}
}

func TestDocumentedLimits(t *testing.T) {
	for _, window := range []Window{FixedWindow, MovingWindow} {
		synctest.Test(t, func(t *testing.T) {
			s, err := New(Config{Window: window})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range api.Operations {
				parameters := "country=China&imo_or_mmsi=" + s.Truth(0)[0].MMSI
				if o.Method == http.MethodPost {
					parameters = `{"navigational_status":"drifting"}`
				}
				for n := range o.PerMinute + 5 {
					want := 200
					if n >= o.PerMinute {
						want = 429
					}
					if w := ask(s, o, parameters); w.Code != want {
						t.Fatalf("%s, request %d: %d, want %d", o.Name, n+1, w.Code, want)
					}
				}
				if b := s.Bill().Operations[o.Name]; b.Limited != 5 || b.Answers != o.PerMinute {
					t.Errorf("%s: %+v", o.Name, b)
				}
			}
		})
	}
}

func TestRetryAfterSaysWhenTheWindowOpens(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		want   string
	}{
		"not configured": {Config{}, ""},
		"fixed window":   {Config{RetryAfter: true}, "51"},
		"moving window":  {Config{RetryAfter: true, Window: MovingWindow}, "56"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.config.Limits = map[string]int{"by-type": 1}
				s := fleet(t, c.config)
				time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute + 5*time.Second)))
				ask(s, api.ByType, "country=China")
				time.Sleep(4*time.Second + 100*time.Millisecond)
				w := ask(s, api.ByType, "country=China")
				if got := w.Header().Get("Retry-After"); got != c.want {
					t.Errorf("Retry-After %q, want %q", got, c.want)
				}
			})
		})
	}
}
