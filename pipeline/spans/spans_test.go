package spans

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
)

func TestClassShowsNoPath(t *testing.T) {
	for want, err := range map[string]error{
		"unauthorized":      &extract.Error{Outcome: extract.OutcomeUnauthorized, Message: "planted"},
		"cancelled":         context.Canceled,
		"too many issues":   load.ErrIssues,
		"damaged journal":   journal.ErrDamaged,
		"damaged warehouse": warehouse.ErrDamaged,
		"permission denied": &os.PathError{Op: "open", Path: "/planted", Err: syscall.EACCES},
		"unexpected":        errors.New("open /planted: broken"),
	} {
		if got := Class(fmt.Errorf("derive /planted: %w", err)); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
