package simulation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/fleetlake/fleetlake/pipeline/pipelinetest"
)

func TestMain(m *testing.M) {
	zstd, err := compress.GetCodec(compress.Codecs.Zstd) // all bubbles share its encoder, which no bubble may create
	if err != nil {
		panic(err)
	}
	zstd.Encode(make([]byte, 64), []byte("x"))
	os.Exit(pipelinetest.Run(m))
}

// outcome is what a played scenario came to.
type outcome struct {
	failures     []string
	nights, runs int
	published    int // nights whose tables were compared
	days         int // of the calendar, from the first night to the last
}

// A data directory that publishes nothing for a long time continues with the newest segments: each run
// reads all of them.
const mostLater, keptLater = 16, 4

// simulate plays a scenario in virtual time.
func simulate(t *testing.T, s scenario) (o outcome) {
	t.Run(fmt.Sprint("seed ", s.seed, " of ", len(s.nights), " nights"), func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, stop := newWorld(t, s)
			defer stop()
			defer func() {
				if p := recover(); p != nil {
					w.fail("end", "%v\n%s", p, debug.Stack())
				}
				o.failures, o.runs = w.failures, w.runs
				if keep := os.Getenv("FLEETLAKE_KEEP"); keep != "" && len(o.failures) > 0 {
					w.must(os.CopyFS(filepath.Join(keep, filepath.Base(w.root)), os.DirFS(w.p.Dir))) // another play of the same seed may not fail
				}
			}()
			for i, n := range s.nights {
				later, last := s.later(i), i == len(s.nights)-1
				switch {
				case s.every > 1 && !later:
					w.move(1 + int(n.seed>>8%4))
				case later && len(w.journalNow()) > mostLater:
					w.move(keptLater)
				}
				w.dark(n, later)
				if !later && (s.every > 1 || i%5 == 4 || last) {
					w.checkHistory()
				}
				if last && s.every == 1 && n.seed%3 == 0 {
					w.inAnyOrder(rand.New(rand.NewPCG(n.seed, 4)))
				}
				if o.nights++; !later {
					o.published++
				}
				o.days = n.day
				if len(w.failures) > 0 {
					return
				}
			}
		})
	})
	return o
}

// check is the check that a failure names, and the table if it compares one: another failure of a smaller
// scenario may have another cause.
func check(failure string) string {
	parts := strings.SplitN(failure, ": ", 4)
	if len(parts) == 4 && parts[1] == "history" {
		return parts[1] + ": " + parts[2]
	}
	return parts[min(1, len(parts)-1)]
}

// shrink removes nights, and what happens in them, as long as the scenario still fails the same check.
func shrink(t *testing.T, s scenario, o outcome) (scenario, outcome) {
	s.nights = s.nights[:o.nights]
	try := func(nights []night) bool {
		smaller := scenario{s.seed, nights, s.every}
		fails := simulate(t, smaller)
		if len(fails.failures) == 0 || check(fails.failures[0]) != check(o.failures[0]) {
			return false
		}
		s, o = scenario{s.seed, nights[:fails.nights], s.every}, fails
		return true
	}
	for size := max(1, len(s.nights)/2); size > 0; size /= 2 {
		for i := 0; i < len(s.nights); {
			if end := min(len(s.nights), i+size); len(s.nights) == end-i || !try(slices.Delete(slices.Clone(s.nights), i, end)) {
				i += size
			}
		}
	}
	for i := range s.nights {
		if i < len(s.nights) && s.nights[i].event != "plain" {
			plain := slices.Clone(s.nights)
			plain[i].event = "plain"
			try(plain)
		}
	}
	return s, o
}

// number reads a variable of the environment.
func number(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// found are the scenarios that once failed, each with what was wrong.
var found = map[string]scenario{
	"a night that was resumed bought the partitions again which another job had covered meanwhile": {102, []night{{11, "plain", 1}, {18, "cap", 14132797997278020850}}, 1},
}

// TestFoundBugs plays the scenarios that once failed.
func TestFoundBugs(t *testing.T) {
	for what, s := range found {
		if o := simulate(t, s); len(o.failures) > 0 {
			t.Errorf("%s, again:\n%v\n%s", what, s, strings.Join(o.failures, "\n"))
		}
	}
}

// short lists the seeds of the short form: one publishes its last nights, and one each by itself.
var short = []int{4, 28}

// seeds yields the seeds to play: FLEETLAKE_SEED alone, or from FLEETLAKE_FIRST on as many as FLEETLAKE_SEEDS
// says, or with FLEETLAKE_LONG for FLEETLAKE_HOURS. Without any, those of the short form.
func seeds(yield func(int) bool) {
	one, count, began := number("FLEETLAKE_SEED", -1), number("FLEETLAKE_SEEDS", 0), time.Now()
	hours, err := strconv.ParseFloat(os.Getenv("FLEETLAKE_HOURS"), 64)
	if err != nil {
		hours = 1
	}
	switch {
	case one >= 0:
		yield(one)
		return
	case count == 0 && long(0, 1) == 0:
		for _, seed := range short {
			if !yield(seed) {
				return
			}
		}
		return
	}
	for seed, i := number("FLEETLAKE_FIRST", 1), 0; count > 0 && i < count || count == 0 && time.Since(began) < time.Duration(hours*float64(time.Hour)); seed, i = seed+1, i+1 {
		if !yield(seed) {
			return
		}
	}
}

// nightsOf is the length of a scenario: FLEETLAKE_NIGHTS; without it 24, and 365 in one of four of the long form.
// One that publishes every night by itself has an eighth of it.
func nightsOf(seed int) int {
	nights := 24
	if seed%4 == 0 {
		nights = long(24, 365)
	}
	return number("FLEETLAKE_NIGHTS", nights)
}

// TestYears plays scenarios, each of its own seed; see seeds. FLEETLAKE_KEEP is where the data directories of
// those that fail are copied to.
func TestYears(t *testing.T) {
	var all outcome
	played := 0
	for seed := range seeds {
		s := draw(uint64(seed), nightsOf(seed))
		o := simulate(t, s)
		all.nights, all.published, all.runs, all.days = all.nights+o.nights, all.published+o.published, all.runs+o.runs, all.days+o.days
		if len(o.failures) > 0 {
			describe(t, s, o)
		}
		played++
		t.Logf("%d seeds: %d nights with %d runs in %.1f simulated years; %d nights were published", played, all.nights, all.runs, float64(all.days)/365.25, all.published)
	}
}

// describe says how to repeat a failure, and looks for the fewest nights that fail.
func describe(t *testing.T, s scenario, o outcome) {
	t.Errorf("seed %d fails: FLEETLAKE_SEED=%d FLEETLAKE_NIGHTS=%d go test ./pipeline/simulation -run TestYears\n%v\n%s", s.seed, s.seed, nightsOf(int(s.seed)), configure(s.seed), strings.Join(o.failures, "\n"))
	if os.Getenv("FLEETLAKE_SHRINK") == "0" {
		return
	}
	least, fails := shrink(t, s, o)
	t.Errorf("the fewest nights that fail:\n%v\n%s", least, strings.Join(fails.failures, "\n"))
}

// long is how much a test does: less in the short form that `go test ./...` runs, all with FLEETLAKE_LONG.
func long(short, all int) int {
	if os.Getenv("FLEETLAKE_LONG") == "" {
		return short
	}
	return all
}
