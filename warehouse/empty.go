package warehouse

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// emptyFiles are files without rows to build on, by the digest of their definitions. To make one takes
// longer than a small night. A process that builds from nothing once makes none; at the second time it
// keeps one in memory, 2 MiB, which the others copy.
var emptyFiles = struct {
	sync.Mutex
	content map[string][]byte // nil after the first build from nothing
}{content: map[string][]byte{}}

// copyBase puts the file to build on into work/, if there is one: a copy of From, or one without rows.
func (b *Build) copyBase(ctx context.Context) error {
	if b.From != "" {
		return copyFile(b.From, b.work())
	}
	emptyFiles.Lock()
	defer emptyFiles.Unlock()
	key := b.definitions().digest()
	content, again := emptyFiles.content[key]
	if content != nil {
		if err := os.WriteFile(b.work(), content, 0o644); err != nil {
			return fmt.Errorf("copy the empty file: %w", err)
		}
		return nil
	}
	var err error
	if again {
		content, err = b.makeEmpty(ctx)
	}
	emptyFiles.content[key] = content
	return err
}

// makeEmpty makes a file without rows in work/, and returns its content; nil with an error.
func (b *Build) makeEmpty(ctx context.Context) ([]byte, error) {
	db, err := open(ctx, b.work(), b.settings(checkpointed)...)
	if err != nil {
		return nil, fmt.Errorf("build in %s: %w", b.work(), err)
	}
	err = prepare(ctx, db, b.definitions())
	if err := errors.Join(unwrapped(err), unwrapped(db.Close())); err != nil {
		return nil, fmt.Errorf("make an empty file: %w", err)
	}
	content, err := os.ReadFile(b.work())
	if err != nil {
		return nil, fmt.Errorf("make an empty file: %w", err)
	}
	return content, nil
}
