package pipeline

import (
	"testing"
	"time"
)

// Week is pipelinetest.Week, which is above this package: the external tests set it.
var Week func(t testing.TB) (dir string)

// weekStart is the first night of the week.
var weekStart = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// copyOfWeek returns a pipeline without a service over a copy of the week, which a test may change.
func copyOfWeek(t *testing.T) *Pipeline {
	t.Helper()
	return &Pipeline{Dir: Week(t), Now: func() time.Time { return weekStart.AddDate(0, 1, 0) }}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
