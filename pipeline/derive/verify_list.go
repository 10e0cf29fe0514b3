package derive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/ledger"
)

const (
	doBackUp = "copy the journal of the data directory again, into the same place"
	doName   = "name the data directory that the backup is of, with --data"
	doList   = "nothing that was paid for is in this file: the next run makes it again, of the segments that there are"
)

// ErrNoBackup says that a directory is no backup of a journal.
var ErrNoBackup = errors.New("no journal is there: expected the directory that has `journal`, or `journal` itself")

// list compares the segments with the list of all that there were.
func (v *verifier) list(context.Context) error {
	l, err := ledger.Compare(v.journalDir)
	if err != nil {
		return err
	}
	var wrong []string
	for _, s := range l.Lost {
		wrong = append(wrong, lostWords(s))
	}
	summary := fmt.Sprintf("all %d that are listed are there, and as long as they were", l.Listed)
	if l.Listed == 0 {
		summary = "no list yet: the next run makes it"
	}
	v.add("list of segments", doLose, summary, wrong)
	if l.Damaged > 0 {
		v.add("list of segments", doList, "", []string{fmt.Sprintf("%s: lines that are not as they were written: %d", ledger.Index, l.Damaged)})
	}
	return nil
}

// lostWords names a lost segment with its night.
func lostWords(s ledger.Lost) string {
	what := fmt.Sprintf("%s: run %s of %s for the night of %s ", s.Segment, s.Run, s.Job, s.Date)
	switch {
	case s.Left < 0:
		return what + "is missing"
	case s.Left < s.Size:
		return what + fmt.Sprintf("is short: %d of %d bytes are there", s.Left, s.Size)
	}
	return what + "has lost its last entries: it had come to its end"
}

// VerifyBackup checks a copy of a journal: each entry of each segment, the segments against the copy's own list, and
// against the data directory that it is of, unless that has no journal. Runs of that directory which are newer than the
// copy are no fault. It writes nothing. Its error is that of Verify, or ErrNoBackup.
func VerifyBackup(ctx context.Context, backup, dir string) ([]Check, error) {
	v := verifier{dir: backup, journalDir: filepath.Join(backup, "journal"), segments: map[string]segment{}}
	if _, err := os.Stat(v.journalDir); errors.Is(err, fs.ErrNotExist) {
		v.dir, v.journalDir = filepath.Dir(filepath.Clean(backup)), backup
	}
	paths, err := journal.Segments(v.journalDir)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 || filepath.Dir(filepath.Dir(paths[0])) != filepath.Clean(v.journalDir) {
		return nil, fmt.Errorf("%s: %w", backup, ErrNoBackup)
	}
	for _, step := range []func(context.Context) error{v.journal, v.list} {
		if err := errors.Join(step(ctx), ctx.Err()); err != nil {
			return nil, err
		}
	}
	err = v.compareWith(dir)
	for i := range v.checks {
		if c := &v.checks[i]; c.Do != "" && c.Do != doName {
			c.Do = doBackUp
		}
	}
	return v.checks, err
}

// compareWith compares the segments with those of the data directory.
func (v *verifier) compareWith(dir string) error {
	paths, err := journal.Segments(filepath.Join(dir, "journal"))
	if err != nil || len(paths) == 0 {
		return err
	}
	copied, _ := datadir.ID(v.dir)
	own, _ := datadir.ID(dir)
	if copied != "" && own != "" && copied != own {
		v.add("data directory", doName, "",
			[]string{fmt.Sprintf("the backup is of the data directory %s, and %s is %s", copied, dir, own)})
		return nil
	}
	newest := ""
	for run := range v.segments {
		newest = max(newest, run)
	}
	var wrong []string
	later := 0
	for _, path := range paths {
		run := journal.RunOf(path)
		switch _, there := v.segments[run]; {
		case run > newest:
			later++
		case !there:
			wrong = append(wrong, filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))+" is not in the backup")
		}
	}
	slices.Sort(wrong)
	v.add("data directory", doBackUp, fmt.Sprintf("all %d runs of %s up to the newest of the backup are in it; %d are newer",
		len(paths)-later, dir, later), wrong)
	return nil
}
