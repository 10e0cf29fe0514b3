package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// freshness is how often a process that waits looks whether its file is still the published one.
const freshness = time.Second

// server is the side of a process.
type server struct {
	hello
	out  *bufio.Writer
	file snapshot
}

// Serve is what a process of a pool does: it answers the requests that it reads until in ends, which is
// no error. The caller ends the process then, whatever still runs in it. Other errors are those of the
// pipes, and of limits that cannot be set.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	kind, content, err := readFrame(in)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil || kind != frameHello {
		return errors.Join(errors.New("this verb is for `fleetlake serve`, which starts it"), err)
	}
	s := &server{out: bufio.NewWriterSize(out, maxData)}
	if err := decode(content, &s.hello); err != nil {
		return err
	}
	if err := restrict(s.Memory); err != nil {
		return fmt.Errorf("restrict the process: %w", err)
	}
	runtime.GOMAXPROCS(s.Threads)
	s.file = snapshot{hello: s.hello}
	return s.loop(ctx, in)
}

// incoming is what a pool sends after the hello.
type incoming struct {
	kind    frameKind
	content []byte
	err     error
}

// loop runs one request after the other.
func (s *server) loop(ctx context.Context, in io.Reader) error {
	frames := make(chan incoming)
	go func() {
		for {
			kind, content, err := readFrame(in)
			select {
			case frames <- incoming{kind, content, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	look := time.NewTicker(freshness)
	defer look.Stop()
	for {
		select {
		case f := <-frames:
			switch {
			case errors.Is(f.err, io.EOF):
				return nil
			case f.err != nil:
				return f.err
			case f.kind == frameRequest:
				if err := s.run(ctx, f.content, frames); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
			} // a cancel comes too late
		case <-look.C:
			s.file.closeReplaced()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// run answers a request. Its error is one of the pipes: io.EOF if the pool has gone, because DuckDB may
// not be interruptible, and the process ends with the query.
func (s *server) run(ctx context.Context, content []byte, frames <-chan incoming) error {
	var r request
	if err := decode(content, &r); err != nil {
		return err
	}
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	ended := make(chan error, 1)
	go func() { ended <- s.answer(ctx, r) }()
	for {
		select {
		case err := <-ended:
			if err := writeMessage(s.out, frameEnd, endOf(err)); err != nil {
				return err
			}
			return s.out.Flush()
		case f := <-frames:
			var c cancel
			switch {
			case f.err != nil:
				return f.err
			case f.kind == frameCancel && decode(f.content, &c) == nil && c.ID == r.ID:
				interrupt()
			}
		}
	}
}
