package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	// ErrOther says that the target has the export of another data directory.
	ErrOther = errors.New("the target has the export of another data directory")
	// ErrBehind says that the target has runs that this data directory lacks.
	ErrBehind = errors.New("this data directory is behind its export")
)

// whatToDo follows what is wrong.
const whatToDo = "; export to another target, or, if this is the right directory, " +
	"as after a restore without its fleetlake.id, make the export its own with `fleetlake export --replace`"

// Identity names a data directory, for current.json.
type Identity struct {
	ID        string `json:"id"`        // of its file fleetlake.id, which a copy of it has, too
	Host      string `json:"host"`      // the machine that exported last
	Directory string `json:"directory"` // and the path there
}

// String is the identity in words.
func (i *Identity) String() string {
	if i == nil || i.ID == "" {
		return "one without an id"
	}
	return fmt.Sprintf("%s (%s on %s)", i.ID, i.Directory, i.Host)
}

// Check returns ErrOther for the data directory of another export; nil if either has no id.
func (i *Identity) Check(own *Identity) error {
	if i == nil || i.ID == "" || own.ID == "" || own.ID == i.ID {
		return nil
	}
	return fmt.Errorf("%w: it is of %v, and this directory is %v%s", ErrOther, i, own, whatToDo)
}

// known is an identity, or nil if it has no id, as that of a data directory that no run has marked.
func (i Identity) known() *Identity {
	if i.ID == "" {
		return nil
	}
	return &i
}

// checkIdentity refuses an export that is not of this data directory, by their ids. An export from before there were
// ids, and a directory without one, are known by their runs: one in common is enough. A directory that lacks runs of
// its export is refused, too, wherever it is: it was restored from a backup or is a copy, and an export of it would
// take the later nights out of the list.
func (t *target) checkIdentity(src *source, own *Identity) error {
	if t.current.Source != nil && own != nil {
		if err := t.current.Source.Check(own); err != nil {
			return err
		}
		return t.checkBehind(src)
	}
	if lacks := t.lacks(src); len(lacks) > 0 && len(lacks) == len(t.current.runs()) {
		return fmt.Errorf("%w: it is of %v, and this directory has none of its runs, the latest of which is %s%s",
			ErrOther, t.current.Source, t.current.Run, whatToDo)
	}
	return t.checkBehind(src)
}

// checkBehind returns ErrBehind if a data directory lacks runs that the export has. A run that was rolled back is not
// lacking: its files are in the lake.
func (t *target) checkBehind(src *source) error {
	lacks := t.lacks(src)
	if len(lacks) == 0 {
		return nil
	}
	newest := "no night at all"
	if m := src.newest(); m.ID != "" {
		newest = fmt.Sprintf("nights up to %s (run %s)", m.Date, m.ID)
	}
	return fmt.Errorf("%w: the export, of %v, has nights up to %s (run %s); this directory, %s, has %s, and lacks %d runs of the export, "+
		"the earliest of %s (run %s). Bring back the journal of these runs and `fleetlake rebuild`, or export to another target; "+
		"`fleetlake export --replace` gives these runs up, and the target lists only what this directory has",
		ErrBehind, t.current.Source, t.current.SnapshotDate, t.current.Run, src.dir, newest, len(lacks), lacks[0].SnapshotDate, lacks[0].Run)
}

// lacks returns the runs of an export that a data directory does not have, in the order of their nights.
func (t *target) lacks(src *source) (runs []ListedRun) {
	for _, r := range t.current.runs() {
		if _, ok := src.all[r.Run]; !ok {
			runs = append(runs, r)
		}
	}
	slices.SortFunc(runs, func(a, b ListedRun) int { return strings.Compare(a.SnapshotDate+a.Run, b.SnapshotDate+b.Run) })
	return runs
}

// runs are those that an export lists, and the latest that was published, which one without facts has, too.
func (m Manifest) runs() []ListedRun {
	all := slices.Clone(m.Runs)
	latest := func(r ListedRun) bool { return r.Run == m.Run }
	if m.Run != "" && !slices.ContainsFunc(all, latest) {
		all = append(all, ListedRun{Run: m.Run, SnapshotDate: m.SnapshotDate})
	}
	return all
}

// of is the manifest as one of a data directory, which stays as it is for a directory without an id.
func (m Manifest) of(own *Identity) Manifest {
	if own != nil {
		m.Source = own
	}
	return m
}
