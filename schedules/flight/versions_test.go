package flight

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// TestReadersWhileNightsArePublished has clients that ask again and again while nights are published:
// none gets an error, each answer is of one version, and of none that was replaced before it was asked
// for. FLEETLAKE_LONG has 20 clients and 200 nights, or as many as it says.
func TestReadersWhileNightsArePublished(t *testing.T) {
	readers, nights, each := 4, 3, 2000 // rows of a run in an answer, which has several batches
	if long := os.Getenv("FLEETLAKE_LONG"); long != "" {
		readers, nights, each = 20, 200, 200
		if n, err := strconv.Atoi(long); err == nil && n > 1 {
			nights = n
		}
	}
	f := newServer(t, func(w *worker.Config, _ *Config) { w.Wait = 5 * time.Minute })
	var published, answers atomic.Int64
	published.Store(1)
	var group sync.WaitGroup
	stop := make(chan struct{})
	for range readers {
		c := f.client()
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				least := published.Load()
				got, err := c.query(t.Context(), fmt.Sprintf("SELECT run_id, count(*) OVER () FROM runs, range(%d)", each))
				most := published.Load() + 1 // a night that is being published
				runs := map[string]int{}
				rows := strings.Count(got, ";")
				for line := range strings.SplitSeq(strings.TrimSuffix(got, ";"), ";") {
					run, total, _ := strings.Cut(line, " ")
					runs[run]++
					if total != fmt.Sprint(rows) {
						t.Errorf("a row of an answer of %s rows among %d", total, rows)
						return
					}
				}
				if n := int64(len(runs)); err != nil || n < least || n > most || rows != each*len(runs) {
					t.Errorf("%d nights in %d rows, want %d to %d: %v", n, rows, least, most, err)
					return
				}
				answers.Add(1)
			}
		})
	}
	for i := range nights {
		pipelinetest.Publish(t, f.dir, 21+i) // the 31st of November is the 1st of December
		published.Add(1)
	}
	last := answers.Load() + int64(readers)
	for !t.Failed() && answers.Load() < last {
		time.Sleep(10 * time.Millisecond) // until each has seen the end; others count
	}
	close(stop)
	group.Wait()
	t.Logf("%d answers to %d clients beside %d nights", answers.Load(), readers, nights)
}
