package export

import (
	"errors"
	"fmt"
)

// ErrOther says that the target has the export of another data directory.
var ErrOther = errors.New("the target has the export of another data directory")

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

// samePlace reports whether two identities are of one directory of one machine.
func (i *Identity) samePlace(other *Identity) bool {
	return i.Host == other.Host && i.Directory == other.Directory
}

// known is an identity, or nil if it has no id, as that of a data directory that no run has marked.
func (i Identity) known() *Identity {
	if i.ID == "" {
		return nil
	}
	return &i
}

// checkIdentity refuses an export that is not of this data directory, by their ids. An export from before there were
// ids, and a directory without one, are known by their runs: one in common is enough. A copy of a data directory has
// its id: elsewhere than the last export was made, it takes the export over if it has all its runs, as a directory
// that was moved, and is refused if it lacks any, which the other one has made since.
func (t *target) checkIdentity(src *source, own *Identity) error {
	other := t.current.Source
	has := func(run string) bool {
		_, ok := src.all[run]
		return ok
	}
	if other == nil || own == nil {
		return t.checkRuns(has)
	}
	if err := other.Check(own); err != nil {
		return err
	}
	if own.samePlace(other) {
		return nil
	}
	for _, run := range t.current.runs() {
		if !has(run) {
			return fmt.Errorf("%w: it is of %v, and this directory, with the same id (%s on %s), is a copy without its run %s%s",
				ErrOther, other, own.Directory, own.Host, run, whatToDo)
		}
	}
	return nil
}

// checkRuns refuses an export of which a data directory has no run.
func (t *target) checkRuns(has func(run string) bool) error {
	runs := t.current.runs()
	for _, run := range runs {
		if has(run) {
			return nil
		}
	}
	if len(runs) == 0 {
		return nil // nothing is lost
	}
	return fmt.Errorf("%w: it is of %v, and this directory has none of its runs, the latest of which is %s%s",
		ErrOther, t.current.Source, t.current.Run, whatToDo)
}

// runs are those that an export lists, and the latest that was published, which one without facts has, too.
func (m Manifest) runs() (all []string) {
	for _, r := range m.Runs {
		all = append(all, r.Run)
	}
	if m.Run != "" {
		all = append(all, m.Run)
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
