//go:build !(linux && amd64)

package syscalls

import (
	"errors"
	"fmt"
	"os/exec"
)

// Obey does nothing.
func Obey() {}

// Watch is a process whose calls are watched.
type Watch struct{}

// Start returns errors.ErrUnsupported.
func Start(*exec.Cmd, []string, func(Call) Action) (*Watch, error) {
	return nil, fmt.Errorf("watch system calls: only on Linux on x86-64: %w", errors.ErrUnsupported)
}

// Wait is never called.
func (*Watch) Wait() error { return errors.ErrUnsupported }
