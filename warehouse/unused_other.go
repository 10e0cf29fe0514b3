//go:build !linux

package warehouse

import "errors"

// notBeingWritten reports whether no process has a file open for writing, which only Linux can report.
func notBeingWritten(string) (bool, error) { return false, errors.ErrUnsupported }
