package extract

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestAVesselIsUnknownOnlyWhileOthersAreKnown looks up vessels one after the other while a gateway
// answers 404 for some minutes, to everything or to the lookups alone, and where the service really
// does not know many.
func TestAVesselIsUnknownOnlyWhileOthersAreKnown(t *testing.T) {
	const vessels = 150
	cases := map[string]struct {
		from, to time.Duration  // of the time in which everything is 404
		lookups  bool           // the lookups alone
		unknown  func(int) bool // vessels that the service really does not know
		most     int            // requests
		refused  func(int) bool // vessels that are taken for unknown
	}{
		"everything is 404 for ten minutes":    {time.Minute, 11 * time.Minute, false, none, vessels + 100, none},
		"the lookups are 404 for ten":          {time.Minute, 11 * time.Minute, true, none, vessels + 100, none},
		"for half an hour, less a minute":      {time.Minute, 30 * time.Minute, true, none, vessels + 100, none},
		"for a short while":                    {time.Minute, time.Minute + 10*time.Second, true, none, vessels + 12, none},
		"a hundred in a row are unknown":       {0, 0, false, func(n int) bool { return n >= 20 && n < 120 }, vessels + 6, func(n int) bool { return n >= 20 && n < 120 }},
		"all are unknown":                      {0, 0, false, func(int) bool { return true }, vessels, func(int) bool { return true }},
		"every third is unknown":               {0, 0, false, func(n int) bool { return n%3 == 0 }, vessels + 3, func(n int) bool { return n%3 == 0 }},
		"unknown ones, and 404 for a while":    {time.Minute, 11 * time.Minute, true, func(n int) bool { return n%3 == 0 }, vessels + 100, func(n int) bool { return n%3 == 0 }},
		"all are 404 from the first lookup on": {0, 5 * time.Minute, false, none, vessels + 100, none},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var start time.Time
			var mu sync.Mutex
			asked := 0
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				at, lookup := time.Since(start), r.URL.Path == api.Particulars.Path
				if lookup {
					asked++
				}
				n, _ := strconv.Atoi(r.FormValue("imo_or_mmsi"))
				switch {
				case at >= c.from && at < c.to && (lookup || !c.lookups), lookup && c.unknown(n):
					w.WriteHeader(404)
				case !free(w, r):
					io.WriteString(w, vessel)
				}
			}, func(t *testing.T, client *Client, _ *journal.Segment) {
				start = time.Now().Add(time.Hour)
				if _, err := client.Balance(t.Context()); err != nil {
					t.Fatal(err)
				}
				start = time.Now()
				refused := map[string]bool{}
				ask := func(r api.Request) {
					_, err := client.do(t.Context(), r)
					if refused[r.Key()] = err != nil; err != nil && Judge(err) != Skip {
						t.Fatalf("%s: %v", r.Key(), err)
					}
				}
				for n := range vessels {
					ask(api.Lookup(api.Particulars, strconv.Itoa(n)))
				}
				for again := client.LookupsToRepeat(t.Context(), api.Particulars); len(again) > 0; again = client.LookupsToRepeat(t.Context(), api.Particulars) {
					for _, r := range again {
						ask(r)
					}
				}
				var wrong []int
				for n := range vessels {
					if refused[api.Lookup(api.Particulars, strconv.Itoa(n)).Key()] != c.refused(n) {
						wrong = append(wrong, n)
					}
				}
				if len(wrong) > 0 || asked > c.most {
					t.Errorf("%v are taken for what they are not, after %d lookups of %d, at most %d", slices.Clip(wrong), asked, vessels, c.most)
				}
			})
		})
	}
}

func none(int) bool { return false }

// TestLookupsThatStayUnknownEndTheirLane has a gateway that answers 404 for good.
func TestLookupsThatStayUnknownEndTheirLane(t *testing.T) {
	asked := 0
	inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if free(w, r) {
			return
		}
		if asked++; asked > 10 {
			w.WriteHeader(404)
			return
		}
		io.WriteString(w, vessel)
	}, func(t *testing.T, client *Client, _ *journal.Segment) {
		start := time.Now()
		var err error
		for n := 0; err == nil || Judge(err) == Skip; n++ {
			_, err = client.do(t.Context(), api.Lookup(api.Particulars, strconv.Itoa(n)))
		}
		if took := time.Since(start); Judge(err) != StopLane || took > 35*time.Minute || asked > 60 {
			t.Errorf("%v after %v and %d lookups", err, took, asked)
		}
		if again := client.LookupsToRepeat(t.Context(), api.Particulars); len(again) != shortestStreak { // ten vessels are found: the fourth refusal is one too many
			t.Errorf("%d lookups to repeat, want %d", len(again), shortestStreak)
		}
	})
}
