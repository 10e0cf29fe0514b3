package network

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEachProcessHasFewerRights, also one that is started after another one ended: those of the thread that Confine was
// called on. This process keeps its own.
func TestEachProcessHasFewerRights(t *testing.T) {
	rights := func() string {
		text, err := os.ReadFile("/proc/thread-self/status")
		if err != nil {
			t.Skip("no /proc to look at the rights of a process: ", err)
		}
		return string(text)
	}
	if strings.Contains(rights(), "NoNewPrivs:\t1") {
		t.Skip("this process has not the right that is taken")
	}
	k := keepTest(t, setup{"say its rights", ""}, func(c *Config) {
		c.Confine = func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }
	})
	k.restart(t)
	k.restart(t)
	k.hears(t, "panic: fewer rights: true")
	if strings.Contains(k.log.String(), "panic: fewer rights: false") {
		t.Errorf("one has all rights: %s", k.log)
	}
	if strings.Contains(rights(), "NoNewPrivs:\t1") {
		t.Error("this process has lost a right")
	}
}

// TestAProcessWithAllRightsIsLogged where the system cannot take them.
func TestAProcessWithAllRightsIsLogged(t *testing.T) {
	k := keepTest(t, setup{"say its rights", ""}, func(c *Config) {
		c.Confine = func() error { return errors.New("planted") }
	})
	k.hears(t, "may write wherever this user may")
	k.restart(t)
}
