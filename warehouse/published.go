package warehouse

import (
	"context"
	"errors"
)

// Published is the published file of a data directory as the one writer of the directory found it,
// open for reading. It does not follow a later publish: a writer closes it before it changes the file,
// and opens the new one.
type Published struct {
	Runs map[string]bool // the ids of the runs whose answers are in the file; nil if nothing is published
	File *Warehouse      // nil if nothing is published, and after Close
}

// OpenPublished opens the published file of a data directory with the memory of one query, and reads
// its runs. It is no error that nothing is published. The error is one for which IsDamaged is true if
// the file cannot be read.
func OpenPublished(ctx context.Context, dir string) (*Published, error) {
	w, err := Open(ctx, Path(dir), Options{MemoryMiB: DefaultMemoryMiB, Threads: 1})
	if errors.Is(err, ErrNone) {
		return &Published{}, nil
	}
	if err != nil {
		return nil, err
	}
	runs, err := w.Published(ctx)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &Published{Runs: runs, File: w}, nil
}

// PublishedRuns returns the ids of the runs whose answers are in the published file of a data
// directory; nil if nothing is published. Its errors are those of OpenPublished.
func PublishedRuns(ctx context.Context, dir string) (map[string]bool, error) {
	p, err := OpenPublished(ctx, dir)
	if err != nil {
		return nil, err
	}
	return p.Runs, p.Close()
}

// CheckProgram returns the error of the file's CheckProgram; nil if nothing is published.
func (p *Published) CheckProgram(ctx context.Context) error {
	if p.File == nil {
		return nil
	}
	return p.File.CheckProgram(ctx)
}

// Close closes the file; Runs stays. It is no error to call it again, or on nil.
func (p *Published) Close() error {
	if p == nil || p.File == nil {
		return nil
	}
	w := p.File
	p.File = nil
	return w.Close()
}
