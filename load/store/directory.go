package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

const (
	own      = ".fleetlake-" // begins the names that are the store's own: of no object, and in no listing
	fileMode = 0o644         // an export is for others to read
	dirMode  = 0o755

	mostVersioned = 64 << 20 // bytes of the largest object that Get reads to know its version
)

// temporary is the name of a file that is not finished. Nobody else names a file like this.
var temporary = regexp.MustCompile(`^\.fleetlake-[0-9a-f]{16}\.part$`)

// directory is a Store in a directory. Every path goes through an os.Root, which symbolic links
// cannot leave.
type directory struct {
	path string
	*meter

	mu     sync.Mutex
	root   *os.Root        // nil as long as the directory is missing
	synced map[string]bool // directories whose names this store has synced; "." is its own
}

// openDirectory opens a directory, and removes what killed writers left.
func openDirectory(ctx context.Context, target string, o Options) (*directory, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return nil, fmt.Errorf("open target: %w", err)
	}
	d := &directory{path: target, meter: newMeter(o), synced: map[string]bool{}}
	if _, err := d.open(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open target: %w", err)
	}
	for _, err := range d.List(ctx, "") {
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *directory) String() string { return d.path }

// open returns the root, or fs.ErrNotExist as long as there is none.
func (d *directory) open() (*os.Root, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.root != nil {
		return d.root, nil
	}
	if info, err := os.Stat(d.path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("open %s: %w", d.path, mendFile(syscall.ENOTDIR))
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, mendFile(err)
	}
	d.root = root
	return root, nil
}

// make returns the root, and makes the directory if it is missing. Its name is on disk then, whoever made it.
func (d *directory) make() (*os.Root, error) {
	root, err := d.open()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && d.isSynced(".") {
		return root, nil
	}
	if err := durable.MkdirAll(d.path, dirMode); err != nil {
		return nil, mendFile(err)
	}
	d.setSynced(".")
	return d.open()
}

// isSynced reports whether this store has synced the name of a directory.
func (d *directory) isSynced(dir string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.synced[dir]
}

func (d *directory) setSynced(dir string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced[dir] = true
}

// List lists the regular files. It removes what killed writers left.
func (d *directory) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		root, err := d.open()
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err == nil {
			err = d.list(ctx, root, prefix, func(o Object) bool { return yield(o, nil) })
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(Object{}, fmt.Errorf("list %s: %w", filepath.Join(d.path, prefix), mendFile(err)))
		}
	}
}

// errEnough says that the caller of List wants no more.
var errEnough = errors.New("enough")

// list walks the deepest directory that has all keys of a prefix.
func (d *directory) list(ctx context.Context, root *os.Root, prefix string, yield func(Object) bool) error {
	start := "."
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		start = prefix[:i]
	}
	if !fs.ValidPath(start) {
		return nil // no key begins so
	}
	var left []string
	err := fs.WalkDir(root.FS(), start, func(key string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted meanwhile, or the whole prefix is not there
			return nil
		case err != nil:
			return err
		case temporary.MatchString(e.Name()):
			left = append(left, key)
			return nil
		case !e.Type().IsRegular() || strings.HasPrefix(e.Name(), own) || !strings.HasPrefix(key, prefix):
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !yield(Object{key, info.Size(), info.ModTime()}) {
			return errEnough
		}
		return nil
	})
	d.clean(root, left)
	return err
}

// Get opens a file. Its version is the SHA-256 of its content.
func (d *directory) Get(ctx context.Context, key string) (io.ReadCloser, string, error) {
	body, version, err := d.get(ctx, key)
	if err != nil {
		return nil, "", fmt.Errorf("get %s: %w", d.name(key), err)
	}
	return body, version, nil
}

func (d *directory) get(ctx context.Context, key string) (io.ReadCloser, string, error) {
	if err := checkKey(key); err != nil {
		return nil, "", err
	}
	root, err := d.open()
	if err != nil {
		return nil, "", notFound(err)
	}
	f, err := root.Open(filepath.FromSlash(key))
	if err != nil {
		return nil, "", notFound(err)
	}
	version, err := versionOf(ctx, f)
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, version, nil
}

// versionOf hashes an open file that is small enough to be replaced.
func versionOf(ctx context.Context, f *os.File) (string, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%w: a directory or a special file has the name", ErrNotFound)
	case info.Size() > mostVersioned:
		return "", nil
	}
	sum := sha256.New()
	err = feed(ctx, sum, f, 0, info.Size())
	return hexSum(sum), err
}

// Delete removes a file, and the directories above it that are empty then.
func (d *directory) Delete(_ context.Context, key string) error {
	if err := d.delete(key); err != nil {
		return fmt.Errorf("delete %s: %w", d.name(key), mendFile(err))
	}
	return nil
}

func (d *directory) delete(key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	root, err := d.open()
	if err != nil {
		return absent(err)
	}
	name := filepath.FromSlash(key)
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() { // a directory is no object
		return absent(err)
	}
	if err := root.Remove(name); err != nil {
		return absent(err)
	}
	return removeEmpty(root, path.Dir(key))
}

// absent is no error if it says that there is no such file.
func absent(err error) error {
	if errors.Is(notFound(err), ErrNotFound) {
		return nil
	}
	return err
}

// removeEmpty removes a directory below the root and those above it, as far as they are empty, and
// syncs the first that stays.
func removeEmpty(root *os.Root, dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		// A directory that is not empty, or not ours to remove, stays.
		if err := root.Remove(filepath.FromSlash(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	err := syncDir(root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another one removed it
	}
	return err
}

// name is the object as errors name it.
func (d *directory) name(key string) string { return filepath.Join(d.path, filepath.FromSlash(key)) }

// notFound says ErrNotFound for a file that is missing.
func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return ErrNotFound
	}
	return mendFile(err)
}

// mended is an error of the file system with what a person can do about it.
type mended struct {
	err error
	do  string
}

func (m *mended) Error() string { return m.err.Error() + ": " + m.do }
func (m *mended) Unwrap() error { return m.err }

// mendFile adds to an error of the file system, once, what a person can do about it.
func mendFile(err error) error {
	if _, already := errors.AsType[*mended](err); already {
		return err
	}
	for cause, do := range map[error]string{
		syscall.ENOSPC:   "free space, or choose another target",
		syscall.EDQUOT:   "the quota is used up: free space, or choose another target",
		syscall.EROFS:    "mount it for writing, or choose another target",
		fs.ErrPermission: "give this user the right to read and write there",
		syscall.ENOTDIR:  "a file has the name of a directory: move it, or choose another target",
		syscall.ENOLCK:   "the file system cannot lock files: choose another target",
	} {
		if errors.Is(err, cause) {
			return &mended{err, do}
		}
	}
	return err
}
