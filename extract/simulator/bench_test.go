package simulator

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/fleetlake/fleetlake/extract/api"
)

// BenchmarkBuild builds a fleet of 200,000 vessels.
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		if _, err := New(Config{Vessels: 200_000}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPage asks for pages that are cached, and for pages that are not.
func BenchmarkPage(b *testing.B) {
	for name, cache := range map[string]int{"cached": 64, "rendered": 1} {
		b.Run(name, func(b *testing.B) {
			s, err := New(Config{Vessels: 200_000, Credits: 1 << 40, Limits: noLimits(), CacheMiB: cache})
			if err != nil {
				b.Fatal(err)
			}
			s.Warm()
			var requests []*http.Request
			for n := range 80 {
				requests = append(requests, newRequest(api.ByType, "country=Panama&page="+strconv.Itoa(n+1)))
			}
			n := 0
			for b.Loop() {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, requests[n%len(requests)])
				if n++; w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

// noLimits returns limits that lift the rate limit of every operation.
func noLimits() map[string]int {
	limits := make(map[string]int)
	for _, o := range api.Operations {
		limits[o.Name] = -1
	}
	return limits
}
