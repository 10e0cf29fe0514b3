package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// paidRun is a segment of a run that asked four times and ended, where each of its entries ends,
// and its entries.
func paidRun(t *testing.T) ([]byte, []int, []Entry) {
	t.Helper()
	s, err := Create(t.TempDir(), plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{int(s.size)}
	add := func(e Entry) int {
		e, err := s.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(s.size))
		return e.N
	}
	ask := func() int { return add(Entry{Kind: KindIntent, At: noon, Operation: "by-type", Credits: 10}) }
	reply := func(n int) { e := answer("page"); e.Intent = n; add(e) }
	add(Entry{Kind: KindBalance, At: noon, Body: "100"})
	first, second := ask(), ask()
	reply(second)
	reply(first)
	reply(ask())
	reply(ask())
	add(Entry{Kind: KindEnd, At: noon, End: &End{State: "done"}})
	s.Close()
	b, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	all, err := readAll(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	return b, ends, all
}

// spending counts as every reader of a segment does: an intent without an answer is spent.
func spending(all []Entry) (credits int) {
	open := map[int]int{}
	for _, e := range all {
		switch e.Kind {
		case KindIntent:
			open[e.N] = e.Credits
		case KindAnswer:
			delete(open, e.Intent)
			credits += e.Credits
		}
	}
	for _, n := range open {
		credits += n
	}
	return credits
}

var standIn = Plan{Run: "r", Job: "nightly", Date: "2026-11-20", Credits: Price{Most: 10}}

// thinned is the share of the bytes that a test tries: each, or every seventh for who only asks for the short tests.
func thinned() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// TestSalvageKeepsEveryWholeEntry flips each byte of a segment, and cuts each entry and each two
// neighbours out of it.
func TestSalvageKeepsEveryWholeEntry(t *testing.T) {
	b, ends, all := paidRun(t)
	check := func(t *testing.T, name string, damaged []byte, lost ...int) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "r"+Extension)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readAll(path); err == nil {
			return // nothing behind it: a torn tail
		}
		done, err := Salvage(path, standIn)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := readAll(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want []Entry
		for n, e := range all {
			if !slices.Contains(lost, n) {
				want = append(want, e)
			}
		}
		kept := slices.DeleteFunc(slices.Clone(got), func(e Entry) bool { return e.Lost != nil || e.Plan != nil && lost[0] == 0 })
		if diff := cmp.Diff(want, kept); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", name, diff)
		}
		if got[0].Plan == nil || got[0].Plan.Run != "r" || done.Entries != len(want) {
			t.Errorf("%s: got %+v, first entry %+v", name, done, got[0])
		}
		if sum, most := spending(got), spending(all)+10*len(lost); sum < spending(all) || sum > most {
			t.Errorf("%s: %d credits count as spent, it was %d", name, sum, spending(all))
		}
		if aside, err := os.ReadFile(done.Aside); err != nil || !bytes.Equal(aside, damaged) {
			t.Errorf("%s: the damaged file is not kept as it was: %v", name, err)
		}
		if paths, err := Segments(filepath.Dir(path)); err != nil || !slices.Equal(paths, []string{path}) {
			t.Errorf("%s: segments %v, %v", name, paths, err)
		}
		s, _, err := Reopen(path)
		if err != nil || s.n != len(all) {
			t.Fatalf("%s: reopened with %d entries, %v; want %d", name, s.n, err, len(all))
		}
		s.Close()
	}
	for part := range 8 { // each waits for the disk
		t.Run(fmt.Sprintf("flipped bytes, part %d", part), func(t *testing.T) {
			t.Parallel()
			for at := part; at < len(b); at += 8 * thinned() {
				hit, _ := slices.BinarySearch(ends, at+1)
				damaged := slices.Clone(b)
				damaged[at] ^= 0x55
				check(t, "a flipped byte", damaged, hit)
			}
		})
	}
	for first := range ends[:len(ends)-2] {
		for last := first; last < min(first+2, len(ends)-2); last++ {
			from, lost := 0, []int{}
			if first > 0 {
				from = ends[first-1]
			}
			for n := first; n <= last; n++ {
				lost = append(lost, n)
			}
			check(t, "entries cut out", slices.Concat(b[:from], b[ends[last]:]), lost...)
		}
	}
}

func TestSalvageDoesNotChangeAReadableSegment(t *testing.T) {
	b, _, _ := paidRun(t)
	for name, whole := range map[string][]byte{"a run that ended": b, "a torn tail": b[:len(b)-3]} {
		path := filepath.Join(t.TempDir(), "r"+Extension)
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		done, err := Salvage(path, standIn)
		after, _ := os.ReadFile(path)
		if err != nil || done.Aside != "" || !bytes.Equal(after, whole) {
			t.Errorf("%s: got %+v, %v", name, done, err)
		}
	}
}

func TestSalvageRefusesAFileWithoutAWholeEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r"+Extension)
	if err := os.WriteFile(path, []byte("<html>hello</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Salvage(path, standIn); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Error("the file is gone")
	}
}
