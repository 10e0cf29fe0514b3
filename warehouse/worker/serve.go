package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// freshness is how often a process that waits looks whether its file is still the published one.
const freshness = time.Second

// server is the side of a process.
type server struct {
	hello
	out    *sender
	buffer *bufio.Writer // of out
	file   snapshot
}

// answersAt is the first descriptor after the standard ones.
const answersAt = 3

// Answers is where a process of a pool sends its answers. It is called once.
func Answers() *os.File { return os.NewFile(answersAt, "answers") }

// Serve is what a process of a pool does: it prepares itself, answers the one request that it reads from in, and
// returns; also if in ends before, which is no error. The caller ends the process then, whatever still runs in it.
// Other errors are those of the pipes, and of limits that cannot be set and that protect others.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	from := &receiver{from: in}
	kind, content, err := from.frame()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil || kind != frameHello {
		return errors.Join(errors.New("this verb is for `fleetlake serve`, which starts it"), err)
	}
	s := &server{buffer: bufio.NewWriterSize(out, maxData)}
	if err := decode(content, &s.hello); err != nil {
		return err
	}
	from.mark = s.Mark
	s.out = &sender{to: s.buffer, mark: s.Mark}
	unlimited, err := restrict(s.hello)
	if err != nil {
		return fmt.Errorf("restrict the process: %w", err)
	}
	runtime.GOMAXPROCS(s.Threads)
	s.file = snapshot{hello: s.hello}
	s.file.prepare(ctx)
	if err := errors.Join(s.out.message(frameReady, ready{unlimited}), s.buffer.Flush()); err != nil {
		return err
	}
	return errors.Join(s.loop(ctx, from), out.Close())
}

// incoming is what a pool sends after the hello.
type incoming struct {
	kind    frameKind
	content []byte
	err     error
}

// loop waits for the request, and answers it.
func (s *server) loop(ctx context.Context, from *receiver) error {
	frames := make(chan incoming)
	go func() {
		for {
			kind, content, err := from.frame()
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
			if errors.Is(f.err, io.EOF) {
				return nil
			}
			if f.err != nil || f.kind != frameRequest {
				return errors.Join(fmt.Errorf("a frame of kind %d, expected a request", f.kind), f.err)
			}
			if err := s.run(ctx, f.content, frames); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case <-look.C:
			if s.file.closeReplaced() {
				s.file.prepare(ctx)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// run answers a request. Its error is one of the pipes: io.EOF if the pool has gone, because DuckDB may
// not be interruptible, and the process ends with the query.
func (s *server) run(ctx context.Context, content []byte, frames <-chan incoming) error {
	var r request
	if err := errors.Join(decode(content, &r), s.out.message(frameTaken, taken{}), s.buffer.Flush()); err != nil {
		return err
	}
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	ended := make(chan error, 1)
	go func() { ended <- s.answer(ctx, r) }()
	for {
		select {
		case err := <-ended:
			return errors.Join(s.out.message(frameEnd, endOf(err)), s.buffer.Flush())
		case f := <-frames:
			switch {
			case f.err != nil:
				return f.err
			case f.kind == frameCancel:
				interrupt()
			}
		}
	}
}
