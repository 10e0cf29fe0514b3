package schedules

import (
	"os"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

// TestMain fails if the tests leave goroutines or open files behind. Those in a bubble of synctest fail
// by themselves if a goroutine outlives them.
func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }
