package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// opened is the published file, open for questions until another is published.
type opened struct {
	info os.FileInfo
	file *warehouse.Warehouse
}

// file returns the published file; nil without one.
func (m *machine) file() *warehouse.Warehouse {
	path := warehouse.Path(m.p.Dir)
	info, err := os.Stat(path)
	if err == nil && m.opened.file != nil && os.SameFile(info, m.opened.info) {
		return m.opened.file
	}
	m.closeFile()
	file, err := warehouse.Open(context.Background(), path, warehouse.Options{Threads: 1})
	if errors.Is(err, warehouse.ErrNone) {
		return nil
	}
	m.must(err)
	m.opened = opened{info, file}
	return file
}

// closeFile closes the published file, before something writes into it or removes it.
func (m *machine) closeFile() {
	if m.opened.file != nil {
		m.must(m.opened.file.Close())
	}
	m.opened = opened{}
}

// ask returns the rows of a query as texts; null is empty, and an instant is its day in UTC. Without a
// published file there are none.
func (m *machine) ask(text string) (all [][]string) {
	file := m.file()
	if file == nil {
		return nil
	}
	rows, err := file.Query(context.Background(), text)
	if err != nil {
		panic(fmt.Errorf("%s: %w", text, err))
	}
	defer rows.Close()
	for values, err := range rows.All() {
		m.must(err)
		cells := make([]string, len(values))
		for i, v := range values {
			switch v := v.(type) {
			case nil:
			case time.Time:
				cells[i] = v.UTC().Format(time.DateOnly)
			default:
				cells[i] = fmt.Sprint(v)
			}
		}
		all = append(all, cells)
	}
	return all
}

// published returns the runs of the published file.
func (m *machine) published() map[string]bool {
	runs := map[string]bool{}
	for _, row := range m.ask("SELECT run_id FROM runs") {
		runs[row[0]] = true
	}
	return runs
}

// historical lists the tables that must be identical when they are made again from the journal.
var historical = []string{"registration", "particulars", "engine", "management", "positions", "listed", "episodes", "internal.latest",
	"vessel_aliases", "identity_conflicts", "second_mmsi_claims", "coverage", "issues", "changes", "internal.doubtful_values", "requests", "fleet_daily", "zone_daily", "partitions"}

// hashes returns a hash of the rows of each table, in any order; nil without a published file.
func (m *machine) hashes() map[string]string {
	parts := make([]string, len(historical))
	for i, table := range historical {
		parts[i] = fmt.Sprintf("SELECT '%[1]s', count(*), coalesce(bit_xor(hash(t)), 0)::VARCHAR FROM %[1]s AS t", table)
	}
	var sums map[string]string
	for _, row := range m.ask(strings.Join(parts, " UNION ALL ")) {
		if sums == nil {
			sums = map[string]string{}
		}
		sums[row[0]] = row[1] + " rows, " + row[2]
	}
	return sums
}

// sameTables compares the tables with those of another moment.
func (w *world) sameTables(check string, before, after map[string]string) {
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if before[table] != after[table] {
			w.fail(check, "%s differs: %s before, %s after", table, before[table], after[table])
		}
	}
}

// checkTables compares the published runs, their requests and their coverage with the journal.
func (w *world) checkTables() map[string]*segment {
	segments, published := w.publishedSegments(), w.published()
	for run := range segments {
		if !published[run] {
			w.fail("history", "%s is in the journal and not published", run)
		}
	}
	for run := range published {
		if segments[run] == nil {
			w.fail("history", "%s is published, and it is not in the journal or was rolled back", run)
		}
	}
	for _, row := range w.ask("SELECT run_id, coalesce(sum(credits), 0), any_value(credits_spent) FROM runs LEFT JOIN requests USING (run_id) GROUP BY run_id") {
		if s := segments[row[0]]; s != nil {
			if spent := fmt.Sprint(s.spent(time.Time{}).credits); row[2] != spent {
				w.fail("money", "%s: the journal counts %s credits, runs.credits_spent is %s (its requests %s)", row[0], spent, row[2], row[1])
			}
		}
	}
	w.checkCoverage(segments)
	return segments
}

// inAnyOrder publishes the journal into an empty directory, the segments in random portions, and compares
// every table.
func (w *world) inAnyOrder(r *rand.Rand) {
	before, here, paths := w.hashes(), w.p.Dir, w.segments()
	if len(w.out) > 0 || before == nil {
		return
	}
	w.p.Dir = filepath.Join(w.root, "again")
	defer func() { w.p.Dir = here }()
	r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for portion := range slices.Chunk(paths, 1+len(paths)/3) {
		for _, path := range portion {
			for _, of := range paths { // a run resumes the earlier ones of its night: they are placed with it
				if filepath.Dir(of) == filepath.Dir(path) && of <= path {
					w.must(place(of, w.p.Dir))
				}
			}
		}
		w.must(w.recover())
	}
	w.sameTables("order", before, w.hashes())
}

// place copies a segment to the journal of another data directory.
func place(path, dir string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, "journal", filepath.Base(filepath.Dir(path)), filepath.Base(path))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
