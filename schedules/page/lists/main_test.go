package lists

import (
	"os"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }
