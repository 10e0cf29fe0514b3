package schedules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// SlotLogName is the file of a data directory that lists the slots without a good run.
const SlotLogName = "slots.ndjson"

// States of a record.
const (
	RecordMissed  = "missed"  // the slot did not run, and will not
	RecordFailed  = "failed"  // its run ended with an error or a panic
	RecordWaiting = "waiting" // a process waits for the job from this slot on; the first line of a job
)

// Limits of a record, in bytes: the text of a reason and of a stack.
const (
	maxReason = 4 << 10
	maxStack  = 16 << 10
)

// Record is one line of the slot log.
type Record struct {
	At        time.Time `json:"at"` // when it was written
	State     string    `json:"state"`
	Job       string    `json:"job"`
	Date      string    `json:"date"`
	Slot      time.Time `json:"slot"`
	Triggered bool      `json:"asked,omitempty"`  // triggered by a person, not by the schedule
	Started   time.Time `json:"started,omitzero"` // of a run that failed
	First     time.Time `json:"first,omitzero"`   // of several slots in a row that were missed: Slot is the last
	Slots     int       `json:"slots,omitempty"`  // how many these are
	Tries     int       `json:"tries,omitempty"`  // of a slot that was given up after them
	Reason    string    `json:"reason,omitempty"`
	Stack     string    `json:"stack,omitempty"` // of a panic
}

// key is equal for two records of the same fact.
func (r Record) key() string {
	if r.State == RecordWaiting {
		return r.State + " " + r.Job
	}
	return fmt.Sprintf("%s %s %d %d", r.State, r.Job, r.Slot.Unix(), r.Started.Unix())
}

// SlotLog keeps why slots did not run: one JSON line for each slot that was missed or whose run
// failed. Write returns after fsync. A line that cannot be written, because the disk is full,
// is kept in memory and written with the next.
//
// A crash leaves at most a torn last line, which OpenSlotLog cuts off.
type SlotLog struct {
	path string

	mu      sync.Mutex
	records []Record
	known   map[string]bool
	pending []Record // not on disk yet
	there   bool     // the data directory was seen, and is not created again if it disappears
}

// OpenSlotLog opens the slot log of a data directory and cuts off a torn last line. The first Write
// creates a file that does not exist. Its errors are those of the file system.
func OpenSlotLog(dir string) (*SlotLog, error) {
	b := &SlotLog{path: filepath.Join(dir, SlotLogName), known: map[string]bool{}}
	b.look()
	text, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open slot log: %w", err)
	}
	if whole := bytes.LastIndexByte(text, '\n') + 1; whole < len(text) {
		if err := os.Truncate(b.path, int64(whole)); err != nil {
			return nil, fmt.Errorf("cut torn line of %s: %w", b.path, err)
		}
	}
	b.records, _ = parseRecords(text)
	for _, r := range b.records {
		b.known[r.key()] = true
	}
	return b, nil
}

// look notes whether the data directory is there: below a volume that is not mounted any more, another one
// would be in the way of the first.
func (b *SlotLog) look() {
	if _, err := os.Stat(filepath.Dir(b.path)); err == nil {
		b.there = true
	}
}

// parseRecords reads whole lines. It skips and counts a line that is no record, or not as it was written:
// the others are still valid, and the slot log has nothing that was paid for.
func parseRecords(text []byte) (records []Record, damaged int) {
	for line := range bytes.Lines(text) {
		var r Record
		switch {
		case !bytes.HasSuffix(line, []byte("\n")): // a crash cut it off, or it is being written
		case !durable.LineIntact(line), json.Unmarshal(line, &r) != nil, r.Job == "":
			damaged++
		default:
			records = append(records, r)
		}
	}
	return records, damaged
}

// CountDamaged counts the lines of a data directory's slot log that are not as they were written; 0 if
// there is no slot log. Its errors are those of reading the file.
func CountDamaged(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, SlotLogName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read slot log: %w", err)
	}
	_, damaged := parseRecords(text)
	return damaged, nil
}

// Write appends the records that are new, and returns them. On an error they are kept in memory and
// written with the next call.
func (b *SlotLog) Write(records ...Record) ([]Record, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.look()
	var fresh []Record
	for _, r := range records {
		if b.known[r.key()] {
			continue
		}
		b.known[r.key()] = true
		r.Reason, r.Stack = shortened(r.Reason, maxReason), shortened(r.Stack, maxStack)
		fresh = append(fresh, r)
	}
	b.records, b.pending = append(b.records, fresh...), append(b.pending, fresh...)
	if len(b.pending) == 0 {
		return fresh, nil
	}
	if err := b.append(b.pending); err != nil {
		return fresh, fmt.Errorf("write slot log: %w", err)
	}
	b.pending = nil
	return fresh, nil
}

// shortened cuts a text to a length in bytes, at the end of a character.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// append writes all lines at once, or none of them.
func (b *SlotLog) append(records []Record) (err error) {
	var text []byte
	for _, r := range records {
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			return err
		}
		text = append(text, durable.CheckedLine(line.Bytes())...)
	}
	if !b.there {
		if err := durable.MkdirAll(filepath.Dir(b.path), 0o750); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(b.path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(end))
	}
	if end > 0 {
		return nil
	}
	return durable.SyncDir(filepath.Dir(b.path))
}

// recordsOf returns the records of a job.
func (b *SlotLog) recordsOf(job string) []Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	var records []Record
	for _, r := range b.records {
		if r.Job == job {
			records = append(records, r)
		}
	}
	return records
}

// hasMissed reports whether a slot is among those that were recorded as missed.
func (b *SlotLog) hasMissed(job string, slot time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.records, func(r Record) bool {
		return r.State == RecordMissed && r.Job == job && (r.Slot.Equal(slot) ||
			r.Slots > 1 && !slot.Before(r.First) && !slot.After(r.Slot))
	})
}

// Latest returns the newest records of slots that were missed or failed, the newest first.
func (b *SlotLog) Latest(most int) []Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return latest(b.records, most)
}

// ReadSlotLog is Latest for a process that does not write the slot log. A data directory without one
// has no records. Its errors are those of reading the file.
func ReadSlotLog(dir string, most int) ([]Record, error) {
	text, err := os.ReadFile(filepath.Join(dir, SlotLogName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read slot log: %w", err)
	}
	records, _ := parseRecords(text)
	return latest(records, most), nil
}

func latest(records []Record, most int) []Record {
	var newest []Record
	for _, r := range slices.Backward(records) {
		if len(newest) == most {
			break
		}
		if r.State != RecordWaiting {
			newest = append(newest, r)
		}
	}
	return newest
}
