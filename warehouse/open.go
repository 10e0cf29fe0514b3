package warehouse

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Errors of opening. Each names the command that helps.
var (
	ErrNone    = errors.New("no warehouse yet: `fleetlake run JOB` makes one, `fleetlake demo` builds an example")
	ErrDamaged = errors.New("the warehouse file is damaged: `fleetlake rollback` publishes the version before")
)

// Options are the limits of a reader. The zero value suits a person at a terminal.
type Options struct {
	MemoryMiB int // at most that of SetLimits; 0 is that, or DuckDB's default: four fifths of the machine
	Threads   int // likewise; see Threads for what is made of them

	// Spill is the directory where DuckDB puts what does not fit into memory, and SpillMiB the most
	// that it may put there. If Spill is empty, DuckDB spills beside the file, without a limit, to a directory
	// of the reader's own.
	Spill    string
	SpillMiB int

	// Confine, if not nil, lists the only files and directories, besides the warehouse,
	// that a query may read: for readers over a network. Otherwise a query may read what the
	// process may, so that analysts can join the lake and files of their own.
	Confine []string

	// TimeZone is the zone of the session, such as Europe/Oslo, in which instants are written. Empty is UTC.
	TimeZone string
}

// ErrTimeZone says that DuckDB knows no time zone of the name that it was given.
var ErrTimeZone = errors.New("no such time zone")

// Warehouse is the published file, open for reading. One statement runs at a time; the others wait.
// An error of reading has DuckDB's words: IsDamaged is true if a block has a wrong checksum, it is ErrRoom if
// the memory of the reader is too little, and a cancelled context is its own error.
type Warehouse struct {
	path    string
	db      *sql.DB
	release func()          // releases the spelling of the path that the file is open under
	kept    map[string]bool // the tables of Keep
	zoned   bool            // the session is in another time zone than UTC
}

// Path returns the path of the published file of a data directory.
func Path(dir string) string { return filepath.Join(dir, "warehouse", "fleet.duckdb") }

// DataDir returns the data directory that the file is in, whether as the published one or as a version.
func (w *Warehouse) DataDir() (string, error) {
	path, err := filepath.Abs(w.path)
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	dir := filepath.Dir(path)
	if filepath.Base(dir) == "versions" {
		dir = filepath.Dir(dir)
	}
	return filepath.Dir(dir), nil
}

// Open opens a published file for reading. What is published later is visible to the next Open.
// Any number of processes can have it open, and any number of readers in one process, each with
// its own settings, also while a new night is published. It returns ErrNone if there is no file
// and ErrDamaged if it is no complete database.
func Open(ctx context.Context, path string, o Options) (*Warehouse, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open %s: %w", path, ErrNone)
	} else if err != nil {
		return nil, fmt.Errorf("open warehouse: %w", err)
	}
	settings := []setting{{"access_mode", "read_only"}, threads(within(o.Threads, &bounds.threads))}
	if mib := within(o.MemoryMiB, &bounds.memoryMiB); mib > 0 {
		settings = append(settings, setting{"memory_limit", strconv.Itoa(mib) + "MiB"})
	}
	spill := o.Spill
	if spill == "" { // DuckDB makes it when it spills; in one directory two readers would overwrite each other's files
		spill = path + spilledTo + rand.Text()
	}
	settings = append(settings, setting{"temp_directory", spill})
	own, release, err := spellings.acquire(path)
	if err != nil {
		return nil, fmt.Errorf("open warehouse %s: %w", path, err)
	}
	db, err := open(ctx, own, settings...)
	if err != nil {
		release()
		err = withOriginalPath(err, own, path)
	}
	if err != nil && damaged(err) {
		return nil, fmt.Errorf("open %s: %w (%v)", path, ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open warehouse %s: %w", path, err)
	}
	w := &Warehouse{path: path, db: db, release: release, zoned: o.TimeZone != ""}
	if err := w.confine(ctx, o); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// confine limits how much queries may spill and which files they may read, and locks these
// settings.
func (w *Warehouse) confine(ctx context.Context, o Options) error {
	var statements []string
	if o.Spill != "" { // DuckDB ignores this limit if it is given when the file is opened
		statements = append(statements, "SET max_temp_directory_size = "+quote(strconv.Itoa(o.SpillMiB)+"MiB"))
	}
	if o.Confine != nil {
		quotedPaths := make([]string, len(o.Confine))
		for i, path := range o.Confine {
			quotedPaths[i] = quote(path)
		}
		list := "[" + strings.Join(quotedPaths, ", ") + "]"
		statements = append(statements, "SET allowed_directories = "+list, "SET allowed_paths = "+list, "SET enable_external_access = false", "SET enable_logging = false")
	}
	if o.TimeZone != "" {
		if _, err := w.db.ExecContext(ctx, "SET GLOBAL TimeZone = "+quote(o.TimeZone)); err != nil {
			return fmt.Errorf("%w: %q; want a name of the IANA's, such as Europe/Oslo", ErrTimeZone, o.TimeZone)
		}
	}
	statements = append(statements, "SET lock_configuration = true")
	for _, s := range statements {
		if _, err := w.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("confine queries: %w", unwrapped(err))
		}
	}
	return nil
}

// Close closes the file, and returns DuckDB's error if it cannot. A query that has not been closed
// keeps DuckDB's instance alive, and with it the spelling: whoever opened it again would wait until
// the query is closed.
func (w *Warehouse) Close() error {
	err := w.db.Close()
	if w.db.Stats().OpenConnections == 0 {
		w.release()
	}
	return err
}

// spellings are the spellings of paths that files of this process are open under. DuckDB shares
// one instance among all readers of the same spelling in a process: it refuses readers with other
// settings, and a reader that opens the path after a publish, while another still reads the
// earlier file, would get the earlier file. So each reader gets a different spelling.
var spellings spellingSet

// spellingSet is a set of spellings that are in use.
type spellingSet struct {
	mu    sync.Mutex
	whole map[string]bool // absolute and not cleaned, as DuckDB distinguishes files
}

// acquire returns the shortest unused spelling of a path: as it is, or with /. once, twice and so
// on before the name. Nobody else gets it until it is released.
func (t *spellingSet) acquire(path string) (own string, release func(), err error) {
	root := ""
	if !filepath.IsAbs(path) {
		if root, err = syscall.Getwd(); err != nil { // as DuckDB does: $PWD can be another path to the same directory
			return "", nil, fmt.Errorf("find the working directory: %w", err)
		}
		root += "/"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.whole == nil {
		t.whole = map[string]bool{}
	}
	own = path
	for directory := filepath.Dir(path); t.whole[root+own]; own = directory + "/" + filepath.Base(path) {
		directory += "/."
	}
	whole := root + own
	t.whole[whole] = true
	return own, sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.whole, whole)
	}), nil
}

// quote returns a text as an SQL literal, for our own paths in the few statements that take no
// parameters: settings, views and copies. It and quoteName, for the names of columns and parameters, are
// the only places that put text into statements. The only escape that DuckDB knows in '...' and "..."
// is the doubled quote.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
