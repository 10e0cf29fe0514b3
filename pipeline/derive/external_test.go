package derive_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

func init() {
	derive.Week, derive.TwoNights = pipelinetest.Week, pipelinetest.TwoNights
	derive.Run = func(ctx context.Context, dir string) error {
		p := &pipeline.Pipeline{Dir: dir}
		_, err := p.Run(ctx, plan.Job{Name: "nightly", Location: time.UTC}, "2026-11-27")
		return err
	}
}

func TestMain(m *testing.M) { os.Exit(pipelinetest.Run(m)) }
