package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// expireAll expires everything that is not current, without a grace period.
func (e *export) expireAll() string {
	e.t.Helper()
	return e.do("expire", "--older-than", "0s", "--grace", "0s")
}

// below returns the keys of some files with a prefix.
func below(files map[string]string, prefix string) map[string]string {
	some := maps.Clone(files)
	maps.DeleteFunc(some, func(key, _ string) bool { return !strings.HasPrefix(key, prefix) })
	return some
}

func TestExpiryDeletesOnlyWhatNothingNeeds(t *testing.T) {
	e, _ := sevenNights(t)
	e.history("run-6", "PA")
	e.publish().do("register")
	strangers := []string{"_iceberg/facts/listings/data/mine.parquet", "_iceberg/facts/listings/notes.txt", "_iceberg/research/tracks/data/fleetlake-x.parquet",
		"_iceberg/facts/other/metadata/00000-11111111-2222-3333-4444-555555555555.metadata.json", "facts/listings/extra.parquet"}
	for _, key := range strangers {
		e.write(key, []byte("of a stranger"))
	}
	e.do("compact")
	before := e.files()
	out := e.do("expire", "--older-than", "0s", "--grace", "0s", "--dry-run")
	if diff := cmp.Diff(before, e.files()); diff != "" {
		t.Fatalf("the dry run changed:\n%s", diff)
	}
	e.expireAll()
	after := e.files()
	deleted := 0
	for key := range before {
		if _, still := after[key]; still {
			continue
		}
		deleted++
		if !strings.HasPrefix(key, "_iceberg/facts/listings/metadata/") || !strings.Contains(out, key) {
			t.Errorf("%s was deleted; the dry run said\n%s", key, out)
		}
	}
	if deleted < 7 {
		t.Errorf("%d files were deleted, want at least the seven lists of manifests", deleted)
	}
	for _, key := range strangers {
		if after[key] != "of a stranger" {
			t.Errorf("%s is gone", key)
		}
	}
	if diff := cmp.Diff(below(before, "facts/"), below(after, "facts/")); diff != "" {
		t.Errorf("the plain lake changed:\n%s", diff)
	}
	e.wantSummaries("history.registration", "append run-6  total 1")
	e.same("facts.listings")
	e.expireAll()
	e.same("facts.listings")
}

func TestACompactedFileIsDeletedWithItsLastSnapshot(t *testing.T) {
	e, nights := sevenNights(t)
	e.do("compact")
	first := e.dataFiles("facts.listings")[0]
	e.unlist(nights[0])
	e.publish().do("register")
	e.do("expire", "--older-than", "7d", "--grace", "0s")
	if _, err := os.Stat(filepath.Join(e.dir, first)); err != nil {
		t.Fatalf("a snapshot that is kept needs %s: %v", first, err)
	}
	e.expireAll()
	if _, err := os.Stat(filepath.Join(e.dir, first)); err == nil {
		t.Errorf("nothing needs %s any longer, and it is there", first)
	}
	e.same("facts.listings")
}

