package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
)

// socketMode is who may connect: the user of the service, and its group.
const socketMode = 0o660

// Socket is a socket that clients connect to.
type Socket struct {
	File    *os.File
	Address string // with the port that the system chose, if it had to

	path string      // of a Unix socket; "" is none
	made os.FileInfo // what Open made there
}

// Open opens a socket for HOST:PORT or unix:PATH.
func Open(at string) (*Socket, error) {
	if unixsocket.Is(at) {
		return openUnix(at)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
	}
	f, err := l.(*net.TCPListener).File()
	return &Socket{File: f, Address: l.Addr().String()}, errors.Join(err, l.Close())
}

// openUnix makes the socket beside its path with its permissions, and moves it there, so that nobody else can connect
// at any time.
func openUnix(at string) (*Socket, error) {
	path := unixsocket.Path(at)
	if err := Free(at); err != nil {
		return nil, err
	}
	if err := os.Remove(path + unixsocket.Beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // of a process that was killed
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path + unixsocket.Beside, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // its name is another one by then
	s := &Socket{Address: at, path: path}
	err = os.Chmod(path+unixsocket.Beside, socketMode)
	if err == nil {
		s.made, err = os.Lstat(path + unixsocket.Beside)
	}
	if err == nil {
		err = os.Rename(path+unixsocket.Beside, path)
	}
	if err == nil {
		s.File, err = l.File()
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connectTimeout is how long a process that listens on a socket may take to be found out.
const connectTimeout = time.Second

// Free returns an error if a Unix socket could not be opened now, because of what is at its path.
func Free(at string) error {
	if err := unixsocket.Check(at); err != nil {
		return err
	}
	path := unixsocket.Path(at)
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make the socket %s: its directory does not exist, make it first", path)
	}
	return errors.Join(free(path), free(path+unixsocket.Beside))
}

// free returns an error if there is something at the path of a socket that is not the socket of a process that ended.
func free(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is there already and no socket: remove it, or choose another path", path)
	}
	c, err := net.DialTimeout("unix", path, connectTimeout)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find out who listens on the socket %s: %w; remove it if nobody does", path, err)
	}
	return errors.Join(fmt.Errorf("another process listens on the socket %s already: stop it, or choose another path", path), c.Close())
}

// Close closes the socket here, and removes that of a path, unless another process has put its own there.
func (s *Socket) Close() error {
	var err error
	if s.File != nil {
		err = s.File.Close()
	}
	if s.made == nil {
		return err
	}
	if info, gone := os.Lstat(s.path); gone == nil && os.SameFile(info, s.made) {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}
