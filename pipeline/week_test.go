package pipeline

import (
	"testing"
	"time"
)

// TwoNights is pipelinetest.TwoNights, which is above this package: the external tests set it.
var TwoNights func(t testing.TB) (dir string)

// weekStart is the first night of the week.
var weekStart = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// copyOfTwoNights returns a pipeline without a service over a copy of the first two nights of the week, which a
// test may change.
func copyOfTwoNights(t *testing.T) *Pipeline {
	t.Helper()
	return &Pipeline{Dir: TwoNights(t), Now: func() time.Time { return weekStart.AddDate(0, 1, 0) }}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
