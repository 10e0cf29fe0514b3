package extract

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/api"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"90":                            90 * time.Second,
		"0":                             0,
		"-90":                           0,
		"31536000":                      time.Hour, // a year
		"9999999999":                    time.Hour, // more nanoseconds than a duration can have
		"99999999999999999999":          0,
		"soon":                          0,
		"1.5":                           0,
		"Fri, 20 Nov 2026 02:05:00 GMT": 5 * time.Minute,
		"Fri, 20 Nov 2026 01:00:00 GMT": 0,
		"Sat, 20 Nov 2027 02:00:00 GMT": time.Hour,
		"Fri, 31 Dec 9999 23:59:59 GMT": time.Hour,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("Retry-After: %s is %v, want %v", value, got, want)
		}
	}
}

// FuzzRetryAfter checks that a header never makes a wait below zero or above an hour, and that a number of
// seconds within these is kept.
func FuzzRetryAfter(f *testing.F) {
	f.Add("90")
	f.Add("9223372037")
	f.Add("Fri, 20 Nov 2026 02:05:00 GMT")
	now := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		got := retryAfter(value, now)
		if got < 0 || got > time.Hour {
			t.Errorf("Retry-After: %q is %v", value, got)
		}
		if n, err := strconv.ParseUint(value, 10, 11); err == nil && got != time.Duration(n)*time.Second {
			t.Errorf("Retry-After: %q is %v", value, got)
		}
		if at, err := http.ParseTime(value); err == nil && at.After(now) && got == 0 {
			t.Errorf("Retry-After: %q is no wait", value)
		}
	})
}

// FuzzAccepted checks that the lists of a refusal are within their bounds, or refused.
func FuzzAccepted(f *testing.F) {
	f.Add([]byte(`{"detail":[{"field":"type_specific","allowed_values":["Bulk Carrier"]},{"field":"country","allowed_values":["Malta"]}]}`))
	f.Add([]byte(`{"detail":"no"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		lists, err := api.ParseAccepted(string(body))
		if err != nil {
			return
		}
		for _, list := range [][]string{lists.Types, lists.Countries} {
			if len(list) == 0 || len(list) > api.MostAccepted {
				t.Errorf("%q has a list of %d values", body, len(list))
			}
			for _, v := range list {
				if len(v) > api.LongestAccepted {
					t.Errorf("%q has a value of %d bytes", body, len(v))
				}
			}
		}
	})
}
