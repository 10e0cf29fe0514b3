package derive

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
)

// unknownJob is the job of a run whose plan is lost, and whose job neither its manifest, nor the list
// of held back runs, nor a run that resumes it names. Its answers and its spending count, and its
// vessels are published; no run of another job resumes it.
const unknownJob = "unknown"

// Salvage makes every damaged segment of the journal readable again, and returns what was lost, an
// element for each of these segments. version is that of the program, for the plans of salvaged
// segments. It stops at the first segment that cannot be read or replaced, with the error of
// journal.Salvage, and when ctx is cancelled; the segments that were salvaged by then are returned.
// The caller holds the lock.
func Salvage(ctx context.Context, d Deriver, version string) (all []journal.Salvaged, err error) {
	d = d.withDefaults()
	paths, err := journal.Segments(d.Journal)
	if err != nil {
		return nil, err
	}
	known, err := load.Manifests(d.Dir)
	if err != nil {
		d.Log.Warn("the manifests of the lake cannot be read", "error", err)
	}
	jobs := jobsOf(d, paths)
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		m := known[journal.RunOf(path)]
		planned := journal.Plan{Run: journal.RunOf(path), Job: cmp.Or(m.Run.Job, jobs[journal.RunOf(path)], unknownJob),
			Date:    filepath.Base(filepath.Dir(path)),
			Credits: journal.Price{Most: dearest()}, Version: version}
		if m.Run.Continues != "" {
			planned.Continues = strings.Split(m.Run.Continues, ",")
		}
		done, err := journal.Salvage(path, planned)
		if err != nil {
			return all, err
		}
		if done.Aside != "" {
			d.Log.Warn("a damaged segment of the journal is salvaged", "file", path, "entries", done.Entries, "holes",
				len(done.Holes), "credits", done.Credits, "kept_as", done.Aside)
			all = append(all, done)
		}
	}
	return all, nil
}

// jobsOf returns the jobs of the runs that are held back, and of those that later runs resume.
func jobsOf(d Deriver, paths []string) map[string]string {
	jobs := map[string]string{}
	heldBack, err := ReadHeldBack(d.Dir)
	if err != nil {
		d.Log.Warn("the list of held back runs cannot be read", "error", err)
	}
	for _, h := range heldBack {
		jobs[h.Run] = h.Job
	}
	for _, path := range paths {
		planned, _, err := journal.Bounds(path)
		if err != nil || planned == nil {
			continue // a damaged segment names no job
		}
		for _, run := range planned.Continues {
			jobs[run] = planned.Job
		}
	}
	return jobs
}

// dearest returns the price of the most expensive request, in credits.
func dearest() (credits int) {
	for _, o := range api.Operations {
		credits = max(credits, o.Credits)
	}
	return credits
}
