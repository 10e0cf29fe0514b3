package main

import (
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/machine"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Bounds of the memory that a process takes if the configuration does not say how much, in MiB. More than the
// upper one makes no night of a million vessels faster.
const leastMemoryMiB, mostMemoryMiB = config.LeastMemoryMiB, 4096

// unknownMemoryMiB is taken where the machine does not say what it has left.
const unknownMemoryMiB = 1024

// capacity is what a process that harvests or builds may take, and why.
type capacity struct {
	memoryMiB  int // of Go and DuckDB together
	memoryFrom string
	threads    int // of DuckDB; 0 leaves it to DuckDB's user
}

// capacityOf returns the capacity that the configuration sets, or half of the memory that is left on the
// machine when other processes have taken their share, in MiB.
func capacityOf(c config.Config, m machine.Memory, known bool, othersMiB int) capacity {
	set := capacity{memoryMiB: c.MemoryMiB, memoryFrom: "configuration", threads: c.Threads}
	switch half := (int(m.Left>>20) - othersMiB) / 2; {
	case c.MemoryMiB > 0:
	case !known:
		set.memoryMiB, set.memoryFrom = unknownMemoryMiB, "default: this system does not report what is left"
	default:
		set.memoryMiB = min(max(half, leastMemoryMiB), mostMemoryMiB)
		set.memoryFrom = fmt.Sprintf("default: half of the %d MiB left of the %s, at least %d and at most %d", int(m.Left>>20)-othersMiB, m.From, leastMemoryMiB, mostMemoryMiB)
	}
	return set
}

// duckdbMiB is DuckDB's limit: what is left when Go and the parts of DuckDB that its limit does not include
// have what they take. While DuckDB builds, Go has a few MiB. With less than 160 MiB a night of a million vessels
// cannot be published.
func (c capacity) duckdbMiB() int { return max(160, (c.memoryMiB-160)*9/10) }

// threadMiB is the memory that DuckDB needs for each thread. With several and 128 MiB in all it does not fail
// with an error, but crashes.
const threadMiB = 256

// duckdbThreads is how many threads have the memory that they need; 0 leaves it to DuckDB's user.
func (c capacity) duckdbThreads() int {
	if c.threads == 0 {
		return 0
	}
	fit := max(1, c.duckdbMiB()/threadMiB)
	if n := warehouse.Threads(c.threads); n <= fit {
		return n
	}
	if fit == 2 { // which would be made three
		return 1
	}
	return fit
}

// goMiB is the limit of Go's memory, most of which it takes when no DuckDB is open.
func (c capacity) goMiB() int { return c.memoryMiB - 64 }

// threadsWords says how many threads DuckDB has, and why.
func (c capacity) threadsWords() string {
	switch n := c.duckdbThreads(); {
	case c.threads == 0:
		return fmt.Sprintf("%d (default)", warehouse.DefaultThreads)
	case n < c.threads:
		return fmt.Sprintf("%d (the configuration has %d, and each needs %d MiB)", n, c.threads, threadMiB)
	case n > c.threads:
		return fmt.Sprintf("%d (the configuration has %d, with which this DuckDB has a bug)", n, c.threads)
	default:
		return fmt.Sprintf("%d (configuration)", n)
	}
}

// capacity reads what the machine has left.
func (a *app) capacity(c config.Config, othersMiB int) capacity {
	m, known := machine.ReadMemory(os.DirFS("/"))
	return capacityOf(c, m, known, othersMiB)
}

// bound limits the memory and the threads of this process. GOMEMLIMIT in the environment wins over
// the limit of Go's memory.
func (a *app) bound(c capacity) {
	warehouse.SetLimits(c.duckdbMiB(), c.duckdbThreads())
	if a.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(c.goMiB()) << 20)
	}
}

// attributes are what the log of a run says of it.
func (c capacity) attributes() []slog.Attr {
	return []slog.Attr{slog.Int("memory_mib", c.memoryMiB), slog.String("memory_from", c.memoryFrom), slog.Int("duckdb_mib", c.duckdbMiB()), slog.String("threads", c.threadsWords())}
}

// boundedLake is lake for a verb that builds or compares, within the memory of the configuration.
func (a *app) boundedLake() (string, error) {
	cfg, err := a.config()
	if err != nil {
		return "", err
	}
	a.bound(a.capacity(cfg, 0))
	return cfg.DataDir, requireLake(cfg.DataDir)
}

// memoryFits says what a run may take, and returns an error if that is more than the machine has.
func (a *app) memoryFits(cfg config.Config) (string, error) {
	m, known := machine.ReadMemory(os.DirFS("/"))
	return memoryWords(cfg, m, known)
}

func memoryWords(cfg config.Config, m machine.Memory, known bool) (string, error) {
	c := capacityOf(cfg, m, known, 0)
	if most := int(m.Limit >> 20); known && c.memoryMiB > most {
		return "", fmt.Errorf("%d MiB (%s), but this process can have %d MiB at most; set memory in the configuration to half of that, and %d MiB or more: %w",
			c.memoryMiB, c.memoryFrom, most, leastMemoryMiB, errUsage)
	}
	words := fmt.Sprintf("%d MiB (%s), of which DuckDB %d; threads %s", c.memoryMiB, c.memoryFrom, c.duckdbMiB(), c.threadsWords())
	if others := networkMiB(cfg); others > 0 {
		words += fmt.Sprintf("; beside it, in serve, up to %d MiB for page and Flight SQL, and %d queries with %d MiB each", others-cfg.Queries.Concurrent*cfg.Queries.MemoryMiB, cfg.Queries.Concurrent, cfg.Queries.MemoryMiB)
	}
	return words, nil
}
