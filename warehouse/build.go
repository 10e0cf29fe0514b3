package warehouse

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// DefaultMemoryMiB is DuckDB's memory limit in a build, if neither it nor SetLimits sets one.
const DefaultMemoryMiB = 160

// mostMemoryMiB is the largest limit that a build tries before it fails.
const mostMemoryMiB = 8 << 10

// Build makes the next published file.
type Build struct {
	Dir   string // the data directory
	RunID string // names the version
	From  string // the file to build on, as Base found it; empty starts without rows

	// MemoryMiB is DuckDB's limit; 0 is that of SetLimits, or DefaultMemoryMiB. Beyond it DuckDB spills to
	// work/. If it cannot spill, the build starts again with twice the limit, and Warn says so.
	MemoryMiB int

	threads int // of DuckDB; see Threads

	// Comments describe the columns of the datasets: the program that derives them says what they mean.
	Comments []Comment

	// Reference are the reference tables, which come from the program. A file has its rows again when
	// they differ from those of the program that built it last.
	Reference []Reference

	Steps  []func(context.Context, *Tx) error            // one transaction each; they run again if the build starts again
	Finish []func(context.Context, *Tx) error            // likewise, on the finished file, with all memory free; they only read
	Check  func(ctx context.Context, w *Warehouse) error // of the finished file, before it is published; may be nil

	Warn func(notice string) // receives what was found beside the published file and removed; may be nil
}

// Update builds, verifies and publishes. Any failure, and a ctx that is cancelled before the
// rename, leaves the published file as it was, and nothing in work/. The caller has locked the data
// directory. It returns ErrOtherProgram or ErrNewerProgram if this program cannot continue the file
// to build on, ErrDamaged if that file cannot be read, ErrApplied if it has one of the runs, and
// the errors of the steps and of Check.
func Update(ctx context.Context, b Build) error {
	b.setDefaults()
	if err := b.clear(); err != nil {
		return err
	}
	built, err := b.build(ctx)
	for outOfMemory(err) && b.MemoryMiB < mostMemoryMiB {
		if b.Warn != nil {
			b.Warn(fmt.Sprintf("the build needs more memory than %d MiB, even with what it spills to disk: it starts again with twice as much", b.MemoryMiB))
		}
		b.MemoryMiB *= 2 // paid answers must be published, and the next limit may be enough
		if err = b.clear(); err == nil {
			built, err = b.build(ctx)
		}
	}
	if err == nil {
		err = errors.Join(b.verify(ctx, built), built.Close())
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = b.publish()
	}
	return errors.Join(err, b.clear())
}

func (b *Build) setDefaults() {
	b.MemoryMiB = cmp.Or(b.MemoryMiB, within(0, &bounds.memoryMiB), DefaultMemoryMiB)
	b.threads = within(0, &bounds.threads)
}

// work is the file being built, and where DuckDB puts what does not fit into memory.
func (b *Build) work() string { return filepath.Join(b.Dir, "work", "fleet.duckdb") }
func (b *Build) temp() string { return filepath.Join(b.Dir, "work", "duckdb.tmp") }

// clear removes what this or an earlier build left in work/.
func (b *Build) clear() error {
	for _, path := range []string{b.work(), b.work() + ".wal", b.temp()} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clear work: %w", err)
		}
	}
	return nil
}

// build copies the file to build on, runs the steps on the copy, and returns the result, open for
// reading, when Finish has read it.
func (b *Build) build(ctx context.Context) (*Warehouse, error) {
	if err := os.MkdirAll(filepath.Dir(b.work()), 0o755); err != nil {
		return nil, fmt.Errorf("make work: %w", err)
	}
	if err := b.copyBase(ctx); err != nil {
		return nil, err
	}
	db, err := open(ctx, b.work(), b.settings(checkpointed)...)
	if err != nil && damaged(err) {
		return nil, fmt.Errorf("build on %s: %w (%v)", b.From, ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("build in %s: %w", b.work(), err)
	}
	if err := errors.Join(b.steps(ctx, db), unwrapped(db.Close())); err != nil {
		return nil, fmt.Errorf("build in %s: %w", b.work(), err)
	}
	if _, err := os.Stat(b.work() + ".wal"); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("verify: the checkpoint left a log behind")
	}
	db, err = open(ctx, b.work(), b.settings(setting{"access_mode", "read_only"})...) // with all memory free
	if err != nil {
		return nil, fmt.Errorf("finish %s: %w", b.work(), err)
	}
	if err := transactAll(ctx, db, b.Finish); err != nil {
		return nil, errors.Join(err, unwrapped(db.Close()))
	}
	return &Warehouse{path: b.work(), db: db, release: func() {}}, nil
}

// checkpointed lets every transaction of a build checkpoint when it commits, and not write its rows to a log
// first. On a disk that fails, DuckDB removes what it could not write of a log, and ends the process if that fails, too.
var checkpointed = setting{"checkpoint_threshold", "0 bytes"}

// settings are what a build opens its file with.
func (b *Build) settings(more setting) []setting {
	settings := []setting{
		{"memory_limit", strconv.Itoa(b.MemoryMiB) + "MiB"},
		threads(b.threads),
		{"preserve_insertion_order", "false"}, // statements that need an order sort, and memory is saved
		{"temp_directory", b.temp()},
		more,
	}
	if b.MemoryMiB < scarceMiB {
		settings = append(settings, setting{"allocator_flush_threshold", "1MiB"}, setting{"allocator_bulk_deallocation_flush_threshold", "2MiB"},
			setting{"allocator_background_threads", "true"})
	}
	return settings
}

// scarceMiB is the limit below which DuckDB returns freed memory to the system at once. A million vessels then
// take 315 instead of 430 MiB in a limit of 160, and a tenth more CPU.
const scarceMiB = 512

// steps migrates the file and runs the steps on it.
func (b *Build) steps(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "SET parquet_metadata_cache = true"); err != nil { // a night reads its files many times
		return fmt.Errorf("build: %w", unwrapped(err))
	}
	if err := prepare(ctx, db, b.definitions()); err != nil {
		return err
	}
	return transactAll(ctx, db, b.Steps)
}

func transactAll(ctx context.Context, db *sql.DB, steps []func(context.Context, *Tx) error) error {
	for _, step := range steps {
		if err := transact(ctx, db, step); err != nil {
			return err
		}
	}
	return nil
}

func transact(ctx context.Context, db *sql.DB, step func(context.Context, *Tx) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", unwrapped(err))
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", unwrapped(err))
	}
	defer tx.Rollback()
	if err := step(ctx, &Tx{tx: tx, conn: conn, hasRows: map[string]bool{}}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", unwrapped(err))
	}
	return nil
}

// verify checks the invariants of the result, which is open for reading, as readers will have it.
func (b *Build) verify(ctx context.Context, built *Warehouse) error {
	if err := built.invariants(ctx); err != nil {
		return err
	}
	if b.Check != nil {
		if err := b.Check(ctx, built); err != nil {
			return err
		}
	}
	return finished.add(ctx, built)
}

// invariants returns an error if the file violates an invariant.
func (w *Warehouse) invariants(ctx context.Context) error {
	wrong, err := w.Violations(ctx)
	if err == nil && len(wrong) > 0 {
		err = errors.New(strings.Join(wrong, "; "))
	}
	return err
}
