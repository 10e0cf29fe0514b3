package store

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// chunk is the most that is read at once from a source, so that a limit spaces bytes evenly and a
// cancelled context ends a copy soon.
const chunk = 64 << 10

// limiter spaces bytes to so many a second over all who wait for it. The zero value waits for nobody.
type limiter struct {
	perSecond int64

	mu   sync.Mutex
	next time.Time // when the bytes that were admitted so far have had their time
}

// wait returns when n more bytes may go, or with the context's error.
func (l *limiter) wait(ctx context.Context, n int) error {
	if l.perSecond == 0 {
		return ctx.Err()
	}
	l.mu.Lock()
	now := time.Now()
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(time.Duration(float64(n) / float64(l.perSecond) * float64(time.Second)))
	pause := l.next.Sub(now)
	l.mu.Unlock()
	return sleep(ctx, pause)
}

// sleep pauses, or returns the context's error as soon as it ends.
func sleep(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// meter is what counts and limits the bytes that leave for a store.
type meter struct {
	limit limiter
	sent  func(int64)
}

func newMeter(o Options) *meter {
	if o.Sent == nil {
		o.Sent = func(int64) {}
	}
	return &meter{limit: limiter{perSecond: o.Bandwidth}, sent: o.Sent}
}

// content is a section of a source on its way to the store. It may be sent several times.
type content struct {
	*meter
	file         io.ReaderAt
	offset, size int64
	counted      atomic.Int64 // how far Sent has counted it: what is sent again does not count again
}

// skip counts the section as sent, because the store has it.
func (c *content) skip() { c.count(c.size) }

// count tells Sent of the bytes up to a position that it does not know of.
func (c *content) count(to int64) {
	for {
		from := c.counted.Load()
		if to <= from {
			return
		}
		if c.counted.CompareAndSwap(from, to) {
			c.sent(to - from)
			return
		}
	}
}

// reader reads a content once, from its beginning: for one attempt to send it.
func (c *content) reader(ctx context.Context, w *watch) *contentReader {
	return &contentReader{ctx, c, w, io.NewSectionReader(c.file, c.offset, c.size), 0}
}

type contentReader struct {
	ctx     context.Context // of the attempt that reads: io.Reader has no place for it
	content *content
	watch   *watch
	section *io.SectionReader
	at      int64
}

// Read reads what the bandwidth admits.
func (r *contentReader) Read(p []byte) (int, error) {
	n, err := r.section.Read(p[:min(len(p), chunk)])
	if err != nil && err != io.EOF {
		return 0, &sourceError{err}
	}
	r.watch.pause() // waiting for the bandwidth is no stall
	if err := r.content.limit.wait(r.ctx, n); err != nil {
		return 0, err
	}
	r.watch.restart()
	r.at += int64(n)
	r.content.count(r.at)
	return n, err
}

// Seek lets the client measure the content and start again. It counts nothing.
func (r *contentReader) Seek(offset int64, whence int) (int64, error) {
	at, err := r.section.Seek(offset, whence)
	r.at = at
	return at, err
}

// sourceError says that the file could not be read: not the store's fault.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return fmt.Sprintf("read the source: %v", e.err) }
func (e *sourceError) Unwrap() error { return e.err }
