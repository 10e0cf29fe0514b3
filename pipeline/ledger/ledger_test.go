package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/google/go-cmp/cmp"
)

var night = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// segment writes the segment of a run that sent some requests of ten credits, the last without an answer.
func segment(t *testing.T, root, run string, requests int) string {
	t.Helper()
	s, err := journal.Create(root, journal.Entry{Kind: journal.KindPlan, At: night, Plan: &journal.Plan{Run: run, Job: "nightly", Date: "2026-11-20", Budget: 90}})
	must(t, err)
	for i := range requests {
		intent, err := s.Append(journal.Entry{Kind: journal.KindIntent, At: night, Operation: "by-type", Credits: 10})
		must(t, err)
		if i < requests-1 {
			_, err = s.Append(journal.Entry{Kind: journal.KindAnswer, At: night, Sent: night, Received: night, Intent: intent.N, Operation: "by-type", Credits: 10, Charge: journal.ChargePriced, Body: "{}"})
			must(t, err)
		}
	}
	must(t, s.Close())
	return s.Path()
}

// journalOf writes three segments and their index.
func journalOf(t *testing.T) (root string, paths []string) {
	t.Helper()
	root = t.TempDir()
	for i, run := range []string{"20261120T020000.000Z-aaaa", "20261120T030000.000Z-aaaa", "20261120T040000.000Z-aaaa"} {
		paths = append(paths, segment(t, root, run, i+2))
	}
	_, _, err := Update(root)
	must(t, err)
	return root, paths
}

func counted(a *credits.Account) int { return a.Night("nightly", "2026-11-20", night).Counted() }

// TestTheIndexIsACache reads journals whose index is whole, missing, torn at any byte, or older than a segment: the
// account is always that of the segments, and Update writes the same index again.
func TestTheIndexIsACache(t *testing.T) {
	root, paths := journalOf(t)
	path := filepath.Join(root, Index)
	whole, err := os.ReadFile(path)
	must(t, err)
	check := func(what string) {
		t.Helper()
		a, err := Read(root)
		must(t, err)
		if got := counted(a); got != 90 {
			t.Errorf("%s: the night counts as %d, want 90", what, got)
		}
	}
	check("whole")
	for cut := range whole {
		must(t, os.WriteFile(path, whole[:cut], 0o640))
		check("cut")
	}
	for i := 0; i < len(whole); i += 7 {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		must(t, os.WriteFile(path, flipped, 0o640))
		check("flipped")
	}
	must(t, os.Remove(path))
	check("missing")
	_, _, err = Update(root)
	must(t, err)
	again, err := os.ReadFile(path)
	must(t, err)
	if diff := cmp.Diff(string(whole), string(again)); diff != "" {
		t.Errorf("the index is another one now:\n%s", diff)
	}

	s, _, err := journal.Reopen(paths[1])
	must(t, err)
	_, err = s.Append(journal.Entry{Kind: journal.KindIntent, At: night, Operation: "by-type", Credits: 7})
	must(t, errors.Join(err, s.Close()))
	a, err := Read(root)
	must(t, err)
	if got := counted(a); got != 97 {
		t.Errorf("after a further request the night counts as %d, want 97", got)
	}
	must(t, os.Remove(paths[0]))
	if a, _, err = Update(root); err != nil || counted(a) != 77 {
		t.Errorf("without the first segment the night counts as %d, want 77: %v", counted(a), err)
	}
}

// TestTheIndexSparesTheSegments reads an account whose segments cannot be read any more, because their bytes are
// others now: only their sizes are looked at.
func TestTheIndexSparesTheSegments(t *testing.T) {
	root, paths := journalOf(t)
	for _, path := range paths {
		info, err := os.Stat(path)
		must(t, err)
		must(t, os.WriteFile(path, make([]byte, info.Size()), 0o640))
	}
	a, err := Read(root)
	must(t, err)
	if got := counted(a); got != 90 {
		t.Errorf("the night counts as %d, want 90", got)
	}
}

// TestADamagedSegmentCountsAsItsPlan flips a bit in a segment that is not in the index.
func TestADamagedSegmentCountsAsItsPlan(t *testing.T) {
	root := t.TempDir()
	path := segment(t, root, "20261120T020000.000Z-aaaa", 5)
	b, err := os.ReadFile(path)
	must(t, err)
	b[len(b)/2] ^= 1
	must(t, os.WriteFile(path, b, 0o640))
	a, err := Read(root)
	must(t, err)
	if got := counted(a); got != 90 {
		t.Errorf("the night counts as %d, want the 90 of its plan", got)
	}
}

// TestUntil leaves out the runs after one.
func TestUntil(t *testing.T) {
	root, paths := journalOf(t)
	a, err := ReadUntil(root, journal.RunOf(paths[1]))
	must(t, err)
	if got := counted(a); got != 50 {
		t.Errorf("the night counts as %d, want 50", got)
	}
}

// TestAnEmptyJournal has no account, and no index.
func TestAnEmptyJournal(t *testing.T) {
	root := filepath.Join(t.TempDir(), "journal")
	a, _, err := Update(root)
	must(t, err)
	if got := counted(a); got != 0 {
		t.Errorf("%d credits were spent", got)
	}
	if _, err := os.Stat(filepath.Join(root, Index)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the index of no journal: %v", err)
	}
}

