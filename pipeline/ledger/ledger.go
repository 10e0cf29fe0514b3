// Package ledger reads what all runs of a data directory spent, from its journal alone: no warehouse that is rolled
// back, held back, rebuilt or lost changes it.
//
// An index beside the journal has the money of each segment, so that a run need not read a year of answers. Of that it is
// a cache: a line that is missing, torn, or of a segment that has another size now is read from the segment again.
//
// It is also the list of all segments that there were. Segments only grow, but for those that Salvage replaces, and
// none is ever removed: one that is listed and is missing, or has become shorter, is lost, as after a restore of an
// incomplete backup. Its line stays until the segment is back, or the loss is accepted. A segment is listed when it has
// its end and all of it is on disk, so that no crash makes a whole one look lost.
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
	Segment string      `json:"segment"`          // its path below the journal, with slashes
	Size    int64       `json:"size"`             // of its file, in bytes
	Asides  int         `json:"asides,omitempty"` // damaged files of it that were kept when that was its size
	Run     credits.Run `json:"run"`
}

// Lost is a segment that is listed, and that is missing or shorter than it was.
type Lost struct {
	Segment        string // its path below the journal, with slashes
	Run, Job, Date string
	Size, Left     int64 // of its file, in bytes: as listed and now; Left is -1 if it is missing
}

// List is what the index says of the segments.
type List struct {
	Listed  int
	Lost    []Lost
	Damaged int // lines that are not as they were written
}

// Read returns the account of the runs in a directory of segments, a run that goes on as far as it is on disk, with
// each request that it has no answer to yet. It writes nothing.
func Read(segments string) (*credits.Account, error) {
	return ReadUntil(segments, "")
}

// ReadUntil is Read without the runs after one; "" is all runs.
func ReadUntil(segments, last string) (*credits.Account, error) {
	s, err := read(segments)
	if err != nil {
		return nil, err
	}
	return accountOf(s.found, last), nil
}

// Update brings the index up to date, and returns the account, and the segments that are lost. The caller holds the
// lock of the data directory. That the index cannot be written is no error, since all of it is in the journal.
func Update(segments string) (*credits.Account, []Lost, error) {
	s, err := read(segments)
	if err != nil {
		return nil, nil, err
	}
	if !s.current {
		_ = write(segments, s.list)
	}
	return accountOf(s.found, ""), s.lost, nil
}

// Compare compares the segments in a directory with the list there. Without a list nothing is lost. It writes nothing.
func Compare(segments string) (List, error) {
	index, damaged, err := readIndex(filepath.Join(segments, Index))
	if err != nil {
		return List{}, err
	}
	l := List{Listed: len(index), Damaged: damaged}
	for _, name := range slices.Sorted(maps.Keys(index)) {
		lost, err := index[name].lost(segments)
		if err != nil {
			return List{}, err
		}
		if lost != nil {
			l.Lost = append(l.Lost, *lost)
		}
	}
	return l, nil
}

// Accept makes the list anew of the segments that there are: what is lost is no longer looked for. The caller holds the
// lock of the data directory.
func Accept(segments string) error {
	s, err := read(segments)
	if err != nil {
		return err
	}
	return write(segments, s.found)
}

// lost returns what is lost of the segment of a line; nil for nothing.
func (l line) lost(segments string) (*Lost, error) {
	path := filepath.Join(segments, filepath.FromSlash(l.Segment))
	lost := Lost{Segment: l.Segment, Run: l.Run.ID, Job: l.Run.Job, Date: l.Run.Date, Size: l.Size, Left: -1}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &lost, nil
	case err != nil:
		return nil, fmt.Errorf("look for a segment: %w", err)
	case info.Size() == l.Size || journal.Asides(path) != l.Asides:
		return nil, nil
	}
	if lost.Left = info.Size(); lost.Left < lost.Size {
		return &lost, nil
	}
	// a start gives a run without its end another one, after which the segment may be longer than it was
	if run, err := runOf(path); err != nil || run.Ended || !l.Run.Ended {
		return nil, err
	}
	return &lost, nil
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
	index[name] = line{Segment: name, Size: info.Size(), Asides: journal.Asides(path), Run: run}
	lines := slices.SortedFunc(maps.Values(index), byRun)
	_ = write(segments, lines)
}

// segmentsRead is what the index and the segments say.
type segmentsRead struct {
	found   []line // of the segments that there are, as they are
	list    []line // of those, and of what is lost as it was
	lost    []Lost
	current bool // the index has this list
}

// read reads the index, and each segment that it lacks.
func read(segments string) (s segmentsRead, err error) {
	index, torn, err := readIndex(filepath.Join(segments, Index))
	if err != nil {
		return s, err
	}
	paths, err := journal.Segments(segments)
	if err != nil {
		return s, err
	}
	s.current = torn == 0
	for _, path := range paths {
		name, err := filepath.Rel(segments, path)
		if err != nil {
			return s, fmt.Errorf("read the credits of a segment: %w", err)
		}
		listed, known := index[filepath.ToSlash(name)]
		l, err := listed.upToDate(path, filepath.ToSlash(name))
		if err != nil {
			return s, err
		}
		s.found = append(s.found, l)
		if known {
			s.current = s.current && l.Size == listed.Size
			delete(index, l.Segment)
			lost, err := listed.lost(segments)
			if err != nil {
				return s, err
			}
			if lost != nil {
				s.lost = append(s.lost, *lost)
				s.list = append(s.list, listed)
				continue
			}
		} else {
			s.current = false
		}
		s.list = append(s.list, l)
	}
	for _, name := range slices.Sorted(maps.Keys(index)) { // those that are missing
		lost, err := index[name].lost(segments)
		if err != nil {
			return s, err
		}
		if lost != nil {
			s.lost = append(s.lost, *lost)
		}
		s.list = append(s.list, index[name])
	}
	slices.SortFunc(s.list, byRun)
	return s, nil
}

// upToDate is the line of a segment as it is now.
func (l line) upToDate(path, name string) (line, error) {
	info, err := os.Stat(path)
	if err != nil {
		return line{}, fmt.Errorf("read the credits of a segment: %w", err)
	}
	if l.Segment != "" && l.Size == info.Size() {
		return l, nil
	}
	now := line{Segment: name, Size: info.Size(), Asides: journal.Asides(path)}
	now.Run, err = runOf(path)
	return now, err
}

func byRun(a, b line) int { return strings.Compare(a.Run.ID, b.Run.ID) }

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

// readIndex returns the intact lines of an index by segment, and how many others it has; none if there is no index.
func readIndex(path string) (lines map[string]line, torn int, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read the index of credits: %w", err)
	}
	lines = map[string]line{}
	for l := range bytes.Lines(text) {
		var one line
		if !durable.LineIntact(l) || json.Unmarshal(l, &one) != nil || one.Segment == "" {
			torn++
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
