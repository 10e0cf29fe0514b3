package extract

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// TestAnAnswerThatIsTooLargeFailsItsRequestAlone has some answers in a row that are too large: up to tooLargeInARow are
// the failures of their requests, which are sent once, and more are an outage of the service. An answer in between
// begins a new row.
func TestAnAnswerThatIsTooLargeFailsItsRequestAlone(t *testing.T) {
	large := bytes.Repeat([]byte(" "), maxOtherBody+1)
	for name, c := range map[string]struct {
		answers string // L is too large, and o is as it should be
		outage  bool
	}{
		"one":                       {"L", false},
		"as many as may be":         {"LLL", false},
		"more":                      {"LLLL", true},
		"more, with one in between": {"LLLoLLL", false},
	} {
		t.Run(name, func(t *testing.T) {
			sent, left := 0, c.answers
			inBubble(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if free(w, r) {
					return
				}
				sent++
				if left != "" && left[0] == 'o' || left == "" && !c.outage {
					io.WriteString(w, vessel)
				} else {
					w.Write(large)
				}
				left = strings.TrimPrefix(left, left[:min(1, len(left))])
			}, func(t *testing.T, client *Client, s *journal.Segment) {
				began := time.Now()
				for i, want := range c.answers {
					_, err := client.do(t.Context(), api.Lookup(api.Particulars, string(rune('1'+i))))
					var away *OutageError
					switch {
					case want == 'o' && err != nil, want == 'L' && err == nil:
						t.Fatalf("request %d: %v", i+1, err)
					case want == 'o':
					case c.outage && i == len(c.answers)-1:
						if time.Since(began) < loneWait || errors.As(err, &away) {
							t.Errorf("given up after %v: %v", time.Since(began), err)
						}
						return
					case !TooLarge(err) || Judge(err) != Skip || sent != i+1:
						t.Errorf("request %d was sent %d times in all: %v", i+1, sent, err)
					}
				}
				if since, _ := client.Away(api.Particulars); !since.IsZero() || time.Since(began) > time.Minute {
					t.Errorf("away since %v, %v", since, time.Since(began))
				}
				if e := last(t, s); c.answers == "L" && (e.Outcome != OutcomeTooLarge || e.Charge != journal.ChargeUnknown || e.Credits != 1 || len(e.Body) != maxOtherBody) {
					t.Errorf("the journal has %s, %s, %d credits, %d bytes", e.Outcome, e.Charge, e.Credits, len(e.Body))
				}
			})
		})
	}
}

// TestATooLargeBodyIsItsOwnFailureWithStatus200Alone: a refusal says by its status what it is, and the free call is asked
// again as after any failure.
func TestATooLargeBodyIsItsOwnFailureWithStatus200Alone(t *testing.T) {
	for name, c := range map[string]struct {
		request api.Request
		status  int
		want    Verdict
		bytes   int
	}{
		"a lookup":                  {api.Lookup(api.Particulars, "1"), 200, Skip, maxOtherBody + 1},
		"a lookup, just not":        {api.Lookup(api.Particulars, "1"), 200, Wait, maxOtherBody},
		"a search":                  {api.Request{Operation: api.ByType}, 200, Skip, maxOtherBody + 1},
		"a search of 502":           {api.Request{Operation: api.ByType}, 502, Wait, maxOtherBody + 1},
		"a status search":           {api.Request{Operation: api.ByStatus}, 200, Skip, maxBody + 1},
		"a status search, just not": {api.Request{Operation: api.ByStatus}, 200, Wait, maxBody},
		"the free call":             {api.Request{Operation: api.Credits}, 200, Wait, maxOtherBody + 1},
	} {
		client, _ := serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
			w.Write(bytes.Repeat([]byte(" "), c.bytes))
		})
		if _, err := client.once(t.Context(), c.request); Judge(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
