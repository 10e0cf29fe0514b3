package schedules

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

func openSlotLog(t *testing.T, dir string) *SlotLog {
	t.Helper()
	b, err := OpenSlotLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func record(state string, day int) Record {
	slot := time.Date(2026, 11, day, 2, 0, 0, 0, time.UTC)
	return Record{At: slot.Add(time.Hour), State: state, Job: "nightly", Date: slot.Format(DateLayout), Slot: slot, Reason: "it <rained>"}
}

func TestSlotLogKeepsRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	slots := openSlotLog(t, dir)
	want := []Record{record(RecordMissed, 20), record(RecordFailed, 21)}
	for _, r := range append([]Record{record(RecordWaiting, 19)}, want...) {
		if _, err := slots.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if fresh, err := openSlotLog(t, dir).Write(want...); err != nil || len(fresh) > 0 {
		t.Errorf("after a restart %d records are new, %v; want none", len(fresh), err)
	}
	got, err := ReadSlotLog(dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Record{want[1], want[0]}, got); diff != "" {
		t.Errorf("newest first (-want +got):\n%s", diff)
	}
	if got := slots.Latest(1); len(got) != 1 || got[0].State != RecordFailed {
		t.Errorf("latest: %v", got)
	}
	text, _ := os.ReadFile(filepath.Join(dir, SlotLogName))
	if strings.Count(string(text), "\n") != 3 || !strings.Contains(string(text), "it <rained>") {
		t.Errorf("not one plain line each:\n%s", text)
	}
}

func TestReadSlotLogOfANewDirectory(t *testing.T) {
	if got, err := ReadSlotLog(t.TempDir(), 10); err != nil || len(got) > 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestOpenSlotLogCutsTornLine cuts the file at every byte: what was whole is kept, and what is
// written next is whole.
func TestOpenSlotLogCutsTornLine(t *testing.T) {
	dir := t.TempDir()
	if _, err := openSlotLog(t, dir).Write(record(RecordMissed, 20), record(RecordMissed, 21)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, SlotLogName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(text) + 1 {
		if err := os.WriteFile(path, text[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		whole := strings.Count(string(text[:end]), "\n")
		slots := openSlotLog(t, dir)
		if got := len(slots.Latest(9)); got != whole {
			t.Fatalf("cut at %d: %d records, want %d", end, got, whole)
		}
		if end%50 != 0 { // each write is an fsync
			continue
		}
		if _, err := slots.Write(record(RecordFailed, 22)); err != nil {
			t.Fatal(err)
		}
		if got, _ := ReadSlotLog(dir, 9); len(got) != whole+1 {
			t.Fatalf("cut at %d: %d records after the next, want %d", end, len(got), whole+1)
		}
	}
}

func TestSlotLogPassesOverADamagedLine(t *testing.T) {
	dir := t.TempDir()
	slots := openSlotLog(t, dir)
	if _, err := slots.Write(record(RecordMissed, 20)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, SlotLogName)
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte("{\"job\": 7}\n\n\xff\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openSlotLog(t, dir).Latest(9); len(got) != 1 {
		t.Errorf("got %v, want the one good line", got)
	}
}

// TestSlotLogWritesLater takes the file away, as a full disk does, and gives it back.
func TestSlotLogWritesLater(t *testing.T) {
	dir := t.TempDir()
	slots := openSlotLog(t, dir)
	path := filepath.Join(dir, SlotLogName)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if fresh, err := slots.Write(record(RecordMissed, 20)); err == nil || len(fresh) != 1 {
		t.Fatalf("got %v, %v; want the record and an error", fresh, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := slots.Write(record(RecordMissed, 21)); err != nil {
		t.Fatal(err)
	}
	if got, _ := ReadSlotLog(dir, 9); len(got) != 2 {
		t.Errorf("%d records on disk, want both", len(got))
	}
}

func TestSlotLogShortensWords(t *testing.T) {
	dir := t.TempDir()
	r := record(RecordFailed, 20)
	r.Reason, r.Stack = strings.Repeat("ä", maxReason), strings.Repeat("ä", maxStack)
	if _, err := openSlotLog(t, dir).Write(r); err != nil {
		t.Fatal(err)
	}
	got, _ := ReadSlotLog(dir, 1)
	if len(got) != 1 || len(got[0].Reason) > maxReason+3 || len(got[0].Stack) > maxStack+3 || strings.Contains(got[0].Stack, "\ufffd") {
		t.Errorf("a record of %d and %d bytes", len(got[0].Reason), len(got[0].Stack))
	}
}

// FuzzSlotLog checks that a record is read back after any text: what a crash or a person left in the file
// hides no record that follows.
func FuzzSlotLog(f *testing.F) {
	f.Add([]byte("{\"job\":\"nightly\"}\n"), "it rained")
	f.Add([]byte("{\"job\":\n\xff"), "\u2028")
	f.Fuzz(func(t *testing.T, before []byte, reason string) {
		want := record(RecordFailed, 20)
		want.Reason = strings.ToValidUTF8(reason, "\ufffd")
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		earlier, damaged := parseRecords(append(before, '\n'))
		got, still := parseRecords(slices.Concat(before, []byte("\n"), durable.CheckedLine(append(line, '\n')), []byte("{\"torn")))
		if diff := cmp.Diff(append(earlier, want), got); diff != "" || damaged != still {
			t.Errorf("%d lines are damaged, and %d with the record %s", damaged, still, diff)
		}
	})
}

// TestADamagedLineOfTheSlotLogIsLeftOut flips each byte of a slot log, one at a time: the line is counted as
// damaged and left out, or reads as it was written.
func TestADamagedLineOfTheSlotLogIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	if _, err := openSlotLog(t, dir).Write(record(RecordWaiting, 19), record(RecordMissed, 20), record(RecordFailed, 21)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, SlotLogName))
	if err != nil {
		t.Fatal(err)
	}
	want, damaged := parseRecords(whole)
	if len(want) != 3 || damaged != 0 {
		t.Fatalf("%d records, %d lines are damaged", len(want), damaged)
	}
	unseen := 0
	for at := range whole {
		for _, by := range []byte{1, 4, 0x80} {
			text := slices.Clone(whole)
			text[at] ^= by
			got, damaged := parseRecords(text)
			if damaged == 0 && len(got) == len(want) {
				unseen++
			}
			for _, r := range got {
				if !slices.ContainsFunc(want, func(w Record) bool { return cmp.Equal(w, r) }) {
					t.Errorf("byte %d changed by %#x: a record that nobody wrote: %+v", at, by, r)
				}
			}
			if len(got)+damaged < len(want)-1 {
				t.Errorf("byte %d changed by %#x: %d records and %d damaged lines of %d", at, by, len(got), damaged, len(want))
			}
		}
	}
	if most := 3 * 3 * len(`,"check":"`); unseen > most { // of the name of the check
		t.Errorf("%d flipped bytes changed nothing, want at most %d", unseen, most)
	}
	if err := os.WriteFile(filepath.Join(dir, SlotLogName), append(whole, "{}\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if n, err := CountDamaged(dir); n != 1 || err != nil {
		t.Errorf("%d lines are damaged, %v; want 1", n, err)
	}
}

// TestADirectoryThatDisappearsIsNotMadeAgain renames the data directory: what is recorded meanwhile is
// written when it is back.
func TestADirectoryThatDisappearsIsNotMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	b, err := OpenSlotLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write(Record{Job: "nightly", State: RecordFailed}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is another data directory")
	}
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write(); err != nil {
		t.Error(err)
	}
	if records, err := ReadSlotLog(dir, 9); err != nil || len(records) != 1 {
		t.Errorf("%v, %v", records, err)
	}
}
