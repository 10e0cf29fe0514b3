//go:build !linux

package worker

import (
	"os"
	"syscall"
)

// restrict has limits on Linux only. DuckDB's own hold everywhere.
func restrict(hello) (string, error) { return "", nil }

func attributes() *syscall.SysProcAttr { return nil }

// Program is the path of this program.
func Program() (string, error) { return os.Executable() }

// residentMiB is the memory of a process: unknown.
func residentMiB(int) int { return 0 }
