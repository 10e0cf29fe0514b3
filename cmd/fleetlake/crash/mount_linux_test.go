package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// ownMounts in the environment says that this process has a user and a mount namespace of its own.
const ownMounts = "FLEETLAKE_TEST_MOUNTS"

// withOwnMounts runs the test again in a process that may mount file systems, which nobody else sees and
// which are gone when it ends. It returns true in that process, and false in the first. It skips the test
// where the kernel allows no such process, as in some containers.
func withOwnMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownMounts) != "" {
		return true
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.parallel=2")
	c.Env = append(os.Environ(), ownMounts+"=1", programPath+"="+path)
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	words, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("no user and mount namespaces here: %v", err)
	case err != nil:
		t.Errorf("%s", words)
	default:
		t.Logf("%s", words)
	}
	return false
}

// smallDisk mounts a file system of some KiB in memory.
func smallDisk(t *testing.T, dir string, kib int) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// readOnly makes what is below a directory read-only until it is called again. Files that are open for
// writing stay so: the kernel refuses to take that from them.
func readOnly(t *testing.T, dir string) (writable func()) {
	t.Helper()
	err := syscall.Mount(dir, dir, "", syscall.MS_BIND, "")
	if err == nil {
		err = syscall.Mount("none", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
	}
}
