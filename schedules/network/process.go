package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a network process, as the Keeper sees it.
type process struct {
	cmd   *exec.Cmd
	conn  net.Conn
	words *relay
	sent  chan struct{} // closed when the setup is sent
	gone  chan struct{} // closed when it has ended, and its log is read
}

// start starts a process and sends it the setup.
func start(c Config) (*process, error) {
	setup, err := json.Marshal(c.Setup())
	if err != nil {
		return nil, err
	}
	conn, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	log, words, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, conn.Close(), theirs.Close())
	}
	p := &process{cmd: exec.Command(c.Command[0], c.Command[1:]...), conn: conn,
		words: newRelay(c.Log), sent: make(chan struct{}), gone: make(chan struct{})}
	p.cmd.Args[0] = "fleetlake"
	p.cmd.Env = append([]string{}, c.Env...) // without one it would inherit ours
	p.cmd.Stderr = words                     // no input and no output: /dev/null
	p.cmd.ExtraFiles = append([]*os.File{theirs}, c.Listeners...)
	p.cmd.SysProcAttr = attributes()
	err = p.cmd.Start()
	if err = errors.Join(err, theirs.Close(), words.Close()); err != nil {
		return nil, errors.Join(err, conn.Close(), log.Close())
	}
	diesEarly(p.cmd.Process.Pid)
	go p.wait(log)
	go p.send(setup)
	return p, nil
}

// wait waits for the end of the process and of its log.
func (p *process) wait(log *os.File) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.words.read(log)
	}()
	_ = p.cmd.Wait() // how it ended is in its state
	select {
	case <-read:
	case <-time.After(time.Second): // what it started has the other end, too
	}
	_ = log.Close() // which ends the reading
	<-read
	close(p.gone)
}

// send sends the setup. A process that does not read it is killed.
func (p *process) send(setup []byte) {
	defer close(p.sent)
	err := p.conn.SetWriteDeadline(time.Now().Add(setupTimeout))
	if err == nil {
		_, err = p.conn.Write(append(setup, '\n'))
	}
	if err != nil {
		_ = p.cmd.Process.Kill() // it may have ended
	}
}

// pair connects two ends, of which the process gets the second.
func pair() (net.Conn, *os.File, error) {
	syscall.ForkLock.RLock() // no other process inherits them
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "link"), os.NewFile(uintptr(fds[1]), "link")
	conn, err := net.FileConn(ours)
	if err = errors.Join(err, ours.Close()); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn, theirs, nil
}

// endsWithin waits for the end of the process, and reports whether it came.
func (p *process) endsWithin(most time.Duration) bool {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-p.gone:
		return true
	case <-late.C:
		return false
	}
}

// end kills the process if it still lives, and returns when it is gone.
func (p *process) end() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.gone
	_ = p.conn.Close()
}

// ending says how a process ended that is gone, with its last words.
func (p *process) ending() error {
	if words := p.words.last(); words != "" {
		return fmt.Errorf("%v: %s", p.cmd.ProcessState, words)
	}
	return errors.New(p.cmd.ProcessState.String())
}
