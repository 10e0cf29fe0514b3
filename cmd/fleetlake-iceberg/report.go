package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// report is what a verb did. Its JSON form has everything; text is for people.
type report interface{ text(w io.Writer) }

func print(out io.Writer, r report, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	r.text(w)
	return w.Flush()
}

type registerReport struct {
	DryRun bool          `json:"dry_run"`
	Export string        `json:"export"`
	Tables []tableChange `json:"tables"`
}

func (r registerReport) text(w io.Writer) {
	changed := 0
	for _, t := range r.Tables {
		if t.Problem != "" {
			fmt.Fprintf(w, "%s: left as it is: %s\n", t.Table, t.Problem)
			continue
		}
		if t.nothing() {
			continue
		}
		if changed++; changed == 1 {
			fmt.Fprintln(w, "table\tcommits\tfiles added\tremoved\trows added\t")
		}
		note := ""
		switch {
		case t.Back:
			note = "rolled back to fleetlake's last snapshot"
		case t.Created:
			note = "new table"
		case t.Altered:
			note = "new columns or comments"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\n", t.Table, t.Commits, t.Added, t.Removed, t.Rows, note)
	}
	fmt.Fprintf(w, "%s: %d of %d tables of export %s\n", would(r.DryRun, "changed"), changed, len(r.Tables), r.Export)
}

type compactReport struct {
	DryRun bool         `json:"dry_run"`
	Tables []compaction `json:"tables"`
}

func (r compactReport) text(w io.Writer) {
	merged := 0
	for _, t := range r.Tables {
		if t.Merged > 0 {
			fmt.Fprintf(w, "%s\t%d files of %d bytes merged\t%d files before\t%d after\n", t.Table, t.Merged, t.Bytes, t.Before, t.After)
			merged += t.Merged
		}
	}
	fmt.Fprintf(w, "%s: %d files\n", would(r.DryRun, "merged"), merged)
}

type expireReport struct {
	DryRun bool `json:"dry_run"`
	expiry
}

func (r expireReport) text(w io.Writer) {
	total := 0
	for _, table := range slices.Sorted(maps.Keys(r.Snapshots)) {
		total += r.Snapshots[table]
	}
	for _, key := range r.Deleted {
		fmt.Fprintf(w, "%s\t%s\n", would(r.DryRun, "deleted"), key)
	}
	for _, key := range r.Waiting {
		fmt.Fprintf(w, "nothing needs it, the grace period lasts\t%s\n", key)
	}
	for _, key := range r.Strangers {
		fmt.Fprintf(w, "not ours, left alone\t%s\n", key)
	}
	fmt.Fprintf(w, "%s: %d snapshots, %d files of %d bytes; waiting: %d files\n", would(r.DryRun, "expired and deleted"), total, len(r.Deleted), r.Bytes, len(r.Waiting))
}

type statusReport struct {
	Target string        `json:"target"`
	Export string        `json:"export"`
	Tables []tableStatus `json:"tables"`
}

func (r statusReport) text(w io.Writer) {
	fmt.Fprintln(w, "table\tsnapshots\tfiles\tcompacted\trows\tbytes\tregister would")
	for _, t := range r.Tables {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", t.Table, t.Snapshots, t.Files, t.Compacted, t.Rows, t.Bytes, t.Register.would())
	}
}

// would says in words what register would do.
func (c tableChange) would() string {
	switch {
	case c.Problem != "":
		return "leave it: another engine changed it"
	case c.nothing():
		return "do nothing"
	case c.Created:
		return fmt.Sprintf("create it with %d files", c.Added)
	}
	return fmt.Sprintf("add %d files and remove %d", c.Added, c.Removed)
}

func would(dryRun bool, done string) string {
	if dryRun {
		return "would be " + done
	}
	return done
}
