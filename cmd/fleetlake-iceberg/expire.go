package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"
)

// unreferencedKey is the object that says since when a file has been unneeded.
const unreferencedKey = "_iceberg/unreferenced.json"

// expiry is what expire did, or would do.
type expiry struct {
	Snapshots map[string]int `json:"snapshots_expired"` // by table
	Deleted   []string       `json:"deleted"`
	Waiting   []string       `json:"waiting"` // orphans whose grace period lasts
	Bytes     int64          `json:"bytes_deleted"`
	Strangers []string       `json:"strangers"` // files of others below the tables, which are left alone
}

// expireOptions say what expire keeps.
type expireOptions struct {
	olderThan time.Duration // a snapshot expires when it has not been the current one for so long
	grace     time.Duration // a file is deleted when nothing has needed it for so long
	dryRun    bool
	now       time.Time
}

// expire removes old snapshots from the tables, then the pins that they needed, then files of ours that nothing
// refers to. It deletes nothing outside _iceberg, and there only files of the tables of this catalog whose names
// this program or its library gave.
func (l lake) expire(ctx context.Context, o expireOptions) (expiry, error) {
	result := expiry{Snapshots: map[string]int{}}
	names, err := registered(ctx, l.catalog)
	if err != nil {
		return result, err
	}
	found, err := l.list(ctx, names) // before the references: what is committed after it cannot be in the list
	if err != nil {
		return result, err
	}
	referred := map[string]bool{}
	for _, name := range names {
		tbl, err := l.expireTable(ctx, name, o, &result)
		if err != nil {
			return result, err
		}
		if err := l.references(ctx, tbl, name, found, o, referred); err != nil {
			return result, fmt.Errorf("read what %s refers to, nothing is deleted: %w", name, err)
		}
	}
	if err := l.publish(ctx); err != nil { // before anything goes that an earlier copy for readers names
		return result, err
	}
	if !o.dryRun {
		if err := unpin(ctx, l.target, exported(referred)); err != nil {
			return result, err
		}
	}
	return result, l.deleteUnreferenced(ctx, names, found, referred, o, &result)
}

// exported returns the files of the export among all references.
func exported(referred map[string]bool) map[string]bool {
	files := map[string]bool{}
	for key := range referred {
		if namespace, _, _ := strings.Cut(key, "/"); slices.Contains(namespaces, namespace) {
			files[key] = true
		}
	}
	return files
}

// list returns the objects below the tables, by key.
func (l lake) list(ctx context.Context, names []string) (map[string]object, error) {
	found := map[string]object{}
	for _, name := range names {
		for o, err := range l.target.list(ctx, folder(name)+"/") {
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", folder(name), err)
			}
			found[o.key] = o
		}
	}
	return found, nil
}

// expireTable removes the snapshots that expired and returns the table as it is then.
func (l lake) expireTable(ctx context.Context, name string, o expireOptions, result *expiry) (*table.Table, error) {
	var after *table.Table
	err := l.repeat(ctx, name, func(tbl *table.Table) (bool, error) {
		if tbl == nil {
			return true, fmt.Errorf("table %s was dropped meanwhile: run expire again", name)
		}
		after = tbl
		old := expired(tbl.Metadata(), o.now.Add(-o.olderThan))
		if len(old) == 0 || o.dryRun {
			result.Snapshots[name] += len(old)
			return true, nil
		}
		requirements := []table.Requirement{table.AssertTableUUID(tbl.Metadata().TableUUID())}
		for branch, ref := range tbl.Metadata().Refs() {
			requirements = append(requirements, table.AssertRefSnapshotID(branch, &ref.SnapshotID))
		}
		if _, _, err := l.catalog.CommitTable(ctx, identifier(name), requirements, []table.Update{table.NewRemoveSnapshotsUpdate(old, false)}); err != nil {
			return false, fmt.Errorf("expire snapshots of %s: %w", name, err)
		}
		result.Snapshots[name] += len(old)
		return false, nil // load what it is now
	})
	return after, err
}

// expired returns the snapshots that ceased to be current before a time and that no branch or tag names.
func expired(m table.Metadata, before time.Time) []int64 {
	kept := map[int64]bool{}
	for _, ref := range m.Refs() {
		kept[ref.SnapshotID] = true
	}
	var previous int64
	for entry := range m.SnapshotLogs() {
		if !time.UnixMilli(entry.TimestampMs).Before(before) { // previous was current until then
			kept[previous], kept[entry.SnapshotID] = true, true
		}
		previous = entry.SnapshotID
	}
	var old []int64
	for _, s := range m.Snapshots() {
		if !kept[s.SnapshotID] && time.UnixMilli(s.TimestampMs).Before(before) {
			old = append(old, s.SnapshotID)
		}
	}
	return old
}