// TestAJournalThatCannotBeWritten is read all the same.
func TestAJournalThatCannotBeWritten(t *testing.T) {
	root, _ := journalOf(t)
	must(t, os.Remove(filepath.Join(root, Index)))
	must(t, os.Mkdir(filepath.Join(root, Index+".part"), 0o750)) // in the place of the temporary file
	a, _, err := Update(root)
	if err != nil || counted(a) != 90 {
		t.Errorf("the night counts as %d, want 90: %v", counted(a), err)
	}
}

// lostIn is what the list of a journal finds missing or short, before and after a run has brought it up to date.
func lostIn(t *testing.T, root string) (lost []string) {
	t.Helper()
	for range 2 {
		l, err := Compare(root)
		must(t, err)
		lost = nil
		for _, s := range l.Lost {
			lost = append(lost, fmt.Sprintf("%s %s %d of %d", s.Run, s.Date, s.Left, s.Size))
		}
		_, again, err := Update(root)
		must(t, err)
		if diff := cmp.Diff(l.Lost, again); diff != "" {
			t.Errorf("a run finds something else lost than verify (-verify +run):\n%s", diff)
		}
	}
	return lost
}

// ended is the segment of a run that came to its end.
func ended(t *testing.T, path string) int64 {
	t.Helper()
	s, _, err := journal.Reopen(path)
	must(t, err)
	_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: night, End: &journal.End{State: "done"}})
	must(t, errors.Join(err, s.Close()))
	return sizeOf(t, path)
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Size()
}

// TestWhatIsLostIsNamed and stays so until it is back, or the loss is accepted. What our own program does to a segment
// loses nothing.
func TestWhatIsLostIsNamed(t *testing.T) {
	const run = "20261120T030000.000Z-aaaa"
	for name, c := range map[string]struct {
		do   func(path string)
		lost string // with the size as it was
	}{
		"nothing":            {func(string) {}, ""},
		"a segment":          {func(path string) { must(t, os.Remove(path)) }, run + " 2026-11-20 -1 of %d"},
		"its night":          {func(path string) { must(t, os.RemoveAll(filepath.Dir(path))) }, "all"},
		"its last bytes":     {func(path string) { must(t, os.Truncate(path, sizeOf(t, path)-1)) }, run + " 2026-11-20 " + "less"},
		"half of it":         {func(path string) { must(t, os.Truncate(path, sizeOf(t, path)/2)) }, run + " 2026-11-20 " + "less"},
		"all of its content": {func(path string) { must(t, os.Truncate(path, 0)) }, run + " 2026-11-20 0 of %d"},
		"its end, in place of which a start wrote another": {func(path string) {
			must(t, os.Truncate(path, sizeOf(t, path)-1))
			s, _, err := journal.Reopen(path)
			must(t, err)
			_, err = s.Append(journal.Entry{Kind: journal.KindEnd, At: night, End: &journal.End{State: "killed", Reason: strings.Repeat("the process died ", 20)}})
			must(t, errors.Join(err, s.Close()))
		}, run + " 2026-11-20 more"},
		"nothing, since it grew": {func(path string) {
			s, _, err := journal.Reopen(path)
			must(t, err)
			_, err = s.Append(journal.Entry{Kind: journal.KindAccept, At: night})
			must(t, errors.Join(err, s.Close()))
		}, ""},
		"nothing, since it was salvaged": {func(path string) {
			b, err := os.ReadFile(path)
			must(t, err)
			clear(b[len(b)/3 : 2*len(b)/3])
			must(t, os.WriteFile(path, b, 0o640))
			before := sizeOf(t, path)
			done, err := journal.Salvage(path, journal.Plan{Run: run, Date: "2026-11-20"})
			must(t, err)
			if after := sizeOf(t, path); done.Aside == "" || after >= before {
				t.Errorf("%+v: %d bytes, %d before", done, after, before)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, paths := journalOf(t)
			size := ended(t, paths[1])
			_, _, err := Update(root)
			must(t, err)
			c.do(paths[1])
			lost := lostIn(t, root)
			switch {
			case c.lost == "" && len(lost) == 0, c.lost == "all" && len(lost) == 3:
			case len(lost) != 1 || !strings.HasPrefix(lost[0], strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(c.lost, "less"), "more"), "%d")):
				t.Errorf("lost are %q, want %q", lost, c.lost)
			case !strings.HasSuffix(lost[0], fmt.Sprintf(" of %d", size)):
				t.Errorf("lost are %q, want of %d", lost, size)
			}
			must(t, Accept(root))
			if again := lostIn(t, root); len(again) > 0 {
				t.Errorf("after the loss is accepted, lost are %q", again)
			}
		})
	}
}

// TestASegmentThatIsBackIsNotLost any more.
func TestASegmentThatIsBackIsNotLost(t *testing.T) {
	root, paths := journalOf(t)
	must(t, os.Rename(paths[1], paths[1]+".away"))
	if lost := lostIn(t, root); len(lost) != 1 {
		t.Errorf("lost are %q", lost)
	}
	must(t, os.Rename(paths[1]+".away", paths[1]))
	if lost := lostIn(t, root); len(lost) != 0 {
		t.Errorf("lost are %q", lost)
	}
}

// TestAJournalWithoutAList gets one, and has lost nothing before.
func TestAJournalWithoutAList(t *testing.T) {
	root, paths := journalOf(t)
	must(t, os.Remove(filepath.Join(root, Index)))
	must(t, os.Remove(paths[0]))
	if lost := lostIn(t, root); len(lost) != 0 {
		t.Errorf("lost are %q", lost)
	}
	must(t, os.Remove(paths[1]))
	if lost := lostIn(t, root); len(lost) != 1 {
		t.Errorf("lost are %q", lost)
	}
}
