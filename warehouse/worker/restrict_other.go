//go:build !linux

package worker

import (
	"errors"
	"os"
	"syscall"
)

// restrict has limits on Linux only. DuckDB's own hold everywhere.
func restrict(hello) (string, error) { return "", nil }

func attributes() *syscall.SysProcAttr { return nil }

// CloseInherited closes what a process inherited by chance, on Linux only.
func CloseInherited(int) error { return nil }

// Program is the path of this program.
func Program() (string, error) { return os.Executable() }

// ResidentMiB is the memory of a process: unknown.
func ResidentMiB(int) int { return 0 }

// ProcessFiles is nothing without /proc.
const ProcessFiles = ""

// Confine would keep a thread from writing files.
func Confine(...string) error { return errors.New("only Linux can") }

// starter starts processes.
type starter struct{ unlimited string }

func newStarter(string) *starter    { return &starter{unlimited: "limits of Linux"} }
func (s *starter) run(start func()) { start() }
func (s *starter) close()           {}
func diesFirst(int)                 {}
