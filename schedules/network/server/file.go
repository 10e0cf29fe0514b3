package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/turns"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// Limits of the file that the page makes of a list, in MiB: it is made beside a harvest.
const pageMemoryMiB, pageSpillMiB = 128, 2048

// filesAtOnce is how many files are made for the page at a time: each may take pageMemoryMiB. So many wait for their turn.
const (
	filesAtOnce  = 2
	filesWaiting = 32
)

// makeFile begins to make a file when it is its turn; the returned function ends that.
func (n *Server) makeFile(ctx context.Context) (end func(), err error) {
	end, err = n.making.Take(ctx, n.times.Queue)
	if errors.Is(err, turns.ErrLate) || errors.Is(err, turns.ErrFull) {
		made, _ := n.making.Counts()
		return nil, fmt.Errorf("%w (%d files are being made)", worker.ErrBusy, made)
	}
	return end, err
}

// answer writes the answer of a statement of the page to a temporary file.
func (n *Server) answer(ctx context.Context, st warehouse.Statement, format string) (path string, done func() error, err error) {
	end, err := n.makeFile(ctx)
	if err != nil {
		return "", nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeoutCause(ctx, n.times.Statement, worker.ErrTime)
	defer cancel()
	return temporaryAnswer(format, func(dir, path string) error { return n.writeAnswer(ctx, st, format, dir, path) })
}

// temporaryAnswer lets write make a file in a temporary directory, which done removes.
func temporaryAnswer(format string, write func(dir, path string) error) (path string, done func() error, err error) {
	dir, done, err := load.Scratch(os.TempDir(), "fleetlake-page-")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "answer."+format)
	if err := write(dir, path); err != nil {
		return "", nil, errors.Join(err, done())
	}
	return path, done, nil
}

func (n *Server) writeAnswer(ctx context.Context, st warehouse.Statement, format, dir, path string) error {
	w, err := warehouse.Open(ctx, warehouse.Path(n.config.Dir), warehouse.Options{MemoryMiB: pageMemoryMiB, Threads: 1, Spill: dir, SpillMiB: pageSpillMiB, Confine: []string{dir}})
	if err != nil {
		return err
	}
	defer w.Close() // of a file that was only read
	if format == "parquet" {
		_, err := w.ToParquet(ctx, st, path)
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the list: %w", err)
	}
	return errors.Join(n.config.WriteAnswer(ctx, w, st, format, f), f.Close())
}
