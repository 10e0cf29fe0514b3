package main

import (
	"slices"
	"strings"
)

// liveFile is a data file of the current snapshot of a table. Path is relative to the target.
type liveFile struct {
	path  string
	bytes int64
	rows  int64
	parts []part // of a file that compact wrote; nil for a file of the export
}

// dates returns the days that a file covers; exact is false if it names only a month.
func (f liveFile) dates() (days []string) {
	for _, p := range f.parts {
		days = append(days, p.SnapshotDate)
	}
	for _, folder := range strings.Split(f.path, "/") {
		switch key, of, _ := strings.Cut(folder, "="); key {
		case "night", "snapshot_date", "snapshot_month": // earlier exports have the second
			days = append(days, of)
		}
	}
	return days
}

// step is one commit: files that leave the table and files that take their place, or one file that is added.
type step struct {
	remove []string
	add    []manifestFile
}

// planTable compares the files of a table with those of the manifest. First come, in one step, the files that
// must go together with those of the same days, so that no snapshot has a night twice or not at all. Then every
// new file is a step of its own, in the order of the nights.
func planTable(want []manifestFile, live []liveFile) []step {
	kept, missing := settle(want, live)
	var first step
	for _, f := range live {
		if !kept[f.path] {
			first.remove = append(first.remove, f.path)
		}
	}
	var steps []step
	for _, f := range missing {
		if len(first.remove) > 0 && replaces(f, live, kept) {
			first.add = append(first.add, f)
		} else {
			steps = append(steps, step{add: []manifestFile{f}})
		}
	}
	if len(first.remove) > 0 {
		steps = append([]step{first}, steps...)
	}
	return steps
}

// settle returns which live files stay, by path, and which files of the manifest are missing. A file of the
// export stays while the manifest lists it. A compacted file stays while the manifest has all its parts and no
// missing file of the manifest has one of them too; if it goes, the files of the export with its parts come back.
func settle(want []manifestFile, live []liveFile) (kept map[string]bool, missing []manifestFile) {
	listed, wanted := map[string]manifestFile{}, map[part]bool{}
	for _, f := range want {
		listed[f.Path] = f
		for _, p := range f.parts() {
			wanted[p] = true
		}
	}
	kept = map[string]bool{}
	for _, f := range live {
		_, isListed := listed[f.path]
		kept[f.path] = isListed || f.parts != nil && !slices.ContainsFunc(f.parts, func(p part) bool { return !wanted[p] })
	}
	for {
		have := holders(live, kept, listed)
		missing = nil
		again := false
		for _, f := range want {
			if kept[f.Path] || !slices.ContainsFunc(f.parts(), func(p part) bool { return have[p] == "" }) {
				continue
			}
			missing = append(missing, f)
			for _, p := range f.parts() {
				if other := have[p]; other != "" {
					kept[other], again = false, true
				}
			}
		}
		if !again {
			return kept, missing
		}
	}
}

// holders returns which kept file has each part. A part that two files have leaves the compacted one.
func holders(live []liveFile, kept map[string]bool, listed map[string]manifestFile) map[part]string {
	have := map[part]string{}
	for _, f := range live {
		if kept[f.path] && f.parts == nil {
			for _, p := range listed[f.path].parts() {
				have[p] = f.path
			}
		}
	}
	for _, f := range live {
		if !kept[f.path] || f.parts == nil {
			continue
		}
		if slices.ContainsFunc(f.parts, func(p part) bool { return have[p] != "" }) {
			kept[f.path] = false
			continue
		}
		for _, p := range f.parts {
			have[p] = f.path
		}
	}
	return have
}

// replaces reports whether a file has a day of a file that leaves. In a history table it always does.
func replaces(f manifestFile, live []liveFile, kept map[string]bool) bool {
	days := f.dates()
	for _, l := range live {
		if kept[l.path] {
			continue
		}
		gone := l.dates()
		if len(days) == 0 || len(gone) == 0 {
			return true
		}
		for _, day := range days {
			if slices.ContainsFunc(gone, func(g string) bool { return strings.HasPrefix(day, g) }) {
				return true
			}
		}
	}
	return false
}