// references adds everything that a table needs: its metadata and their log, and of each snapshot the manifests
// and data files. In a dry run snapshots that would expire do not count. Metadata of another table in the same
// folder, such as that of a second catalog, keeps its files too.
func (l lake) references(ctx context.Context, tbl *table.Table, name string, found map[string]object, o expireOptions, referred map[string]bool) error {
	gone := map[int64]bool{}
	if o.dryRun {
		for _, id := range expired(tbl.Metadata(), o.now.Add(-o.olderThan)) {
			gone[id] = true
		}
	}
	w := walk{lake: l, tbl: tbl, referred: referred, seen: map[string]bool{}}
	w.add(tbl.MetadataLocation())
	if err := w.metadata(ctx, tbl.Metadata(), gone); err != nil {
		return err
	}
	for key := range found {
		if path.Dir(key) != folder(name)+"/metadata" || !strings.HasSuffix(key, ".metadata.json") || referred[key] {
			continue
		}
		text, _, err := l.target.read(ctx, key)
		if errors.Is(err, errNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		other, err := table.ParseMetadataBytes(text)
		if err != nil || other.TableUUID() == tbl.Metadata().TableUUID() {
			continue // an old state of this table
		}
		w.add(l.target.of(key))
		if err := w.metadata(ctx, other, nil); err != nil {
			return fmt.Errorf("%s belongs to another table: %w", key, err)
		}
	}
	return nil
}

// walk collects references.
type walk struct {
	lake     lake
	tbl      *table.Table
	referred map[string]bool
	seen     map[string]bool // manifests that were read
}

func (w walk) add(uri string) {
	if key, inside := w.lake.target.key(uri); inside {
		w.referred[key] = true
	}
}

func (w walk) metadata(ctx context.Context, m table.Metadata, gone map[int64]bool) error {
	for entry := range m.PreviousFiles() {
		w.add(entry.MetadataFile)
	}
	for s := range m.Statistics() {
		w.add(s.StatisticsPath)
	}
	for s := range m.PartitionStatistics() {
		w.add(s.StatisticsPath)
	}
	for _, s := range m.Snapshots() {
		if gone[s.SnapshotID] {
			continue
		}
		if err := w.snapshot(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (w walk) snapshot(ctx context.Context, s table.Snapshot) error {
	w.add(s.ManifestList)
	files, err := w.tbl.FS(ctx)
	if err != nil {
		return err
	}
	manifests, err := s.Manifests(files)
	if err != nil {
		return err
	}
	for _, m := range manifests {
		w.add(m.FilePath())
		if w.seen[m.FilePath()] {
			continue
		}
		w.seen[m.FilePath()] = true
		for entry, err := range m.Entries(files, true) {
			if err != nil {
				return err
			}
			w.add(entry.DataFile().FilePath())
		}
	}
	return nil
}

// written are the names that this program and its library give.
var written = regexp.MustCompile(`^(metadata/([0-9]+-[0-9a-f-]{36}\.metadata\.json|snap-[0-9]+-.*[0-9a-f-]{36}\.avro|[0-9a-f-]{36}-m[0-9]+\.avro)|data/` +
	compactedPrefix + `[0-9a-f-]{36}\.parquet)(` + temporary + `[0-9]+)?$`)

// deleteUnreferenced notes since when files have been unneeded, and deletes those whose grace period is over.
func (l lake) deleteUnreferenced(ctx context.Context, names []string, found map[string]object, referred map[string]bool, o expireOptions, result *expiry) error {
	text, version, err := l.target.read(ctx, unreferencedKey)
	if err != nil && !errors.Is(err, errNotFound) {
		return err
	}
	before, since := map[string]time.Time{}, map[string]time.Time{}
	if err == nil {
		if err := json.Unmarshal(text, &before); err != nil {
			return fmt.Errorf("read %s: %w", unreferencedKey, err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if referred[key] {
			continue
		}
		if !written.MatchString(relative(key, names)) {
			result.Strangers = append(result.Strangers, key)
			continue
		}
		first, noted := before[key]
		if !noted {
			first = o.now
		}
		if o.now.Sub(first) < o.grace || o.now.Sub(found[key].modified) < o.grace {
			since[key] = first
			result.Waiting = append(result.Waiting, key)
			continue
		}
		if !o.dryRun {
			if err := l.target.remove(ctx, key); err != nil {
				return fmt.Errorf("delete %s: %w", key, err)
			}
		}
		result.Deleted = append(result.Deleted, key)
		result.Bytes += found[key].bytes
	}
	if o.dryRun || maps.Equal(before, since) {
		return nil
	}
	return l.note(ctx, since, version)
}

// relative returns the key below the folder of its table.
func relative(key string, names []string) string {
	for _, name := range names {
		if rest, ok := strings.CutPrefix(key, folder(name)+"/"); ok {
			return rest
		}
	}
	return ""
}

// note writes since when files have been unneeded. If another expire was first, its notes hold.
func (l lake) note(ctx context.Context, since map[string]time.Time, version string) error {
	text, err := json.MarshalIndent(since, "", " ")
	if err != nil {
		return err
	}
	if err := l.target.replace(ctx, unreferencedKey, append(text, '\n'), version); err != nil && !errors.Is(err, errChanged) {
		return fmt.Errorf("write %s: %w", unreferencedKey, err)
	}
	return nil
}