func TestPinsHoldWhatASnapshotNeeds(t *testing.T) {
	e := newExport(t)
	old := e.night("run-1", "2026-11-19", 1)
	kept := e.night("run-2", "2026-11-20", 2)
	e.publish().do("register")
	e.unlist(old)
	anew := e.night("run-1", "2026-11-19", 1, 9)
	e.publish().do("register")
	all := []string{old.Path, kept.Path, anew.Path}
	slices.Sort(all)
	if diff := cmp.Diff(all, e.pinned()); diff != "" {
		t.Errorf("while the old snapshots are there:\n%s", diff)
	}
	e.do("expire", "--older-than", "7d", "--grace", "0s")
	if diff := cmp.Diff(all, e.pinned()); diff != "" {
		t.Errorf("nothing expired, and pins changed:\n%s", diff)
	}
	e.expireAll()
	now := []string{kept.Path, anew.Path}
	slices.Sort(now)
	if diff := cmp.Diff(now, e.pinned()); diff != "" {
		t.Errorf("after the expiry:\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(e.dir, old.Path)); err != nil {
		t.Errorf("expire deleted a file of the plain lake: %v", err)
	}
}

func TestAFileWaitsForItsGracePeriod(t *testing.T) {
	e, _ := sevenNights(t)
	orphan := "_iceberg/facts/listings/data/fleetlake-11111111-2222-3333-4444-555555555555.parquet"
	e.write(orphan, []byte("a killed compaction"))
	long := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(filepath.Join(e.dir, orphan), long, long); err != nil {
		t.Fatal(err)
	}
	exists := func() bool {
		_, err := os.Stat(filepath.Join(e.dir, orphan))
		return err == nil
	}
	out := e.do("expire", "--grace", "1h")
	if !exists() || !strings.Contains(out, orphan) {
		t.Fatalf("the orphan was not listed, or was deleted when first seen:\n%s", out)
	}
	// The grace period begins when expire first finds the file, and that is what the note says.
	note := e.files()[unreferencedKey]
	at := strings.Split(strings.SplitAfter(note, orphan+`": "`)[1], `"`)[0]
	e.write(unreferencedKey, []byte(strings.ReplaceAll(note, at, time.Now().Add(-59*time.Minute).Format(time.RFC3339Nano))))
	if e.do("expire", "--grace", "1h"); !exists() {
		t.Fatal("deleted after 59 minutes of an hour")
	}
	note = e.files()[unreferencedKey]
	at = strings.Split(strings.SplitAfter(note, orphan+`": "`)[1], `"`)[0]
	e.write(unreferencedKey, []byte(strings.ReplaceAll(note, at, time.Now().Add(-61*time.Minute).Format(time.RFC3339Nano))))
	if e.do("expire", "--grace", "1h"); exists() {
		t.Fatal("still there after 61 minutes")
	}
	if strings.Contains(e.files()[unreferencedKey], orphan) {
		t.Error("the note of the deleted file stays")
	}
}

func TestASnapshotThatWasCurrentLatelyStays(t *testing.T) {
	e, _ := sevenNights(t)
	e.do("expire", "--older-than", "1h", "--grace", "0s")
	if n := len(e.summaries("facts.listings")); n != 7 {
		t.Errorf("%d of 7 snapshots are left, all were current within the hour", n)
	}
}

func TestFilesOfASecondCatalogStay(t *testing.T) {
	e, _ := sevenNights(t)
	other := filepath.Join(e.t.TempDir(), "other.db")
	e.do("register", "--catalog-file", other)
	e.do("compact", "--catalog-file", other)
	e.expireAll()
	e.expireAll()
	// The second catalog still reads everything that it has.
	e.do("compact", "--catalog-file", other, "--min-files", "2")
	if out := e.do("status", "--catalog-file", other); !strings.Contains(out, "do nothing") || strings.Contains(out, "add ") {
		t.Errorf("status of the second catalog:\n%s", out)
	}
	e.same("facts.listings")
}

func TestOnlyNamesThatThisProgramGivesAreDeleted(t *testing.T) {
	const id = "11111111-2222-3333-4444-555555555555"
	for name, want := range map[string]bool{
		"metadata/00012-" + id + ".metadata.json":               true,
		"metadata/snap-123-0-" + id + ".avro":                   true,
		"metadata/" + id + "-m0.avro":                           true,
		"data/fleetlake-" + id + ".parquet":                     true,
		"data/fleetlake-" + id + ".parquet" + temporary + "123": true,
		"data/00000-0-" + id + ".parquet":                       false,
		"data/fleetlake-mine.parquet":                           false,
		"metadata/notes.json":                                   false,
		"fleetlake-" + id + ".parquet":                          false,
	} {
		if written.MatchString(name) != want {
			t.Errorf("%s: ours is %v, want %v", name, !want, want)
		}
	}
}
