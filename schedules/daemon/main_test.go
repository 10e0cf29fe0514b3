package daemon

import (
	"os"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// TestMain fails if the tests leave goroutines or open files behind.
func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }
