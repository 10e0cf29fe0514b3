package derive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
)

// restored is a data directory into which the journal of a week was put back, and nothing else.
func restored(t *testing.T) *Deriver {
	t.Helper()
	d := copyOfWeek(t)
	_, _, err := ledger.Update(d.Journal)
	must(t, err)
	for _, part := range []string{"lake", "warehouse"} {
		must(t, os.RemoveAll(filepath.Join(d.Dir, part)))
	}
	return d
}

// TestALossInARestoredJournalIsNamed before the lake is made again and after, until the loss is accepted.
func TestALossInARestoredJournalIsNamed(t *testing.T) {
	t.Parallel()
	const check = "list of segments"
	for name, c := range map[string]struct {
		harm func(path string) error
		want string
	}{
		"a night that is missing": {func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, "is missing"},
		"a segment cut short": {func(path string) error {
			info, err := os.Stat(path)
			return errors.Join(err, os.Truncate(path, info.Size()/2))
		}, " bytes are there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := restored(t)
			if wrong := verified(t, d); len(wrong[check]) > 0 {
				t.Fatalf("a journal that is whole: %q", wrong)
			}
			path := segmentOf(t, d, 3)
			night, run := filepath.Base(filepath.Dir(path)), journal.RunOf(path)
			must(t, c.harm(path))
			named := func(when string) {
				t.Helper()
				words := strings.Join(verified(t, d)[check], "; ")
				for _, want := range []string{"run " + run, "the night of " + night, c.want, "rebuild --lose"} {
					if !strings.Contains(words, want) {
						t.Errorf("%s: no %q in %q", when, want, words)
					}
				}
			}
			named("restored")
			_, err := Recover(t.Context(), *d)
			must(t, err)
			named("published")
			_, _, err = ledger.Update(d.Journal)
			must(t, err)
			named("after a run")
			done, err := Rebuild(t.Context(), *d, RebuildOptions{Lose: true})
			must(t, err)
			if !strings.Contains(fmt.Sprint(done.Left), run) {
				t.Errorf("the rebuild does not name the loss: %q", done.Left)
			}
			if wrong := verified(t, d); len(wrong) > 0 {
				t.Errorf("the loss is accepted, and wrong are %q", wrong)
			}
		})
	}
}

// TestABackupIsVerified against itself and the data directory that it is of.
func TestABackupIsVerified(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	_, _, err := ledger.Update(d.Journal)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(d.Dir, "fleetlake.id"), []byte(`{"id":"0123456789abcdef"}`), 0o640))
	remove := func(paths ...string) error { return os.RemoveAll(filepath.Dir(paths[len(paths)-1])) }
	for name, c := range map[string]struct {
		harm func(backup string, paths []string) error
		want string // in what is wrong; "" is nothing
		says string // in what is not
	}{
		"whole": {func(string, []string) error { return nil }, "", "0 are newer"},
		"of the night before, with the list of then": {func(backup string, paths []string) error {
			return errors.Join(remove(paths...), ledger.Accept(filepath.Join(backup, "journal")))
		}, "", "are newer"},
		"of the night before, with the list of now": {func(_ string, paths []string) error { return remove(paths...) }, "is missing", ""},
		"without a list": {func(backup string, _ []string) error {
			return os.Remove(filepath.Join(backup, "journal", ledger.Index))
		}, "", "no list yet"},
		"without a list and a night": {func(backup string, paths []string) error {
			return errors.Join(remove(paths[2]), os.Remove(filepath.Join(backup, "journal", ledger.Index)))
		}, "is not in the backup", ""},
		"a bit of a segment": {func(_ string, paths []string) error { flip(t, paths[2], 0.5); return nil }, "is damaged", ""},
		"of another directory": {func(backup string, _ []string) error {
			return os.WriteFile(filepath.Join(backup, "fleetlake.id"), []byte(`{"id":"fedcba9876543210"}`), 0o640)
		}, "is of the data directory fedcba9876543210", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backup := t.TempDir()
			must(t, os.CopyFS(filepath.Join(backup, "journal"), os.DirFS(d.Journal)))
			paths, err := journal.Segments(filepath.Join(backup, "journal"))
			must(t, err)
			must(t, c.harm(backup, paths))
			for _, named := range []string{backup, filepath.Join(backup, "journal")} {
				checks, err := VerifyBackup(t.Context(), named, d.Dir)
				must(t, err)
				wrong, says := "", ""
				for _, check := range checks {
					wrong += strings.Join(check.Wrong, "; ")
					says += check.Summary + "; "
				}
				if !strings.Contains(wrong, c.want) || (wrong == "") != (c.want == "") || !strings.Contains(says, c.says) {
					t.Errorf("%s: wrong %q, says %q", named, wrong, says)
				}
			}
			if _, err := VerifyBackup(t.Context(), backup, filepath.Join(t.TempDir(), "gone")); err != nil {
				t.Errorf("without the data directory: %v", err)
			}
		})
	}
	for _, dir := range []string{t.TempDir(), filepath.Dir(d.Dir)} {
		if _, err := VerifyBackup(t.Context(), dir, d.Dir); !errors.Is(err, ErrNoBackup) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
