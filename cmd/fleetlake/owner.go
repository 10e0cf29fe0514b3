package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
)

// goOnAsOwner makes the owner of the data directory the user of this process, if root started it: what root writes there
// belongs to root, and the service, which has the owner's rights, could not write it any more. The secrets of the
// configuration are read before, since their files may belong to root. It returns an error if the owner cannot reach
// the directory; a process that may not change its user goes on, and says so.
func (a *app) goOnAsOwner(c *config.Config) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(c.DataDir)
	if err != nil {
		return nil // nothing belongs to anybody yet, or the verb says what is wrong
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	c.KeepSecrets()
	name := userName(owner.Uid)
	err = errors.Join(syscall.Setgroups(nil), syscall.Setgid(int(owner.Gid)))
	if err == nil {
		err = syscall.Setuid(int(owner.Uid))
	}
	if err != nil {
		a.say(fmt.Sprintf("the data in %s belong to %s, and root may not become that user here (%v): what is written now belongs to root", c.DataDir, name, err))
		return nil
	}
	if _, err := os.ReadDir(c.DataDir); err != nil {
		return fmt.Errorf("the data belong to %s, whose rights root takes on, and who cannot read them by this path: %w", name, err)
	}
	a.say(fmt.Sprintf("as %s, to whom the data in %s belong", name, c.DataDir))
	return nil
}

// userName is the name of a user, and the number of one without a name.
func userName(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(number); err == nil {
		return "user " + u.Username
	}
	return "user " + number
}
