// Package unixsocket says how the address of a Unix socket is written in a configuration: unix: and an absolute path. It
// opens nothing.
package unixsocket

import (
	"fmt"
	"path/filepath"
	"strings"
)

// unixPrefix begins the address of a Unix socket; its path follows.
const unixPrefix = "unix:"

// Beside is added to the path of a socket while it is made.
const Beside = ".new"

// MaxPath is how long the path of a socket may be: the least of all systems, without what is added to it.
const MaxPath = 103 - len(Beside)

// Path is the path of a Unix socket.
func Path(address string) string { return strings.TrimPrefix(address, unixPrefix) }

// Is reports whether an address is that of a Unix socket, and not of TCP.
func Is(address string) bool { return strings.HasPrefix(address, unixPrefix) }

// Check returns an error if an address is not unix: and an absolute path that a socket can have.
func Check(address string) error {
	path := Path(address)
	switch {
	case !Is(address) || !filepath.IsAbs(path) || filepath.Clean(path) != path:
		return fmt.Errorf("%q, expected unix: and an absolute path without .. in it, such as unix:/run/fleetlake/page.sock", address)
	case len(path) > MaxPath:
		return fmt.Errorf("%q has a path of %d bytes, expected %d or fewer: systems allow no longer ones for a socket",
			address, len(path), MaxPath)
	}
	return nil
}
