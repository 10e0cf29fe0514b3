package main

import (
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/machine"
)

func TestCapacity(t *testing.T) {
	left := func(mib int64) machine.Memory {
		return machine.Memory{Left: mib << 20, Limit: 2 * mib << 20, From: "control group /a"}
	}
	for name, c := range map[string]struct {
		config  config.Config
		machine machine.Memory
		unknown bool
		others  int
		memory  int
		from    string
	}{
		"half of what is left":               {machine: left(3000), memory: 1500, from: "half of the 3000 MiB left of the control group /a"},
		"of what other processes leave":      {machine: left(4000), others: 2000, memory: 1000, from: "half of the 2000 MiB left"},
		"never less than a night needs":      {machine: left(300), memory: 256, from: "at least 256"},
		"other processes may take all of it": {machine: left(1000), others: 2304, memory: 256, from: "at least 256"},
		"never more than is of use":          {machine: left(64_000), memory: 4096, from: "at most 4096"},
		"a system that says nothing":         {unknown: true, memory: 1024, from: "does not report"},
		"the configuration is obeyed":        {config: config.Config{MemoryMiB: 9000, Threads: 3}, machine: left(300), memory: 9000, from: "configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			got := capacityOf(c.config, c.machine, !c.unknown, c.others)
			if got.memoryMiB != c.memory || !strings.Contains(got.memoryFrom, c.from) || got.threads != c.config.Threads {
				t.Errorf("%+v, want %d MiB from %q", got, c.memory, c.from)
			}
		})
	}
}

// TestCapacityIsDivided: Go and DuckDB do not take their shares at the same time, and DuckDB takes more than
// its limit.
func TestCapacityIsDivided(t *testing.T) {
	for memory, want := range map[int][2]int{256: {160, 192}, 512: {316, 448}, 1024: {777, 960}, 4096: {3542, 4032}} {
		c := capacity{memoryMiB: memory}
		if got := [2]int{c.duckdbMiB(), c.goMiB()}; got != want {
			t.Errorf("%d MiB: DuckDB and Go have %v, want %v", memory, got, want)
		}
	}
}

// TestDoctorReportsTheMemory: where it comes from, and that a configuration asks for more than there is.
func TestDoctorReportsTheMemory(t *testing.T) {
	m := machine.Memory{Left: 3000 << 20, Limit: 4000 << 20, From: "control group /a"}
	for name, c := range map[string]struct {
		text, want, failure string
	}{
		"chosen":                  {"", "1500 MiB (default: half of the 3000 MiB left of the control group /a, at least 256 and at most 4096), of which DuckDB 1206; threads 1 (default)", ""},
		"two threads":             {"memory: 1GiB\nthreads: 2", "threads 3 (the configuration has 2, with which this DuckDB has a bug)", ""},
		"memory for two threads":  {"memory: 768MiB\nthreads: 3", "threads 1 (the configuration has 3, and each needs 256 MiB)", ""},
		"too many threads":        {"memory: 512MiB\nthreads: 2", "threads 1 (the configuration has 2, and each needs 256 MiB)", ""},
		"configured":              {"memory: 1GiB\nthreads: 3", "1024 MiB (configuration), of which DuckDB 777; threads 3 (configuration); beside it, in serve, up to 572 MiB for page and Flight SQL, and 4 queries with 512 MiB each", ""},
		"more than there is":      {"memory: 4001MiB", "", "4001 MiB (configuration), but this process can have 4000 MiB at most"},
		"without a page of serve": {"memory: 512MiB\nserve: {listen: ''}", "threads 1 (default)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := world{t: t, dir: t.TempDir()}
			w.write("fleetlake.yaml", c.text)
			cfg, err := config.Load(w.dir+"/fleetlake.yaml", true, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			words, err := memoryWords(cfg, m, true)
			if c.failure == "" && (err != nil || !strings.Contains(words, c.want)) {
				t.Errorf("%q, %v, want %q", words, err, c.want)
			}
			if c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)) {
				t.Errorf("%q, %v, want the error %q", words, err, c.failure)
			}
		})
	}
}
