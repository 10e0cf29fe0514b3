package vessel

import "testing"

// TestFactsAreForPeople, and texts stay as they came.
func TestFactsAreForPeople(t *testing.T) {
	for want, value := range map[string]any{
		"303,247": 303247.0, "2026": 2026.0, "0.5": 0.5, "2026-11-21 11:45": "2026-11-21 11:45:00+00", "303247": "303247",
		"2026-11-21": "2026-11-21", "DALIAN, CHINA": "DALIAN, CHINA", "true": true,
	} {
		if got := factText(value); got != want {
			t.Errorf("%v is %q, want %q", value, got, want)
		}
	}
}
