package simulation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

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
	days         int // of the calendar, from the first night to the last
}

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
			}()
			for i, n := range s.nights {
				w.dark(n)
				if i%5 == 4 || i == len(s.nights)-1 {
					w.checkHistory()
				}
				if i == len(s.nights)-1 && n.seed%3 == 0 {
					w.inAnyOrder(rand.New(rand.NewPCG(n.seed, 4)))
				}
				o.nights++
				o.days = n.day
				if len(w.failures) > 0 {
					return
				}
			}
		})
	})
	return o
}

// shrink removes nights, and what happens in them, as long as the scenario still fails.
func shrink(t *testing.T, s scenario, o outcome) (scenario, outcome) {
	s.nights = s.nights[:o.nights]
	try := func(nights []night) bool {
		smaller := scenario{s.seed, nights}
		fails := simulate(t, smaller)
		if len(fails.failures) == 0 {
			return false
		}
		s, o = scenario{s.seed, nights[:fails.nights]}, fails
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

// TestYears plays scenarios, each of its own seed. FLEETLAKE_SEED plays one, of FLEETLAKE_NIGHTS nights.
func TestYears(t *testing.T) {
	nights, seeds, first := number("FLEETLAKE_NIGHTS", 20), number("FLEETLAKE_SEEDS", 3), 0
	if seed := number("FLEETLAKE_SEED", -1); seed >= 0 {
		first, seeds = seed, 1
	}
	var all outcome
	for seed := first; seed < first+seeds; seed++ {
		s := draw(uint64(seed), nights)
		o := simulate(t, s)
		all.nights, all.runs, all.days = all.nights+o.nights, all.runs+o.runs, all.days+o.days
		if len(o.failures) == 0 {
			continue
		}
		t.Errorf("seed %d fails: FLEETLAKE_SEED=%d FLEETLAKE_NIGHTS=%d go test ./pipeline/simulation -run TestYears\n%s", seed, seed, nights, strings.Join(o.failures, "\n"))
		if os.Getenv("FLEETLAKE_SHRINK") != "0" {
			least, fails := shrink(t, s, o)
			t.Errorf("the fewest nights that fail:\n%v\n%s", least, strings.Join(fails.failures, "\n"))
		}
	}
	t.Logf("%d nights with %d runs in %.1f simulated years", all.nights, all.runs, float64(all.days)/365.25)
}
