package pipeline_test

import (
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

func init() { pipeline.Week = pipelinetest.Week }
