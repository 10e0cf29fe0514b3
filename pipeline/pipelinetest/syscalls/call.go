package syscalls

import "syscall"

// Call is a system call that changes a file or a directory below one of the watched directories.
type Call struct {
	Name  string // as "write", "fsync" or "rename"; "create" opens a file that it may create or empty
	Path  string // absolute; of a rename or a link the old name
	To    string // the new name of a rename or a link; "" of the other calls
	Bytes int    // to write, to copy or to allocate; 0 of the other calls
}

// Part is how much of a call is made.
type Part int

// A call is made whole, not at all, or, if it writes or copies, for the first half of its bytes. Half of
// another call is none of it.
const (
	All Part = iota
	None
	Half
)

func (p Part) String() string { return [...]string{"after", "before", "in the middle of"}[p] }

// Action is what happens to a call. The zero Action lets it pass.
type Action struct {
	Make  Part
	Kill  bool          // the process is killed once that part is made
	Errno syscall.Errno // the error that the process gets; 0 is success, or the number of bytes of the half
}

// room lists the calls that need space on the disk; sync those that wait for it.
var (
	room = map[string]bool{"write": true, "pwrite": true, "copy": true, "allocate": true, "create": true, "mkdir": true,
		"link": true, "symlink": true, "rename": true}
	sync = map[string]bool{"fsync": true, "fdatasync": true}
)

// NeedsRoom reports whether a file system that is full can refuse the call.
func (c Call) NeedsRoom() bool { return room[c.Name] }

// Syncs reports whether the call waits until the disk has a file or a directory.
func (c Call) Syncs() bool { return sync[c.Name] }

// Writes reports whether half of the call can be made.
func (c Call) Writes() bool { return c.Name == "write" || c.Name == "pwrite" || c.Name == "copy" }

func (c Call) String() string {
	if c.To != "" {
		return c.Name + " " + c.Path + " to " + c.To
	}
	return c.Name + " " + c.Path
}
