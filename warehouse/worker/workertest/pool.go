// Package workertest gives tests of what asks through a pool its processes, which are the test binary itself.
package workertest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// verb makes the test binary a process of a pool.
const verb = "query-worker"

// Main runs the tests of a package, or is a process of its pools. TestMain exits with what it returns.
func Main(m *testing.M) (code int) {
	if len(os.Args) < 2 || os.Args[1] != verb {
		return pipelinetest.Run(m)
	}
	if err := worker.Serve(context.Background(), os.Stdin, worker.Answers()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Config is a pool over a data directory with small limits, which a test may change. Queries wait, so that a busy machine
// refuses none.
func Config(t testing.TB, dir string, log *slog.Logger) worker.Config {
	t.Helper()
	program, err := worker.Program()
	if err != nil {
		t.Fatal(err)
	}
	return worker.Config{Dir: dir, Command: []string{program, verb}, Temp: t.TempDir(), Concurrent: 2, Queue: 30, Wait: 30 * time.Second, Idle: time.Minute,
		Limits: worker.Limits{MemoryMiB: 128, SpillMiB: 256, Threads: 1, Time: 5 * time.Minute, Stall: 20 * time.Second, Rows: 3_000_000, Bytes: 256 << 20},
		Log:    log}
}
