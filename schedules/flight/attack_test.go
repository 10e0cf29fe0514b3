package flight

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/warehousetest"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestAttacks sends statements that would do more than read, a fourth of each group and with FLEETLAKE_LONG all: each
// is refused, writes nothing, and the published file stays as it was.
func TestAttacks(t *testing.T) {
	f := newServer(t, nil)
	c := f.client()
	target := t.TempDir()
	secret, file := filepath.Join(target, "secret.csv"), filepath.Join(target, "written")
	if err := os.WriteFile(secret, []byte("a\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(warehouse.Path(f.dir))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, all := range warehousetest.Attacks {
		for i, text := range all {
			if i%4 > 0 && os.Getenv("FLEETLAKE_LONG") == "" {
				continue // package warehouse sends all of them to what these processes call
			}
			n++
			text = strings.NewReplacer("FILE", file, "SECRET", secret, "DATA", warehouse.Path(f.dir), "DIR", target).Replace(text)
			if got, err := c.query(t.Context(), text); status.Code(err) != codes.InvalidArgument {
				t.Errorf("%s: %q: got %q, %v", name, text, got, err)
			}
			if entries, err := os.ReadDir(target); err != nil || len(entries) != 1 {
				t.Fatalf("%q: wrote %v (%v)", text, entries, err)
			}
		}
	}
	if after, err := os.ReadFile(warehouse.Path(f.dir)); err != nil || string(after) != string(before) {
		t.Errorf("the published file changed (%v)", err)
	}
	if n < 2*len(warehousetest.Attacks) {
		t.Errorf("%d attacks of %d groups", n, len(warehousetest.Attacks))
	}
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestBombs sends each statement that would take all of a machine, several at the same time: it ends at
// a limit, in time, and the next query is answered.
func TestBombs(t *testing.T) {
	const most = 2 * time.Second
	f := newServer(t, func(w *worker.Config, _ *Config) {
		w.Limits.Time, w.Limits.SpillMiB, w.Limits.Rows, w.Limits.Bytes, w.Concurrent, w.Wait = most, 64, 1000, 1<<20, 8, time.Minute
		w.Queue = 200 // one client has a part of it
	})
	c := f.client()
	limits := []codes.Code{codes.OK, codes.ResourceExhausted, codes.DeadlineExceeded, codes.Aborted, codes.InvalidArgument}
	var group sync.WaitGroup
	for name, text := range warehousetest.Bombs {
		group.Go(func() {
			info, err := c.Execute(t.Context(), text) // which describes it, and so runs a PIVOT
			if err == nil {
				_, err = c.read(t.Context(), info)
			}
			if !slices.Contains(limits, status.Code(err)) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	began := time.Now()
	group.Wait()
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	if got := c.good("SELECT 1"); got != "1;" {
		t.Errorf("afterwards: %s", got)
	}
	if s := f.pool.Stats(); s.Running != 0 || s.Waiting != 0 {
		t.Errorf("afterwards: %+v", s)
	}
}
