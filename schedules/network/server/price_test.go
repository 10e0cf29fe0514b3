package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/schedules/network"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestAPriceIsMadeOnceForEverybody, and again for another published file, and when it is old, for which nobody waits. A
// slow first one is waited for as long as the page may, and is there for those who come later, as one is after an error.
func TestAPriceIsMadeOnceForEverybody(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		asked, takes := 0, time.Duration(0)
		var fails error
		n := &Server{config: Config{Dir: dir}, prices: map[string]pricedRun{}, ask: func(_ context.Context, q network.Request, value any) error {
			asked++
			time.Sleep(takes)
			*value.(**pipeline.Preview) = &pipeline.Preview{Job: q.Job, Credits: journal.Price{Expected: asked}}
			return fails
		}}
		price := func(want int, failure error) {
			t.Helper()
			p, err := n.price(t.Context(), "nightly")
			if !errors.Is(err, failure) || err == nil && p.Credits.Expected != want {
				t.Errorf("%+v, %v, want the answer %d and %v", p, err, want, failure)
			}
		}
		price(1, nil)
		price(1, nil)
		path := warehouse.Path(dir)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("a night"), 0o600)); err != nil {
			t.Fatal(err)
		}
		price(2, nil)
		time.Sleep(priceKept)
		price(2, nil)
		synctest.Wait()
		price(3, nil)
		if err := os.WriteFile(path, []byte("another night"), 0o600); err != nil {
			t.Fatal(err)
		}
		fails = os.ErrPermission
		price(4, os.ErrPermission)
		fails, takes = nil, stateTimeout+time.Second
		price(5, context.DeadlineExceeded)
		time.Sleep(takes)
		synctest.Wait()
		price(5, nil)
	})
}
