package pipeline_test

import (
	"os"
	"testing"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

func init() { pipeline.TwoNights = pipelinetest.TwoNights }

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }
