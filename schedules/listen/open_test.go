package listen

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/schedules/listen/unixsocket"
)

// short is a directory whose path leaves room for that of a socket.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fleetlake-listen-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// answers reports whether a client can connect to a socket that a process accepts on.
func answers(t *testing.T, s *Socket) bool {
	t.Helper()
	l, err := net.FileListener(s.File)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	network, address := "tcp", s.Address
	if unixsocket.Is(address) {
		network, address = "unix", strings.TrimPrefix(address, "unix:")
	}
	c, err := net.Dial(network, address)
	if err != nil {
		return false
	}
	defer c.Close()
	theirs, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	return true
}

func TestASocketIsOfItsGroupAndGoesWithItsProcess(t *testing.T) {
	path := filepath.Join(short(t), "page.sock")
	s, err := Open("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if s.Address != "unix:"+path || !answers(t, s) {
		t.Errorf("nobody answers at %s", s.Address)
	}
	if _, err := Open("unix:" + path); err == nil || !strings.Contains(err.Error(), "another process listens on the socket "+path) {
		t.Errorf("a second process: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("%v stay, %v", left, err)
	}
}

// TestTheSocketOfAKilledProcessIsReplaced, also one that was killed while it made the socket.
func TestTheSocketOfAKilledProcessIsReplaced(t *testing.T) {
	path := filepath.Join(short(t), "page.sock")
	for _, at := range []string{path, path + ".new"} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
	}
	s, err := Open("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if !answers(t, s) {
		t.Error("nobody answers")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestASocketOfAnotherProcessStays when one ends whose socket it has replaced.
func TestASocketOfAnotherProcessStays(t *testing.T) {
	path := filepath.Join(short(t), "page.sock")
	s, err := Open("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other, err := Open("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !answers(t, other) {
		t.Error("the other process lost its socket")
	}
	other.Close()
}

func TestNoSocket(t *testing.T) {
	dir := short(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(dir, "made")
	if err := os.WriteFile(made+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := "/" + strings.Repeat("x", unixsocket.MaxPath)
	for name, test := range map[string]struct{ address, want string }{
		"a file":                  {"unix:" + file, "is there already and no socket: remove it, or choose another path"},
		"a directory":             {"unix:" + dir, "is there already and no socket"},
		"a file where it is made": {"unix:" + made, "made.new is there already and no socket"},
		"a missing directory":     {"unix:" + dir + "/none/page.sock", "its directory does not exist, make it first"},
		"a path that is long":     {"unix:" + long, "has a path of 100 bytes, expected 99 or fewer"},
		"a relative path":         {"unix:page.sock", "expected unix: and an absolute path"},
		"a path with dots":        {"unix:/run/../page.sock", "expected unix: and an absolute path without .. in it"},
		"no path":                 {"unix:", "expected unix: and an absolute path"},
		"a port that is too high": {"127.0.0.1:70000", "invalid port"},
	} {
		t.Run(name, func(t *testing.T) {
			if s, err := Open(test.address); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, %v; expected %s", s, err, test.want)
			}
		})
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "kept" {
		t.Errorf("the file has %q, %v", b, err)
	}
	if _, err := os.Lstat(dir + "/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory was made: %v", err)
	}
}

// TestALongPathIsOne that the system takes, with what is added to it.
func TestALongPathIsOne(t *testing.T) {
	dir := short(t)
	path := dir + "/" + strings.Repeat("x", unixsocket.MaxPath-len(dir)-1)
	s, err := Open("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if !answers(t, s) {
		t.Error("nobody answers")
	}
	s.Close()
}

func TestAPortOfTheSystem(t *testing.T) {
	s, err := Open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(s.Address, ":0") || !answers(t, s) {
		t.Errorf("nobody answers at %s", s.Address)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
