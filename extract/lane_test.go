package extract

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

func TestLaneSpacesRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := newLane(15)
		start := time.Now()
		for range 16 {
			lane.Done(take(t, lane), time.Now())
		}
		// The sixteenth waits for the slot of the first, a window after its answer.
		if got, want := time.Since(start), window; got != want {
			t.Errorf("16 requests took %v, want %v", got, want)
		}
	})
}

func take(t *testing.T, l *Lane) Ticket {
	t.Helper()
	ticket, err := l.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// TestLaneKeepsItsRate takes answers of up to five seconds and looks at how much of the
// allowed rate is used: all but the second and the thousandth of caution.
func TestLaneKeepsItsRate(t *testing.T) {
	for _, limit := range []int{15, 50} {
		for _, slowest := range []time.Duration{100 * time.Millisecond, time.Second, 5 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				lane, random, start := newLane(limit), rand.New(rand.NewPCG(7, uint64(limit))), time.Now()
				minutes := 20
				for range minutes * limit {
					ticket, latency := take(t, lane), time.Duration(random.Int64N(int64(slowest)))
					time.AfterFunc(latency, func() { lane.Done(ticket, time.Now()) })
				}
				if share := float64(minutes) / time.Since(start).Minutes(); share < 0.98 {
					t.Errorf("%d a minute, answers of up to %v: %.1f %% of the allowed rate", limit, slowest, 100*share)
				}
			})
		}
	}
}

// TestALimitedLaneCountsFromAnswersOnly has a service that counts each request when it answers.
func TestALimitedLaneCountsFromAnswersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := newLane(2)
		lane.Limited(time.Now(), 0) // one slot is left
		time.Sleep(time.Minute)
		ticket := take(t, lane)
		time.AfterFunc(30*time.Second, func() { lane.Done(ticket, time.Now()) })
		start := time.Now()
		take(t, lane)
		if got, want := time.Since(start), 30*time.Second+window; got != want {
			t.Errorf("waited %v, want %v", got, want)
		}
	})
}

// TestLaneKeepsEveryMinute counts requests where the service may count them, anywhere
// between sending and answer, and looks at every moving minute.
func TestLaneKeepsEveryMinute(t *testing.T) {
	for _, limit := range []int{1, 2, 15, 50} {
		synctest.Test(t, func(t *testing.T) {
			lane, random := newLane(limit), rand.New(rand.NewPCG(1, uint64(limit)))
			var counted []time.Time
			answers := make(chan struct{}, 1000)
			for range 6 * limit {
				ticket := take(t, lane)
				latency := time.Duration(random.Int64N(int64(5 * time.Second)))
				counted = append(counted, time.Now().Add(time.Duration(random.Int64N(int64(min(latency, countedWithin))+1))))
				go func() {
					time.Sleep(latency)
					lane.Done(ticket, time.Now())
					answers <- struct{}{}
				}()
			}
			for range 6 * limit {
				<-answers
			}
			for i := range counted {
				n := 0
				for _, at := range counted {
					if d := at.Sub(counted[i]); d >= 0 && d < time.Minute {
						n++
					}
				}
				if n > limit {
					t.Fatalf("limit %d: %d requests in the minute after %v", limit, n, counted[i])
				}
			}
		})
	}
}

func TestLaneRestsAfterALimitedAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := newLane(4)
		next := func() time.Duration {
			start := time.Now()
			lane.Done(take(t, lane), time.Now())
			return time.Since(start)
		}
		next()
		lane.Limited(time.Now(), 90*time.Second)
		if got, want := next(), 90*time.Second; got != want {
			t.Errorf("after Retry-After: waited %v, want %v", got, want)
		}
		if got := lane.PerMinute(); got != 3 {
			t.Errorf("after one 429: %d slots, want 3", got)
		}
		for start := time.Now(); time.Since(start) < recoverAfter+time.Minute; {
			next()
		}
		if got := lane.PerMinute(); got != 4 {
			t.Errorf("after ten clean minutes: %d slots, want 4", got)
		}
	})
}

func TestLaneInheritsWhatAnEarlierProcessSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := newLane(2)
		before := time.Now()
		lane.Inherit(before.Add(-20*time.Second), before.Add(-19*time.Second))
		lane.Inherit(before.Add(-10*time.Second), before.Add(-9*time.Second))
		take(t, lane)
		if got, want := time.Since(before), window-19*time.Second; got != want {
			t.Errorf("waited %v, want %v", got, want)
		}
	})
}

// TestAClockThatWasSetBackStopsNoLane inherits requests that an earlier process dated a month ahead.
func TestAClockThatWasSetBackStopsNoLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := newLane(2)
		before := time.Now()
		for i := range 20 {
			ahead := before.AddDate(0, 1, 0).Add(time.Duration(i) * time.Second)
			lane.Inherit(ahead, ahead.Add(time.Second))
		}
		take(t, lane)
		if got := time.Since(before); got != window {
			t.Errorf("waited %v, want %v", got, window)
		}
	})
}

func TestLaneWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lane := newLane(1)
		ticket := take(t, lane)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the slot is in flight
		defer cancel()
		if _, err := lane.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		lane.Done(ticket, time.Now())
		if _, err := lane.Wait(t.Context()); err != nil {
			t.Errorf("the wait that gave up took a slot: %v", err)
		}
	})
}
