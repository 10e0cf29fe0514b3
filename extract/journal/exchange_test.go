package journal

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sequence yields entries, and then an error if there is one, as Read does.
func sequence(entries []Entry, err error) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// outcome is an exchange in words: kind and number of its entry, and the number of its intent.
func outcome(x Exchange, err error) string {
	switch {
	case err != nil:
		return "error"
	case x.Request == nil:
		return fmt.Sprintf("%s %d", x.Kind, x.N)
	}
	return fmt.Sprintf("%s %d of %d", x.Kind, x.N, x.Request.N)
}

func TestAnIntentIsPairedWithItsAnswerOrComesLast(t *testing.T) {
	sent := noon.Add(-time.Second)
	entry := func(n int, kind Kind, credits int) Entry { return Entry{N: n, Kind: kind, At: noon, Credits: credits} }
	asked := func(n int) Entry { return entry(n, KindIntent, 10) }
	replied := func(n, intent, credits int) Entry {
		e := entry(n, KindAnswer, credits)
		e.Intent, e.Sent = intent, sent
		return e
	}
	balance := func(n, credits int) Entry {
		e := entry(n, KindBalance, credits)
		e.Sent = sent
		return e
	}
	lost := func(n, entries int, kind Kind, credits int) Entry {
		e := entry(n, kind, credits)
		e.Lost = &Lost{Entries: entries}
		return e
	}
	for name, c := range map[string]struct {
		entries []Entry
		damage  error
		want    string
		credits int
	}{
		"nothing": {nil, nil, "", 0},
		"answers in the order of their intents": {
			[]Entry{entry(0, KindPlan, 0), asked(1), replied(2, 1, 10), asked(3), replied(4, 3, 0), entry(5, KindEnd, 0)}, nil,
			"plan 0, answer 2 of 1, answer 4 of 3, end 5", 10,
		},
		"requests in flight together": {
			[]Entry{asked(1), asked(2), replied(3, 2, 10), replied(4, 1, 7)}, nil, "answer 3 of 2, answer 4 of 1", 17,
		},
		"intents without an answer, before the end": {
			[]Entry{asked(1), asked(2), asked(3), replied(4, 2, 1), entry(5, KindEnd, 0), entry(6, KindAccept, 0)}, nil,
			"answer 4 of 2, end 5, accept 6, intent 1 of 1, intent 3 of 3", 21,
		},
		"a balance that returns credits": {
			[]Entry{balance(1, 0), asked(2), replied(3, 2, 10), balance(4, -10)}, nil, "balance 1, answer 3 of 2, balance 4", 0,
		},
		"an answer whose intent is lost": {
			[]Entry{entry(0, KindPlan, 0), lost(1, 1, KindLost, 0), replied(2, 1, 10)}, nil, "plan 0, lost 1, answer 2", 10,
		},
		"requests that are lost": {
			[]Entry{lost(1, 4, KindIntent, 20), asked(5), replied(6, 5, 5)}, nil, "answer 6 of 5, intent 1 of 1", 25,
		},
		"a second answer to an intent":             {[]Entry{asked(1), replied(2, 1, 10), replied(3, 1, 10)}, nil, "answer 2 of 1, answer 3", 20},
		"an answer to an entry that is no request": {[]Entry{entry(0, KindPlan, 0), replied(1, 0, 10)}, nil, "plan 0, answer 1", 10},
		"damage behind an intent":                  {[]Entry{asked(1), asked(2), replied(3, 1, 5)}, ErrDamaged, "answer 3 of 1, error, intent 2 of 2", 15},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			credits := 0
			for x, err := range Pair(sequence(c.entries, c.damage)) {
				if err != nil && !errors.Is(err, c.damage) {
					t.Errorf("got %v, want %v", err, c.damage)
				}
				got = append(got, outcome(x, err))
				credits += x.Credits
				at := map[Kind]time.Time{KindIntent: noon, KindAnswer: sent, KindBalance: sent}[x.Kind]
				if !x.SentAt().Equal(at) {
					t.Errorf("%s was sent at %v, want %v", outcome(x, err), x.SentAt(), at)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
			if credits != c.credits {
				t.Errorf("%d credits, want %d", credits, c.credits)
			}
		})
	}
}

