package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 123456789, time.UTC)

func plan(run string) Entry {
	return Entry{Kind: KindPlan, At: noon, Plan: &Plan{Run: run, Job: "nightly", Date: "2026-11-20", Budget: 100,
		Partitions: []Partition{{Operation: "by-type", Kind: "country", Value: "Curacao", Expected: -1}}}}
}

func answer(body string) Entry {
	e := Entry{Kind: KindAnswer, At: noon, Operation: "by-type", Parameters: "country=Curacao&page=1", Credits: 10,
		Charge: ChargePriced, Outcome: "ok", Sent: noon, Received: noon.Add(time.Second), Status: 200}
	e.SetBody([]byte(body))
	return e
}

// segment returns the bytes of a segment with these answers, and where each entry ends.
func segment(t testing.TB, bodies ...string) ([]byte, []int) {
	t.Helper()
	s, err := Create(t.TempDir(), plan("20261120T120000.000Z-0000"))
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{int(s.size)}
	for _, b := range bodies {
		if _, err := s.Append(answer(b)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(s.size))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	return whole, ends
}

func readAll(path string) ([]Entry, error) {
	var all []Entry
	for e, err := range Read(path) {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

func TestEntriesComeBackByteForByte(t *testing.T) {
	bodies := map[string]string{
		"a page":                  `{"total": 1, "items": [{"name": "EVER_GIVEN", "imo": "9811000"}]}` + "\n",
		"nothing":                 "",
		"markup":                  "<html>&amp; \u2028 \u2029</html>",
		"control bytes":           "\x00\x01\x1f\x7f\r\n\t",
		"text that is not UTF-8":  "caf\xe9",
		"characters of all sizes": "é漢🚢\ufffd",
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			s, err := Create(t.TempDir(), plan("r"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.Append(answer(body))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := readAll(s.Path())
			if err != nil || len(got) != 2 {
				t.Fatalf("read %d entries, %v; want 2", len(got), err)
			}
			if diff := cmp.Diff(want, got[1]); diff != "" {
				t.Error(diff)
			}
			raw, err := got[1].RawBody()
			if err != nil || raw != body {
				t.Errorf("body %q, %v; want %q", raw, err, body)
			}
		})
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"a":"b"}`))
	f.Add([]byte("\xff\xfe\x00"))
	f.Add([]byte("\u2028<>&\\\""))
	enc, dec := newEncoder(), newDecoder()
	f.Fuzz(func(t *testing.T, body []byte) {
		s := &Segment{enc: enc}
		e := answer(string(body))
		line, err := s.frameOf(&e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := entryOf(dec, line, new(scratch))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := got.RawBody(); err != nil || raw != string(body) {
			t.Errorf("body %q came back as %q, %v", body, raw, err)
		}
	})
}

func TestReopenCutsTheTornTail(t *testing.T) {
	whole, ends := segment(t, "one", "two", "three")
	for cut := 0; cut <= len(whole); cut += thinned() {
		path := filepath.Join(t.TempDir(), "run"+Extension)
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want, _ := slices.BinarySearch(ends, cut+1)
		s, _, err := Reopen(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if s.n != want {
			t.Errorf("cut at %d: %d entries, want %d", cut, s.n, want)
		}
		if _, err := s.Append(Entry{Kind: KindEnd, End: &End{State: "killed"}}); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		s.Close()
		if got, err := readAll(path); err != nil || len(got) != want+1 {
			t.Errorf("cut at %d: %d entries after the end was added, %v; want %d", cut, len(got), err, want+1)
		}
	}
}

func TestDamageIsReportedAndEndsTheReading(t *testing.T) {
	whole, ends := segment(t, "one", "two", "three")
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 0x55
		return b
	}
	cases := map[string]struct {
		bytes []byte
		want  int   // entries read
		err   error // and what ends the reading
	}{
		"zeros at the tail are torn":            {append(bytes.Clone(whole), make([]byte, 4096)...), 4, nil},
		"a wrong byte in the last frame":        {flip(len(whole) - 6), 3, nil},
		"a wrong byte in the second frame":      {flip(ends[0] + 20), 1, ErrDamaged},
		"a wrong checksum in the first frame":   {flip(ends[0] - 1), 0, ErrDamaged},
		"a hole in the middle":                  {append(bytes.Clone(whole[:ends[0]]), whole[ends[1]:]...), 1, ErrDamaged},
		"bytes put between two frames":          {slices.Concat(whole[:ends[1]], []byte("xyz"), whole[ends[1]:]), 2, ErrDamaged},
		"a file that never was a segment":       {[]byte("<html>hello</html>"), 0, ErrDamaged},
		"an empty file is a run without a plan": {nil, 0, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run"+Extension)
			if err := os.WriteFile(path, c.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readAll(path)
			if len(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("read %d entries, %v; want %d, %v", len(got), err, c.want, c.err)
			}
			if err != nil && !strings.Contains(err.Error(), path+" at byte ") {
				t.Errorf("the error does not name file and offset: %v", err)
			}
			if _, _, again := Reopen(path); !errors.Is(again, c.err) {
				t.Errorf("Reopen: %v, want %v", again, c.err)
			}
		})
	}
}

func TestConcurrentAppendsAreWholeAndInOrder(t *testing.T) {
	s, err := Create(t.TempDir(), plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 8 {
				if _, err := s.Append(answer(fmt.Sprint(i, " ", j, strings.Repeat("x", 3000)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(s.Path())
	if err != nil || len(got) != 129 {
		t.Fatalf("read %d entries, %v; want 129", len(got), err)
	}
	if _, err := s.Append(answer("late")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

func TestCreateRefusesAnExistingRun(t *testing.T) {
	root := t.TempDir()
	s, err := Create(root, plan("r"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Create(root, plan("r")); !errors.Is(err, os.ErrExist) {
		t.Errorf("second Create: %v, want %v", err, os.ErrExist)
	}
}

func TestSegmentsAreInOrderOfRuns(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"2026-11-20/b", "2026-11-19/c", "2026-11-21/a"} {
		os.MkdirAll(filepath.Join(root, filepath.Dir(p)), 0o755)
		os.WriteFile(filepath.Join(root, p+Extension), nil, 0o600)
	}
	paths, err := Segments(root)
	var runs []string
	for _, p := range paths {
		runs = append(runs, RunOf(p))
	}
	if want := []string{"a", "b", "c"}; err != nil || !slices.Equal(runs, want) {
		t.Errorf("got %v, %v; want %v", runs, err, want)
	}
	if paths, err := Segments(filepath.Join(root, "missing")); len(paths) != 0 || err != nil {
		t.Errorf("a journal that is not there: %v, %v", paths, err)
	}
}

func TestBoundsReadsPlanAndEnd(t *testing.T) {
	whole, ends := segment(t, "one", "two")
	write := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "run"+Extension)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ended := write(whole)
	s, _, err := Reopen(ended)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(Entry{Kind: KindEnd, End: &End{State: "done"}}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for name, c := range map[string]struct {
		path      string
		plan, end bool
	}{
		"a run that ended":                      {ended, true, true},
		"a run without an end":                  {write(whole), true, false},
		"a torn last entry":                     {write(whole[:len(whole)-3]), true, false},
		"a plan and nothing else":               {write(whole[:ends[0]]), true, false},
		"a torn plan":                           {write(whole[:ends[0]-3]), false, false},
		"a wrong byte in the last, whole frame": {write(append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1)), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			plan, end, err := Bounds(c.path)
			if err != nil || (plan != nil) != c.plan || (end != nil) != c.end {
				t.Errorf("got %v, %v, %v", plan, end, err)
			}
		})
	}
}

// FuzzSegment reads a segment of any bytes, and one of whole entries with such bytes among them: no reader
// panics, the numbers of the entries rise, and a segment that Salvage mends has every entry that was read
// before.
func FuzzSegment(f *testing.F) {
	f.Add([]byte("\x28\xb5\x2f\xfd"), 0)
	f.Add([]byte{0}, 40)
	f.Add([]byte(`{"n":1}`), 1<<20)
	path := filepath.Join(f.TempDir(), "run"+Extension)
	whole, _ := segment(f, "one", "two", "three")
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		at = min(max(0, at), len(whole))
		for _, content := range [][]byte{b, slices.Concat(whole[:at], b, whole[at:])} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			before, n := []Entry(nil), 0
			for e, err := range Read(path) {
				if err != nil {
					break
				}
				if e.N < n {
					t.Fatalf("entry %d comes where %d is the least", e.N, n)
				}
				before, n = append(before, e), e.after()
			}
			done, err := Salvage(path, standIn)
			if err != nil {
				continue
			}
			after, err := readAll(path)
			if err != nil || len(after) < len(before) {
				t.Fatalf("%d entries, and %d after %+v: %v", len(before), len(after), done, err)
			}
			for i, e := range before {
				if diff := cmp.Diff(e, after[i]); diff != "" {
					t.Error(diff)
				}
			}
			if done.Aside != "" {
				os.Remove(done.Aside)
			}
		}
	})
}
