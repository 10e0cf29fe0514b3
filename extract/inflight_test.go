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

// TestTheBrakeKeepsWhatArrives has answers on their way that come a moment after the brake is
// pulled, and some that would come in an hour.
func TestTheBrakeKeepsWhatArrives(t *testing.T) {
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
		brake := &InFlight{}
		client.service.InFlight = brake
		client.service.Timeout = 2 * time.Hour
		s := client.service
		s.Dial = network.Dial
		client.http = newHTTP(s)

		ctx, stop := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		for _, page := range []int{1, 2} {
			for _, country := range []string{"Panama", "Malta", "China"} {
				sending.Go(func() { client.Do(ctx, api.Page("", country, page)) })
			}
		}
		synctest.Wait()
		time.Sleep(60 * time.Millisecond) // the lane spaces them; by the clock of the bubble
		stop()
		start := time.Now()
		if !brake.Drain(3 * time.Second) {
			t.Error("the brake did not work in time")
		}
		if took := time.Since(start); took != readingTime {
			t.Errorf("the brake took %v, want %v", took, readingTime)
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
		if _, err := client.Do(t.Context(), api.Page("", "Greece", 1)); !errors.Is(err, context.Canceled) || client.Stats(api.ByType).Requests != 6 {
			t.Errorf("a request after the brake: %v, %d were sent", err, client.Stats(api.ByType).Requests)
		}
		if !brake.Drain(0) {
			t.Error("the second time finds something in the air")
		}
	})
}

// TestTheBrakeDoesNotWaitForEver has an answer that the disk does not take.
func TestTheBrakeDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b InFlight
		aloft, land, err := b.begin(t.Context(), grace)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if b.Drain(3*time.Second) || time.Since(start) != 3*time.Second || aloft.Err() == nil {
			t.Errorf("the brake is done after %v, and the request is told %v", time.Since(start), aloft.Err())
		}
		land()
		if !b.Drain(time.Second) {
			t.Error("what has landed is still in the air")
		}
	})
}

func TestWithoutABrakeOnlyTheAnswerEndsARequest(t *testing.T) {
	for what, b := range map[string]*InFlight{"none": nil, "one": {}} {
		ctx, cancel := context.WithCancel(t.Context())
		aloft, land, err := b.begin(ctx, grace)
		cancel()
		if err != nil || aloft.Err() != nil {
			t.Errorf("%s: a shutdown ends a request in the air: %v, %v", what, err, aloft.Err())
		}
		land()
	}
}
