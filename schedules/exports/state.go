package exports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// remindAfter is how long after a report of a failure the next one follows, if it lasts: once a night.
const remindAfter = 20 * time.Hour

// State is what export.json says: how the last exports of a data directory ended. It contains no
// secret.
type State struct {
	Success *Success `json:"success,omitempty"` // the last
	Failure *Failure `json:"failure,omitempty"` // the last, also after a success
}

// Success is an export that is complete.
type Success struct {
	At           time.Time `json:"at"`
	Target       string    `json:"target"`
	Run          string    `json:"run"`           // the latest that is exported
	SnapshotDate string    `json:"snapshot_date"` // the latest
	Files        int       `json:"files"`         // uploaded; the others were there
	Bytes        int64     `json:"bytes"`         // uploaded
	Seconds      float64   `json:"seconds"`
	Warehouse    string    `json:"warehouse"` // fingerprint of the published file
	Settings     string    `json:"settings"`  // hash of the settings, without secrets
}

// Failure is a series of exports without a success between them.
type Failure struct {
	At       time.Time `json:"at"`       // the last
	First    time.Time `json:"first"`    // the first
	Times    int       `json:"times"`    // how many
	Reason   string    `json:"reason"`   // of the last
	Reported time.Time `json:"reported"` // when people were last notified; zero if never
}

// Failing reports whether the last export failed.
func (s State) Failing() bool {
	return s.Failure != nil && (s.Success == nil || s.Failure.At.After(s.Success.At))
}

func statePath(dir string) string { return filepath.Join(dir, "export.json") }

// ReadState reads the state of a data directory; the zero state if there is none.
func ReadState(dir string) (State, error) {
	var s State
	b, err := os.ReadFile(statePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return State{}, fmt.Errorf("read %s: %w", statePath(dir), err)
	}
	return s, nil
}

func (s State) write(dir string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write export.json: %w", err)
	}
	if err := durable.WriteFile(statePath(dir), append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write export.json: %w", err)
	}
	return nil
}

// failed adds a failure, and reports whether people should be notified of it: of the first of a
// series, and then once a night.
func (s *State) failed(at time.Time, reason string) (notify bool) {
	f := Failure{First: at}
	if s.Failing() {
		f = *s.Failure
	}
	f.At, f.Times, f.Reason = at, f.Times+1, reason
	notify = at.Sub(f.Reported) >= remindAfter
	if notify {
		f.Reported = at
	}
	s.Failure = &f
	return notify
}

// succeeded sets the last success, and reports whether it ends a series of failures.
func (s *State) succeeded(last Success) (recovered bool) {
	recovered = s.Failing()
	s.Success = &last
	return recovered
}
