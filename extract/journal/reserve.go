package journal

import (
	crypto "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// reserveSize is how many bytes a run can still write after the disk is full: a hundred times the
// usual size of the answers of all requests in flight.
const reserveSize = 32 << 20

// reserve is disk space that a run takes before it spends credits, and gives up when the disk has
// no room for an answer otherwise.
type reserve struct {
	path  string
	mu    sync.Mutex
	cause error // for which the space was given up; nil while it is there
}

// takeReserve creates a file whose whole size is allocated on the disk.
func takeReserve(path string) (*reserve, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if err = allocate(f, reserveSize); errors.Is(err, errors.ErrUnsupported) {
		_, err = io.CopyN(f, noise(), reserveSize)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("%d MiB in %s: %w", reserveSize>>20, path, err), os.Remove(path))
	}
	return &reserve{path: path}, nil
}

// RemoveReserve removes the reserve that a killed run left in a journal directory. The caller has locked the data
// directory, and no segment is open.
func RemoveReserve(root string) error {
	return (&reserve{path: reservePath(root)}).release()
}

func reservePath(root string) string { return filepath.Join(root, ".reserve") }

// spend gives the space up, for a cause. It returns false if that was done before.
func (r *reserve) spend(cause error) bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cause != nil {
		return false
	}
	r.cause = cause
	return os.Remove(r.path) == nil
}

// spent returns the cause for which the space was given up; nil if it is there.
func (r *reserve) spent() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

func (r *reserve) release() error {
	if r == nil {
		return nil
	}
	if err := os.Remove(r.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// noise returns random bytes, so that a file system that compresses, or that stores equal blocks
// once, allocates room for them too. It produces a gigabyte a second.
func noise() io.Reader {
	var seed [32]byte
	crypto.Read(seed[:]) // it never fails
	return rand.NewChaCha8(seed)
}
