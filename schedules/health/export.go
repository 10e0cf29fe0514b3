package health

import (
	"fmt"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/exports"
)

// ExportedWords says what an export has done.
func ExportedWords(s exports.Success) string {
	return fmt.Sprintf("%d new files, %s, up to run %s for %s", s.Files, wording.Bytes(s.Bytes), s.Run, s.SnapshotDate)
}

// FailureWords says how long exports have failed, and why.
func FailureWords(dir string, f exports.Failure) string {
	times := "failed"
	if f.Times > 1 {
		times = fmt.Sprintf("has failed %d times since %s, last", f.Times, f.First.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("the export %s at %s: %s; what is published stays published, and the next run exports it", times, f.At.UTC().Format(time.RFC3339), datadir.WithoutPath(dir, f.Reason))
}

// ExportProblems is what is wrong with the export; nothing without one in the configuration.
func (c Setup) ExportProblems() ([]Problem, error) {
	if !c.Exports {
		return nil, nil
	}
	s, err := exports.ReadState(c.Dir)
	if err != nil || !s.Failing() {
		return nil, err
	}
	return []Problem{{Kind: Export, Words: FailureWords(c.Dir, *s.Failure), Title: "The export failed"}}, nil
}
