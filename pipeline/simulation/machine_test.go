package simulation

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/derive"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/warehouse"
)

// machine has a data directory and a clock, and runs the program at a service.
type machine struct {
	service *service
	p       pipeline.Pipeline
	kills   []time.Time // when processes were killed, by the virtual clock
	opened  opened

	collected int             // runs that did not publish
	basis     map[string]bool // the runs that were published when the last of them was planned
}

// must panics with an error of the test itself, which the test reports.
func (m *machine) must(err error) {
	if err != nil {
		panic(err)
	}
}

// settle waits for answers that are in flight, and dates the segments by the clock of the machine.
func (m *machine) settle() {
	time.Sleep(70 * time.Second) // of virtual time: an abandoned run's answers arrive within a minute
	for _, path := range m.segments() {
		if info, err := os.Stat(path); err == nil && info.ModTime().Year() >= 2025 { // by the real clock
			m.must(os.Chtimes(path, m.p.Now(), m.p.Now()))
		}
	}
}

// segments lists the files of the journal.
func (m *machine) segments() []string {
	paths, err := journal.Segments(filepath.Join(m.p.Dir, "journal"))
	m.must(err)
	return paths
}

// kill runs a process that is killed: at a priced request, before or after the service has
// answered it, or when it begins to derive or to publish. Nothing of the process is left but the data
// directory as it was at that moment. It reports whether the process got so far.
func (m *machine) kill(process func(context.Context), request int, answered bool, phase string) (killed bool) {
	dir, next := m.p.Dir, fmt.Sprint(m.p.Dir, "-", len(m.kills))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	freeze := func() {
		killed = true
		m.kills = append(m.kills, time.Now())
		m.must(freeze(next, dir))
		cancel()
	}
	m.service.begin(request, answered, freeze)
	m.p.Progress = func(now pipeline.Progress) {
		if now.Phase == phase && !killed {
			freeze()
		}
		if killed && now.Phase != "harvest" {
			runtime.Goexit()
		}
	}
	defer func() { m.p.Progress = nil }()
	var failed any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failed = recover() }()
		process(ctx)
	}()
	<-done
	if failed != nil {
		panic(failed)
	}
	if killed {
		m.must(os.RemoveAll(dir))
		m.p.Dir = next
	}
	m.settle()
	return killed
}

// freeze copies a data directory as it is at this moment. What the program never changes in place, the
// files of the lake and of the warehouse, are links.
func freeze(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		part, _, _ := strings.Cut(below, string(filepath.Separator))
		if final := []string{".parquet", ".duckdb"}; part != "work" && slices.Contains(final, filepath.Ext(path)) {
			return os.Link(path, target)
		}
		if below == filepath.Join("journal", ".reserve") {
			return os.WriteFile(target, nil, 0o600) // its content does not matter, and it is large
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, b, info.Mode()); err != nil {
			return err
		}
		return os.Chtimes(target, info.ModTime(), info.ModTime())
	})
}

// collect is a run that publishes nothing: it ends what was killed, plans on what is published, and collects.
func (m *machine) collect(ctx context.Context, job plan.Job, date string) (pipeline.Collected, error) {
	known, err := warehouse.OpenPublished(ctx, m.p.Dir)
	m.must(err)
	defer known.Close()
	m.must(journal.RemoveReserve(filepath.Join(m.p.Dir, "journal")))
	_, err = derive.EndSegments(m.deriver(), known.Runs)
	m.must(err)
	started := m.p.Now().UTC()
	m.collected++
	m.basis = known.Runs
	return m.p.Collect(ctx, known, job, date, started.Format("20060102T150405.000Z")+fmt.Sprintf("-%04x", m.collected), started)
}

// deriver returns what repairs the data directory.
func (m *machine) deriver() derive.Deriver {
	return derive.Deriver{Dir: m.p.Dir, Now: m.p.Now, AcceptIssues: true}
}
