package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	iceberg "github.com/apache/iceberg-go"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
)

// Files that are smaller than smallFile are merged into files of up to largeFile bytes.
const (
	smallFile = 128 << 20
	largeFile = 512 << 20
)

// mostNights is how many nights a merged file has, once it has more rows than one of its row groups. The rows are sorted
// by vessel, so that one vessel's life is in one row group of each file, and the bounds of the files tell an engine which
// of them has a night: it reads that night and seven others, in a quarter of the bytes that nightly files have.
const mostNights = 8

// mostFiles is how many files are read at once: of each, a page of every column is in memory. What is still small
// after that is merged by the next compaction.
const mostFiles = 64

// compaction is what compact did, or would do, to one table.
type compaction struct {
	Table  string `json:"table"`
	Before int    `json:"files_before"`
	After  int    `json:"files_after"`
	Merged int    `json:"files_merged"`
	Bytes  int64  `json:"bytes_merged"`
	Rows   int64  `json:"rows_merged"`
}

// groups returns which files are to be merged into one: small files in the order of their nights, up to the size
// of a large file or mostNights. A group of fewer than least files is left for a later night, because merging a new night into
// a large file again and again would write that file every time.
func groups(want []manifestFile, live []liveFile, least int) [][]liveFile {
	listed := map[string]manifestFile{}
	for _, f := range want {
		listed[f.Path] = f
	}
	var small []liveFile
	for _, f := range live {
		if f.parts == nil {
			f.parts = listed[f.path].partsIfListed()
		}
		if f.bytes < smallFile && !f.merged() && f.parts != nil { // what the manifest no longer lists waits for register
			small = append(small, f)
		}
	}
	slices.SortFunc(small, func(a, b liveFile) int { return strings.Compare(a.first(), b.first()) })
	var all [][]liveFile
	var group []liveFile
	var size, rows int64
	for _, f := range small {
		manyNights := nights(append(slices.Clip(group), f)...) > max(mostNights, least) && rows+f.rows > rowGroupRows
		if size+f.bytes > largeFile || len(group) == mostFiles || manyNights {
			all = append(all, group)
			group, size, rows = nil, 0, 0
		}
		group = append(group, f)
		size, rows = size+f.bytes, rows+f.rows
	}
	all = append(all, group)
	return slices.DeleteFunc(all, func(g []liveFile) bool { return len(g) < max(2, least) })
}

// merged reports whether a file has nights enough, so that no other is added to it: it would be written again for each.
func (f liveFile) merged() bool { return f.rows > rowGroupRows && nights(f) >= mostNights/2 }

// nights counts the nights in some files.
func nights(files ...liveFile) int {
	seen := map[string]bool{}
	for _, f := range files {
		for _, p := range f.parts {
			seen[p.SnapshotDate] = true
		}
	}
	return len(seen)
}

// partsIfListed returns no part for a file that the manifest does not have.
func (f manifestFile) partsIfListed() []part {
	if f.Path == "" {
		return nil
	}
	return f.parts()
}

// first orders files by their earliest night.
func (f liveFile) first() string {
	earliest := ""
	for i, p := range f.parts {
		if key := p.SnapshotDate + "\x00" + p.Run; i == 0 || key < earliest {
			earliest = key
		}
	}
	return earliest + "\x00" + f.path
}

// compact merges small files of the facts tables. History tables have one file each. A table that another engine
// changed is left as it is and reported.
func (l lake) compact(ctx context.Context, least int, dryRun bool) ([]compaction, error) {
	names, err := registered(ctx, l.catalog)
	if err != nil {
		return nil, err
	}
	var done []compaction
	var foreign error
	for i, name := range names {
		l.progress("compact: %d of %d tables are done, next %s", i, len(names), name)
		if !strings.HasPrefix(name, "facts.") {
			continue
		}
		c, err := l.compactTable(ctx, name, least, dryRun)
		if errors.Is(err, errForeign) {
			foreign = errors.Join(foreign, err)
			continue
		}
		if err != nil {
			return done, err
		}
		done = append(done, c)
	}
	return done, foreign
}

