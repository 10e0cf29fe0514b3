// Package ledger reads what all runs of a data directory spent, from its journal alone: no warehouse that is rolled
// back, held back, rebuilt or lost changes it.
//
// An index beside the journal has the money of each segment, so that a run need not read a year of answers. It is a
// cache: a line that is missing, torn, or of a segment that has another size now is read from the segment again.
//
// # What a crash leaves of the account
//
//	before an intent       nothing was spent
//	after an intent        the most that the request costs, until a quiet balance proves that it was not billed
//	after an answer        what the answer counts as
//	before the end         the same: the next start appends the end, and reads the segment again
//	while the index        the index as it was before, or as it is after: it is replaced whole. What it lacks
//	is replaced            is read from the segments
//	before the publish     all of it: what a run spent does not depend on its rows
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Index is the name of the index in the directory of the journal.
const Index = "credits.ndjson"

// line is the money of one segment in the index.
type line struct {
	Segment string      `json:"segment"` // its path below the journal, with slashes
	Size    int64       `json:"size"`    // of its file, in bytes
	Run     credits.Run `json:"run"`
}

// Read returns the account of the runs in a directory of segments, a run that goes on as far as it is on disk, with
// each request that it has no answer to yet. It writes nothing.
func Read(segments string) (*credits.Account, error) {
	return ReadUntil(segments, "")
}

// ReadUntil is Read without the runs after one; "" is all runs.
func ReadUntil(segments, last string) (*credits.Account, error) {
	lines, _, err := read(segments)
	if err != nil {
		return nil, err
	}
	return accountOf(lines, last), nil
}

// Update brings the index up to date, and returns the account. The caller holds the lock of the data directory. That
// the index cannot be written is no error, since all of it is in the journal.
func Update(segments string) (*credits.Account, error) {
	lines, current, err := read(segments)
	if err != nil {
		return nil, err
	}
	if !current {
		_ = write(segments, lines)
	}
	return accountOf(lines, ""), nil
}

// accountOf returns the account of the runs up to one; "" is all runs.
func accountOf(lines []line, last string) *credits.Account {
	a := credits.NewAccount()
	for _, l := range lines {
		if l.Run.ID != "" && (last == "" || l.Run.ID <= last) {
			a.AddRun(l.Run)
		}
	}
	return a
}

// Keep adds a run that has ended to the index, so that nobody need read its segment for it. What keeps it from doing so
// is no error: the next Update reads the segment.
func Keep(segments, path string, run credits.Run) {
	index, _, err := readIndex(filepath.Join(segments, Index))
	info, statErr := os.Stat(path)
	name, relErr := filepath.Rel(segments, path)
	if errors.Join(err, statErr, relErr) != nil {
		return
	}
	name = filepath.ToSlash(name)
	index[name] = line{Segment: name, Size: info.Size(), Run: run}
	lines := slices.SortedFunc(maps.Values(index), func(a, b line) int { return strings.Compare(a.Run.ID, b.Run.ID) })
	_ = write(segments, lines)
}

// read returns a line for each segment, the oldest run first, and whether the index had them all and no other.
func read(segments string) (lines []line, current bool, err error) {
	index, torn, err := readIndex(filepath.Join(segments, Index))
	if err != nil {
		return nil, false, err
	}
	paths, err := journal.Segments(segments)
	if err != nil {
		return nil, false, err
	}
	current = !torn
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, false, fmt.Errorf("read the credits of a segment: %w", err)
		}
		name, err := filepath.Rel(segments, path)
		if err != nil {
			return nil, false, fmt.Errorf("read the credits of a segment: %w", err)
		}
		l, known := index[filepath.ToSlash(name)]
		if !known || l.Size != info.Size() {
			current = false
			l = line{Segment: filepath.ToSlash(name), Size: info.Size()}
			if l.Run, err = runOf(path); err != nil {
				return nil, false, err
			}
		}
		lines = append(lines, l)
	}
	return lines, current && len(index) == len(lines), nil
}

// runOf reads the money of a segment. One that is damaged counts as all that its plan allowed, or as what can be read
// of it if that is more.
func runOf(path string) (credits.Run, error) {
	r := credits.NewReader()
	most := 0
	for e, err := range journal.Read(path) {
		switch {
		case errors.Is(err, journal.ErrDamaged):
			return r.Damaged(most), nil
		case err != nil:
			return credits.Run{}, fmt.Errorf("read the credits of a segment: %w", err)
		case e.Plan != nil:
			most = e.Plan.Budget
		}
		r.Add(&e)
	}
	return r.Run(), nil
}

// readIndex returns the intact lines of an index by segment, and whether it has others; none if there is no index.
func readIndex(path string) (lines map[string]line, torn bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("read the index of credits: %w", err)
	}
	lines = map[string]line{}
	for l := range bytes.Lines(text) {
		var one line
		if !durable.LineIntact(l) || json.Unmarshal(l, &one) != nil || one.Segment == "" {
			torn = true
			continue
		}
		lines[one.Segment] = one
	}
	return lines, torn, nil
}

// write replaces the index.
func write(segments string, lines []line) error {
	var b bytes.Buffer
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			return fmt.Errorf("write the index of credits: %w", err)
		}
		b.Write(durable.CheckedLine(append(text, '\n')))
	}
	return durable.WriteFile(filepath.Join(segments, Index), b.Bytes(), 0o640)
}
