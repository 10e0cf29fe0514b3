package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// The locks of a directory. Writers share the first while a temporary file of theirs is there, so
// that whoever gets it alone knows that the temporary files have no writer. Replace has the second
// alone while it compares and renames.
const (
	writeLock   = own + "write.lock"
	replaceLock = own + "replace.lock"

	lockAgain = 5 * time.Millisecond // between two attempts to get a lock
)

// Put copies the source to a temporary file and links it to its name.
func (d *directory) Put(ctx context.Context, key string, src Source) error {
	err := src.check()
	if err == nil {
		err = d.write(ctx, key, func(root *os.Root) error {
			if _, err := root.Lstat(filepath.FromSlash(key)); err == nil {
				return ErrExists
			}
			part, err := d.copy(ctx, root, key, src)
			if err != nil {
				return err
			}
			return errors.Join(d.link(ctx, root, part, key), remove(root, part))
		})
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", d.name(key), mendFile(err))
	}
	return nil
}

// Replace renames a temporary file over the version that the caller knows.
func (d *directory) Replace(ctx context.Context, key string, content []byte, version string) error {
	err := d.write(ctx, key, func(root *os.Root) error {
		part, err := d.copy(ctx, root, key, bytesSource(content))
		if err != nil {
			return err
		}
		err = d.alone(ctx, func() error {
			body, now, err := d.get(ctx, key)
			switch {
			case err == nil:
				if err := body.Close(); err != nil {
					return err
				}
				if now != version || version == "" {
					return ErrChanged
				}
			case !errors.Is(err, ErrNotFound):
				return err
			case version != "":
				return ErrChanged
			}
			return root.Rename(part, filepath.FromSlash(key))
		})
		return errors.Join(err, remove(root, part))
	})
	if err != nil {
		return fmt.Errorf("replace %s: %w", d.name(key), mendFile(err))
	}
	return nil
}

// write calls do while this process counts as a writer, and syncs the directory of the key.
func (d *directory) write(ctx context.Context, key string, do func(*os.Root) error) error {
	if err := checkKey(key); err != nil {
		return err
	}
	root, err := d.make()
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(d.path, writeLock), flock.SetPermissions(fileMode))
	if _, err := lock.TryRLockContext(ctx, lockAgain); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	err = do(root)
	if err == nil {
		err = syncDir(root, path.Dir(key))
	}
	return errors.Join(err, lock.Unlock())
}

// alone calls do while no other process and no other goroutine replaces.
func (d *directory) alone(ctx context.Context, do func() error) error {
	lock := flock.New(filepath.Join(d.path, replaceLock), flock.SetPermissions(fileMode))
	if _, err := lock.TryLockContext(ctx, lockAgain); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return errors.Join(do(), lock.Unlock())
}

// copy writes a source to a temporary file beside its key, and syncs it. It leaves none if it fails.
func (d *directory) copy(ctx context.Context, root *os.Root, key string, src Source) (part string, err error) {
	f, part, err := d.createPart(root, path.Dir(key))
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, remove(root, part))
		}
	}()
	sum := sha256.New()
	c := &content{meter: d.meter, file: src.File, size: src.Bytes}
	n, err := io.CopyBuffer(io.MultiWriter(f, sum), onlyReader{c.reader(ctx, nil)}, make([]byte, chunk))
	switch {
	case err != nil:
		return part, err
	case n != src.Bytes || hexSum(sum) != src.SHA256:
		return part, &contentError{src, n, hexSum(sum)}
	}
	return part, f.Sync()
}

// onlyReader hides everything but Read from io.Copy.
type onlyReader struct{ io.Reader }

// createPart makes a temporary file, and the directories above it.
func (d *directory) createPart(root *os.Root, dir string) (*os.File, string, error) {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	part := filepath.Join(filepath.FromSlash(dir), own+hex.EncodeToString(random[:])+".part")
	for try := 1; ; try++ {
		if err := d.makeDirs(root, dir); err != nil {
			return nil, "", err
		}
		f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		// Another writer may have deleted the last object of the directory, and the directory.
		if errors.Is(err, fs.ErrNotExist) && try < 10 {
			continue
		}
		return f, part, err
	}
}

// makeDirs makes a directory and those above it, and syncs the directory above each new one, and once above each that
// is there: the process that made it may have been killed before it synced.
func (d *directory) makeDirs(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	info, err := root.Stat(filepath.FromSlash(dir))
	if err == nil && info.IsDir() {
		return d.syncName(root, dir)
	}
	if err := d.makeDirs(root, path.Dir(dir)); err != nil {
		return err
	}
	err = root.Mkdir(filepath.FromSlash(dir), dirMode)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the one above was removed meanwhile; the next step says so
	case err != nil && !errors.Is(err, fs.ErrExist): // if a file has the name, the next step says so
		return err
	}
	return syncDir(root, path.Dir(dir)) // who made it meanwhile may not have synced it yet
}

// syncName syncs the directory above one, once in the life of the store.
func (d *directory) syncName(root *os.Root, dir string) error {
	if d.isSynced(dir) {
		return nil
	}
	err := syncDir(root, path.Dir(dir))
	if err == nil {
		d.setSynced(dir)
	}
	return err
}

// link gives a temporary file its name, if nobody has it.
func (d *directory) link(ctx context.Context, root *os.Root, part, key string) error {
	name := filepath.FromSlash(key)
	err := root.Link(part, name)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return d.renameAbsent(ctx, root, part, name) // the file system may have no links
}

// renameAbsent is link for a file system without links. Writers of ours take turns.
func (d *directory) renameAbsent(ctx context.Context, root *os.Root, part, name string) error {
	return d.alone(ctx, func() error {
		if _, err := root.Lstat(name); err == nil {
			return ErrExists
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return root.Rename(part, name)
	})
}

// clean removes temporary files that a listing met, unless a writer is at work. What it cannot
// remove does no harm: it is in no listing.
func (d *directory) clean(root *os.Root, parts []string) {
	if len(parts) == 0 {
		return
	}
	lock := flock.New(filepath.Join(d.path, writeLock), flock.SetPermissions(fileMode))
	if alone, err := lock.TryLock(); err != nil || !alone {
		return
	}
	defer func() { _ = lock.Unlock() }()
	for _, part := range parts {
		if remove(root, filepath.FromSlash(part)) == nil {
			_ = removeEmpty(root, path.Dir(part))
		}
	}
}

// remove removes a file that may be gone.
func remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir waits until the names in a directory are on disk.
func syncDir(root *os.Root, dir string) error {
	f, err := root.Open(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
