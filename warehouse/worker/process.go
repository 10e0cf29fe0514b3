package worker

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// process is a process of a pool, as the pool sees it.
type process struct {
	cmd   *exec.Cmd
	spill string // its temporary files
	in    *os.File
	out   *os.File
	from  receiver // of out
	words *tail
	gone  chan struct{} // closed when it has ended and is no zombie

	writing sync.Mutex // of to
	to      sender     // of in
}

// tail keeps the beginning of what a process writes when it crashes.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is enough for the message and the first stack of a crash.
const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[:min(len(b), maxTail-len(t.text))]...)
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// startProcess starts a process with temporary files in a new directory below temp.
func startProcess(c Config, by *starter) (p *process, err error) {
	p = &process{words: &tail{}, gone: make(chan struct{})}
	if p.spill, err = os.MkdirTemp(c.Temp, "worker-"); err != nil {
		return nil, fmt.Errorf("start a process for queries: %w", err)
	}
	if err := p.start(c.Command, by); err != nil {
		return nil, errors.Join(fmt.Errorf("start a process for queries: %w", err), os.RemoveAll(p.spill))
	}
	dir, err := filepath.Abs(c.Dir)
	mark := randomMark()
	if err == nil {
		err = p.send(frameHello, hello{Mark: mark, Dir: dir, Spill: p.spill, SpillMiB: c.Limits.SpillMiB, Memory: c.Limits.MemoryMiB, Threads: c.Limits.Threads})
	}
	p.to.mark, p.from.mark = mark, mark
	if err != nil {
		p.end()
		return nil, fmt.Errorf("start a process for queries: %w", err)
	}
	return p, nil
}

// randomMark is a mark that nobody guesses.
func randomMark() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.BigEndian.Uint64(b[:])
}

// start runs the command with an empty environment, and waits for its end in the background. The answers come on a
// descriptor beside the standard ones, so that nothing that writes to those can be taken for an answer.
func (p *process) start(command []string, by *starter) error {
	childIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, childIn.Close(), in.Close())
	}
	p.in, p.out, p.to.to, p.from.from = in, out, in, bufio.NewReaderSize(out, maxData)
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Args[0] = "fleetlake"
	p.cmd.Env, p.cmd.Dir = []string{}, p.spill
	p.cmd.Stdin, p.cmd.Stderr, p.cmd.ExtraFiles = childIn, p.words, []*os.File{childOut} // no output: /dev/null
	p.cmd.SysProcAttr = attributes()
	p.cmd.WaitDelay = time.Second
	by.run(func() { err = p.cmd.Start() })
	if err = errors.Join(err, childIn.Close(), childOut.Close()); err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	diesFirst(p.cmd.Process.Pid)
	go func() {
		_ = p.cmd.Wait() // how it ended is in its state
		close(p.gone)
	}()
	return nil
}

// send writes a message to the process, which may have ended.
func (p *process) send(kind frameKind, value any) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.to.message(kind, value)
}

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// kill ends the process at once.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // it may have ended

// end ends the process, waits until it is gone, and removes what it left.
func (p *process) end() {
	p.kill()
	<-p.gone
	p.in.Close()
	p.out.Close()
	_ = os.RemoveAll(p.spill) // the caller removes all of them at the end
}

// willEnd reports whether the process has ended, or does within a moment.
func (p *process) willEnd() bool {
	select {
	case <-p.gone:
		return true
	case <-time.After(grace):
		return false
	}
}

// isReady waits until the process can answer, and returns the limits that it could not set.
func (p *process) isReady() (unlimited string, err error) {
	var r ready
	err = p.expect(frameReady, &r)
	return r.Unlimited, err
}

// expect reads the value of a frame of a kind.
func (p *process) expect(want frameKind, value any) error {
	kind, content, err := p.from.frame()
	if err != nil {
		return err
	}
	if kind != want {
		return fmt.Errorf("%w: kind %d, expected %d", errForged, kind, want)
	}
	return decode(content, value)
}

// spilled is how many bytes the temporary files of the process have.
func (p *process) spilled() (n int64) {
	entries, _ := os.ReadDir(p.spill) // DuckDB removes files meanwhile
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			n += info.Size()
		}
	}
	return n
}

// endsClean reports whether nothing follows the end of an answer.
func (p *process) endsClean() bool {
	if err := p.out.SetReadDeadline(time.Now().Add(grace)); err != nil {
		return false
	}
	_, _, err := p.from.frame()
	return errors.Is(err, io.EOF)
}

// ending is how a process ended.
func (p *process) ending() string {
	<-p.gone
	return p.cmd.ProcessState.String()
}

// frames reads the data of an answer up to its end.
type frames struct {
	from *receiver
	rest []byte
	end  *end // nil until it came
}

// Read returns io.EOF at the end of the answer, and another error if the process ends before.
func (f *frames) Read(b []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.end != nil {
			return 0, io.EOF
		}
		kind, content, err := f.from.frame()
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case kind == frameData:
			f.rest = content
		case kind == frameEnd:
			f.end = &end{}
			if err := decode(content, f.end); err != nil {
				return 0, err
			}
		default:
			return 0, fmt.Errorf("%w: kind %d within an answer", errForged, kind)
		}
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
