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

// TestAPriceIsMadeOnceForEverybody, and again for another published file, when it is old, and after an error. A slow one
// is waited for as long as the page may, and is there for those who come later.
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
		fails = os.ErrPermission
		price(3, os.ErrPermission)
		fails, takes = nil, stateTimeout+time.Second
		price(4, context.DeadlineExceeded)
		synctest.Wait()
		time.Sleep(takes)
		price(4, nil)
	})
}
