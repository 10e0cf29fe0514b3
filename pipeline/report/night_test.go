package report

import (
	"math/rand/v2"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/google/go-cmp/cmp"
)

func TestNight(t *testing.T) {
	capped, late := Fate{LeftOut, CauseCredits, "the cap does not reach"}, Fate{LeftOut, CauseTime, "there is no time"}
	away, ended := Fate{Unanswered, CauseService, "the service was away"}, Fate{LeftOut, CauseEnd, "the run was stopped"}
	type part struct {
		what  string
		count int
		fate  Fate
	}
	for name, c := range map[string]struct {
		parts []part
		want  []journal.Work
		lines []string
	}{
		"a night without work":         {nil, nil, nil},
		"nothing of a kind is no work": {[]part{{"lookups", 0, Answered}, {"lookups", -1, ended}}, nil, nil},
		"all that was asked is answered, by this run or an earlier one": {[]part{{"searches", 1, Answered}, {"searches", 45, CarriedOver}, {"searches", 2, Answered}},
			[]journal.Work{{What: "searches", Asked: 48, Carried: 45, Answered: 3}}, nil},
		"the same reason is one line, whatever comes between": {[]part{{"searches", 1, ended}, {"lookups", 9, Answered}, {"searches", 2, ended}},
			[]journal.Work{{What: "searches", Asked: 3, Left: []journal.Left{{Count: 3, State: LeftOut, Why: "the run was stopped"}}}, {What: "lookups", Asked: 9, Answered: 9}},
			[]string{"3 of 3 searches are left out: the run was stopped"}},
		"the same reason of another state is another line": {[]part{{"searches", 1, capped}, {"searches", 4, Fate{CutShort, CauseCredits, capped.Why}}},
			[]journal.Work{{What: "searches", Asked: 5, Left: []journal.Left{{Count: 1, State: LeftOut, Why: capped.Why}, {Count: 4, State: CutShort, Why: capped.Why}}}},
			[]string{"1 of 5 searches are left out: the cap does not reach", "4 of 5 searches are cut short: the cap does not reach"}},
		"credits come before time, and time before the service": {[]part{{"searches", 1, ended}, {"searches", 1, away}, {"searches", 1, capped}, {"searches", 1, late}},
			[]journal.Work{{What: "searches", Asked: 4, Left: []journal.Left{{Count: 1, State: LeftOut, Why: capped.Why}, {Count: 1, State: LeftOut, Why: late.Why}, {Count: 1, State: Unanswered, Why: away.Why}, {Count: 1, State: LeftOut, Why: ended.Why}}}},
			[]string{"1 of 4 searches are left out: the cap does not reach", "1 of 4 searches are left out: there is no time", "1 of 4 searches were not answered: the service was away", "1 of 4 searches are left out: the run was stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			var n Night
			for _, p := range c.parts {
				n.Add(p.what, p.count, p.fate)
			}
			if diff := cmp.Diff(c.want, n.Work()); diff != "" {
				t.Errorf("work (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.lines, LeftLines(n.Work())); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFirstOf asks for the first line of some kinds and causes.
func TestFirstOf(t *testing.T) {
	var n Night
	n.Add("lookups", 7, Fate{LeftOut, CauseCredits, "the cap does not reach"})
	n.Add("searches", 5, Fate{Unanswered, CauseService, "the service was away"})
	n.Add("searches", 2, Fate{LeftOut, CauseTime, "there is no time"})
	n.Add("searches", 3, Answered)
	searches := []string{"searches"}
	for name, c := range map[string]struct{ got, want string }{
		"of another kind":       {n.First(searches, CauseCredits), ""},
		"of both kinds":         {n.First([]string{"searches", "lookups"}, CauseCredits, CauseTime), "7 of 7 lookups are left out: the cap does not reach"},
		"of one cause":          {n.First(searches, CauseService), "5 of 10 searches were not answered: the service was away"},
		"of the first of two":   {n.First(searches, CauseService, CauseTime), "2 of 10 searches are left out: there is no time"},
		"what has its answer":   {n.First(searches, NoCause), ""},
		"of a cause that is no": {n.First(searches, CauseEnd), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}

// TestEverythingHasOneFate adds random work: what was asked is the sum of its fates.
func TestEverythingHasOneFate(t *testing.T) {
	fates := []Fate{CarriedOver, Answered}
	for _, state := range []string{LeftOut, CutShort, Suspect, Unanswered} {
		for cause := CauseCredits; cause <= CauseEnd; cause++ {
			fates = append(fates, Fate{state, cause, string(rune('a' + int(cause)%3))})
		}
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		var n Night
		asked := 0
		for range r.IntN(40) {
			count := r.IntN(5)
			asked += count
			n.Add("searches", count, fates[r.IntN(len(fates))])
		}
		for _, w := range n.Work() {
			sum := w.Carried + w.Answered
			for _, l := range w.Left {
				sum += l.Count
			}
			if sum != w.Asked || w.Asked != asked {
				t.Fatalf("seed %d: %d were added: %+v", seed, asked, w)
			}
		}
	}
}
