package extract

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/extract/simulator/memory"
)

// TestDrainKeepsAnswersThatArrive has answers that arrive a moment after Drain is called, and some
// that would arrive in an hour.
func TestDrainKeepsAnswersThatArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := memory.New()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wait := map[string]time.Duration{"1": 100 * time.Millisecond, "2": time.Hour}[r.FormValue("page")]
			select {
			case <-time.After(wait):
				w.Write([]byte(`{"total":1,"items":[{"imo":"9218301"}],"limit":100,"page":1}`))
			case <-r.Context().Done():
			}
		})}
		go server.Serve(network)
		defer server.Close()
		client, segment := connect(t, "http://127.0.0.1", 1000)
		inFlight := &InFlight{}
		client.service.InFlight = inFlight
		client.service.Timeout = 2 * time.Hour
		s := client.service
		s.Dial = network.Dial
		client.transport = newTransport(s)

		ctx, stop := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		for _, page := range []int{1, 2} {
			for _, country := range []string{"Panama", "Malta", "China"} {
				sending.Go(func() { client.do(ctx, api.Page("", country, page)) })
			}
		}
		synctest.Wait()
		time.Sleep(60 * time.Millisecond) // the lane spaces them; by the clock of the bubble
		stop()
		start := time.Now()
		if !inFlight.Drain(3 * time.Second) {
			t.Error("requests are in flight after the time that Drain was given")
		}
		if took := time.Since(start); took != readingTime {
			t.Errorf("draining took %v, want %v", took, readingTime)
		}
		got := map[string]int{}
		for e, err := range journal.Read(segment.Path()) {
			if err != nil {
				t.Fatal(err)
			}
			got[string(e.Kind)+" "+e.Outcome+" "+string(e.Charge)]++
		}
		want := map[string]int{"plan  ": 1, "intent  ": 6, "answer ok priced": 3, "answer network unknown": 3}
		for what, n := range want {
			if got[what] != n || len(got) != len(want) {
				t.Errorf("the journal has %v, want %v", got, want)
				break
			}
		}
		sending.Wait()
		if _, err := client.do(t.Context(), api.Page("", "Greece", 1)); !errors.Is(err, context.Canceled) || client.Stats(api.ByType).Requests != 6 {
			t.Errorf("a request after Drain: %v, %d were sent", err, client.Stats(api.ByType).Requests)
		}
		if !inFlight.Drain(0) {
			t.Error("a second Drain finds a request in flight")
		}
	})
}

// TestDrainEndsAfterItsTime has an answer that the disk never takes.
func TestDrainEndsAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b InFlight
		sending, end, err := b.begin(t.Context(), shutdownGrace)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if b.Drain(3*time.Second) || time.Since(start) != 3*time.Second || sending.Err() == nil {
			t.Errorf("Drain returned after %v, and the request ended with %v", time.Since(start), sending.Err())
		}
		end()
		if !b.Drain(time.Second) {
			t.Error("a request is in flight after its end")
		}
	})
}

func TestWithoutDrainOnlyTheAnswerEndsARequest(t *testing.T) {
	for what, b := range map[string]*InFlight{"none": nil, "one": {}} {
		ctx, cancel := context.WithCancel(t.Context())
		sending, end, err := b.begin(ctx, shutdownGrace)
		cancel()
		if err != nil || sending.Err() != nil {
			t.Errorf("%s: a shutdown ends a request in flight: %v, %v", what, err, sending.Err())
		}
		end()
	}
}
