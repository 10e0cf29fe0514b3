package derive

import (
	"errors"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// TestVerifyWithoutRoom verifies with too little memory to read the file, to check its rules, and to compare
// its rows: that is no damage. No other test runs beside it, because the limit is that of the process.
func TestVerifyWithoutRoom(t *testing.T) {
	d := copyOfTwoNights(t)
	defer warehouse.SetLimits(0, 0)
	for _, memoryMiB := range []int{1, 2, 3} {
		warehouse.SetLimits(memoryMiB, 1)
		checks, err := Verify(t.Context(), d.Dir)
		if !errors.Is(err, warehouse.ErrRoom) {
			t.Errorf("%d MiB: got %v, want %v", memoryMiB, err, warehouse.ErrRoom)
		}
		for _, c := range checks {
			if !c.OK {
				t.Errorf("%d MiB: %s: %q", memoryMiB, c.Name, c.Wrong)
			}
		}
	}
}