// TestExchangesOfATornSegment cuts a segment at each byte: what is whole counts, and the requests whose
// answers are cut off count in full.
func TestExchangesOfATornSegment(t *testing.T) {
	b, ends, all := paidRun(t)
	path := filepath.Join(t.TempDir(), "r"+Extension)
	for cut := ends[0]; cut <= len(b); cut++ {
		if err := os.WriteFile(path, b[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		whole, _ := slices.BinarySearch(ends, cut+1)
		credits, unanswered := 0, false
		for x, err := range Exchanges(path) {
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if unanswered && x.Kind != KindIntent {
				t.Errorf("cut at %d: entry %d comes after an intent without an answer", cut, x.N)
			}
			unanswered = x.Kind == KindIntent
			credits += x.Credits
		}
		if want := spending(all[:whole]); credits != want {
			t.Errorf("cut at %d: %d credits, want %d", cut, credits, want)
		}
	}
	for _, err := range Exchanges(filepath.Join(t.TempDir(), "none"+Extension)) {
		if !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a segment that is missing: %v", err)
		}
	}
}

// entriesOf makes a segment of arbitrary bytes: two bits are the kind of an entry, and the others are
// the distance of an answer from the entry that it names, or the size of a hole.
func entriesOf(script []byte) (all []Entry) {
	n := 0
	for _, b := range script {
		e := Entry{N: n, Kind: KindIntent, Credits: int(b)}
		switch b & 3 {
		case 1, 2:
			e.Kind, e.Intent = KindAnswer, max(0, n-1-int(b>>2)%16)
		case 3:
			e.Kind = []Kind{KindBalance, KindLost, KindEnd, KindIntent}[b>>2&3]
			if e.Kind == KindBalance {
				e.Credits = -e.Credits
			}
			if b>>4&1 == 1 && (e.Kind == KindLost || e.Kind == KindIntent) {
				e.Lost = &Lost{Entries: 1 + int(b>>5)}
			}
		}
		all = append(all, e)
		n = e.after()
	}
	return all
}

// FuzzPair checks that each entry of a segment is in exactly one exchange, in its order, and that a
// caller may stop at any of them.
func FuzzPair(f *testing.F) {
	f.Add([]byte{3, 0, 0, 1, 5, 11}, false)
	f.Add([]byte{0, 0, 1, 1, 1, 0x13 | 4<<2, 2}, true)
	f.Add([]byte("intents and answers in any order"), false)
	f.Fuzz(func(t *testing.T, script []byte, damaged bool) {
		entries, failed := entriesOf(script[:min(len(script), 100)]), error(nil)
		if damaged {
			failed = ErrDamaged
		}
		var all, open []int // the numbers of the entries; those of the intents without an answer
		intents := map[int]int{}
		for x, err := range Pair(sequence(entries, failed)) {
			switch {
			case err != nil:
				if len(open) > 0 || !damaged {
					t.Errorf("error %v after the open intents %v", err, open)
				}
				continue
			case x.Kind == KindIntent:
				if x.Request.N != x.N {
					t.Errorf("intent %d is of %d", x.N, x.Request.N)
				}
				open = append(open, x.N)
				intents[x.N]++
			case len(open) > 0:
				t.Errorf("entry %d comes after the open intents %v", x.N, open)
			case x.Request != nil:
				if x.Request.N != x.Intent || x.Request.Kind != KindIntent {
					t.Errorf("answer %d names %d and has %s %d", x.N, x.Intent, x.Request.Kind, x.Request.N)
				}
				intents[x.Request.N]++
			}
			if x.Kind != KindIntent {
				all = append(all, x.N)
			}
		}
		if !slices.IsSorted(open) {
			t.Errorf("open intents in the order %v", open)
		}
		for _, e := range entries {
			if e.Kind == KindAnswer && slices.Contains(open, e.Intent) {
				t.Errorf("intent %d is open, and answer %d names it", e.Intent, e.N)
			}
		}
		var others, want []int
		for _, e := range entries {
			if want = append(want, e.N); e.Kind != KindIntent {
				others = append(others, e.N)
			} else if all = append(all, e.N); intents[e.N] != 1 {
				t.Errorf("intent %d is in %d exchanges", e.N, intents[e.N])
			}
		}
		if !slices.Equal(all[:len(others)], others) {
			t.Errorf("entries in the order %v, want %v", all, others)
		}
		if slices.Sort(all); !slices.Equal(all, want) {
			t.Errorf("entries %v, want %v", all, want)
		}
		for stop := range len(entries) {
			for range Pair(sequence(entries, failed)) {
				if stop--; stop < 0 {
					break
				}
			}
		}
	})
}