func (l lake) compactTable(ctx context.Context, name string, least int, dryRun bool) (compaction, error) {
	c := compaction{Table: name}
	written := map[string]merged{} // by the files that went into it, so that a repeated commit writes nothing again
	err := l.repeat(ctx, name, func(tbl *table.Table) (bool, error) {
		s, err := readState(ctx, l.target, name, tbl)
		if err != nil {
			return true, err
		}
		if c.Before == 0 {
			c.Before = len(s.files)
		}
		c.After = len(s.files)
		for _, group := range groups(l.manifest.filesOf(name), s.files, least) {
			if dryRun {
				c.merge(group)
				continue
			}
			file, err := l.merge(ctx, tbl, group, written)
			if err != nil {
				return true, fmt.Errorf("compact %s: %w", name, err)
			}
			if tbl, err = l.replaceGroup(ctx, tbl, s, group, file); err != nil {
				return false, fmt.Errorf("compact %s: %w", name, err)
			}
			c.merge(group)
		}
		return true, nil
	})
	return c, err
}

func (c *compaction) merge(group []liveFile) {
	c.After -= len(group) - 1
	c.Merged += len(group)
	for _, f := range group {
		c.Bytes += f.bytes
		c.Rows += f.rows
	}
}

// merged is a new file and the parts in it.
type merged struct {
	data  iceberg.DataFile
	parts []part
}

// merge writes the file of a group and checks that no row is missing.
func (l lake) merge(ctx context.Context, tbl *table.Table, group []liveFile, written map[string]merged) (merged, error) {
	var sources []string
	var parts []part
	var rows int64
	for _, f := range group {
		sources = append(sources, l.target.of(f.path))
		parts = append(parts, f.parts...)
		rows += f.rows
	}
	key := fmt.Sprint(tbl.Schema().ID, sources)
	if m, ok := written[key]; ok {
		return m, nil
	}
	files, err := tbl.FS(ctx)
	if err != nil {
		return merged{}, err
	}
	writable, ok := files.(iceio.WriteFileIO)
	if !ok {
		return merged{}, errors.New("the files of the table cannot be written")
	}
	uri := fmt.Sprintf("%s/data/%s%s.parquet", strings.TrimSuffix(tbl.Location(), "/"), compactedPrefix, uuid.New())
	n, sorted, err := rewrite(ctx, writable, tbl.Schema(), sortPlaces(tbl), true, sources, parts, uri)
	if err == nil && !sorted { // what older programs wrote
		n, _, err = rewrite(ctx, writable, tbl.Schema(), sortPlaces(tbl), false, sources, parts, uri)
	}
	if err != nil {
		return merged{}, err
	}
	order := 0
	if sorted {
		order = tbl.Metadata().DefaultSortOrder()
	}
	data, err := table.FileToDataFile(ctx, files, uri, tbl.Schema(), tbl.Spec(), order, tbl.Properties())
	if err != nil {
		return merged{}, err
	}
	if n != rows || data.Count() != rows {
		return merged{}, fmt.Errorf("%d rows of %d arrived in %s: nothing is committed", data.Count(), rows, uri)
	}
	written[key] = merged{data, parts}
	return written[key], nil
}

// sortPlaces returns where the sort columns are in the schema.
func sortPlaces(tbl *table.Table) (places []int) {
	for _, id := range columnsOf(tbl.SortOrder()) {
		places = append(places, slices.IndexFunc(tbl.Schema().Fields(), func(f iceberg.NestedField) bool { return f.ID == id }))
	}
	return places
}

// replaceGroup commits the new file in place of its group, as a snapshot that changes no row.
func (l lake) replaceGroup(ctx context.Context, tbl *table.Table, s state, group []liveFile, file merged) (*table.Table, error) {
	var runs, days []string
	for _, p := range file.parts {
		runs, days = append(runs, p.Run), append(days, p.SnapshotDate)
	}
	summary := describe(l.manifest, runs, days, nil)
	summary["fleetlake.compacted"] = fmt.Sprint(len(group))
	tx := tbl.NewTransaction()
	change := tx.NewRewrite(summary)
	for _, f := range group {
		change.DeleteFile(s.data[f.path])
	}
	if err := change.AddDataFile(file.data).Commit(ctx); err != nil {
		return nil, err
	}
	// The library adds a mapping of names to ids; the files have their ids, and the mapping would grow stale.
	if err := tx.RemoveProperties([]string{table.DefaultNameMappingKey}); err != nil {
		return nil, err
	}
	return tx.Commit(ctx)
}
