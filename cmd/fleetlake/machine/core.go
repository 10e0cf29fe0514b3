package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// WithoutCore keeps this process and its children from leaving a core file, which would have the key and what
// was paid for; only root can allow it again. The limit is one byte: Linux then writes no file, and starts no
// program that would store one, for which it does not look at a limit of zero. The error is that of the system.
func WithoutCore() error {
	var now unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_CORE, &now)
	if err == nil {
		now.Max = min(1, now.Max)
		now.Cur = now.Max
		err = unix.Setrlimit(unix.RLIMIT_CORE, &now)
	}
	if err != nil {
		return fmt.Errorf("turn core files off: %w", err)
	}
	return nil
}
