package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestALimiterSpacesTheBytesOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter{perSecond: 1000}
		start := time.Now()
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() {
				for range 5 {
					must(t, l.wait(t.Context(), 100))
				}
			})
		}
		wait.Wait()
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("5,000 bytes at 1,000 a second took %v", got)
		}
		time.Sleep(time.Hour) // of the bubble: nobody waits; an idle hour saves nothing up
		start = time.Now()
		must(t, l.wait(t.Context(), 3000))
		if got := time.Since(start); got != 3*time.Second {
			t.Errorf("3,000 bytes after an idle hour took %v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.wait(ctx, 1_000_000); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 4*time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		none := limiter{}
		must(t, none.wait(t.Context(), 1<<40))
	})
}

func TestWhatIsSentAgainCountsOnce(t *testing.T) {
	var sent atomic.Int64
	c := &content{meter: &meter{sent: func(n int64) {
		if sent.Add(n); n <= 0 {
			t.Errorf("counted %d bytes", n)
		}
	}}, file: strings.NewReader("0123456789"), offset: 2, size: 8}
	want := int64(0)
	for n, reads := range []int64{0, 1, 2, 5, 3, 8, 8} {
		want = max(want, reads)
		r := c.reader(t.Context(), nil)
		_, err := io.CopyBuffer(io.Discard, onlyReader{io.LimitReader(r, reads)}, make([]byte, 2))
		must(t, err)
		if sent.Load() != want {
			t.Errorf("attempt %d: %d bytes counted, want %d", n, sent.Load(), want)
		}
		for _, whence := range []int{io.SeekEnd, io.SeekStart} { // the client measures, and begins again
			_, err := r.Seek(0, whence)
			must(t, err)
		}
		if sent.Load() != want {
			t.Errorf("attempt %d: measuring counted", n)
		}
	}
	c.skip()
	if sent.Load() != 8 {
		t.Errorf("%d bytes counted", sent.Load())
	}
}

func TestDelaysGrowAndEnd(t *testing.T) {
	r := defaultRetries(Options{})
	var least, most time.Duration
	for n := 1; n < r.attempts; n++ {
		whole := min(r.first<<(n-1), r.most)
		for range 100 {
			if d := r.delay(n, 0); d < whole/2 || d > whole {
				t.Errorf("delay %d is %v, want half of %v to the whole", n, d, whole)
			}
		}
		least, most = least+whole/2, most+whole
	}
	if least < 25*time.Second || most > 70*time.Second {
		t.Errorf("a request is tried for %v to %v", least, most)
	}
	if d := r.delay(1, 3*time.Second); d != 3*time.Second {
		t.Errorf("the store asks for 3 s and gets %v", d)
	}
	if d := r.delay(1, time.Hour); d != r.most {
		t.Errorf("the store asks for an hour and gets %v", d)
	}
}

func TestRetriesEndByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var warned []string
		r := defaultRetries(Options{Warn: func(s string) { warned = append(warned, s) }})
		start, tries := time.Now(), 0
		err := r.do(t.Context(), "put a", func(context.Context) error { tries++; return &fault{status: 503, code: "SlowDown", passes: true} })
		if took := time.Since(start); tries != r.attempts || took > 70*time.Second || !strings.Contains(fmt.Sprint(err), "tried 10 times") || len(warned) != r.attempts-quiet || !strings.HasPrefix(warned[0], "put a: 503 SlowDown") {
			t.Errorf("%d attempts in %v, %d warnings: %v", tries, took, len(warned), err)
		}
		tries = 0
		must(t, r.do(t.Context(), "put a", func(context.Context) error {
			if tries++; tries < r.attempts {
				return &fault{status: 500, passes: true}
			}
			return nil
		}))
		for _, final := range []error{&fault{status: 403}, &sourceError{io.ErrUnexpectedEOF}, errors.New("nobody knows")} {
			tries = 0
			if err := r.do(t.Context(), "put a", func(context.Context) error { tries++; return final }); !errors.Is(err, final) || tries != 1 {
				t.Errorf("%d attempts, %v", tries, err)
			}
		}
	})
}

func TestAWatchEndsWhatDoesNotMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, w := newWatch(t.Context(), time.Minute)
		defer w.stop()
		for range 10 {
			time.Sleep(59 * time.Second) // of the bubble
			w.restart()
		}
		w.pause()
		time.Sleep(time.Hour) // of the bubble
		if ctx.Err() != nil {
			t.Fatalf("ended while it moved: %v", context.Cause(ctx))
		}
		w.restart()
		time.Sleep(time.Minute) // of the bubble
		synctest.Wait()
		if context.Cause(ctx) != errStalled {
			t.Errorf("got %v", context.Cause(ctx))
		}
	})
}

func TestPartsSuffice(t *testing.T) {
	for total, want := range map[int64]int64{
		wholeBytes + 1: wholeBytes, mostParts * wholeBytes: wholeBytes, mostParts*wholeBytes + 1: wholeBytes + 1<<20, 5 << 40: 525 << 20,
	} {
		got := partBytes(total, wholeBytes)
		if parts := (total + got - 1) / got; got != want || parts > mostParts {
			t.Errorf("%d bytes: parts of %d, want %d; %d parts", total, got, want, parts)
		}
	}
}
