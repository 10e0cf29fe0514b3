package network

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Descriptors of the network process: that of its link, and the first of the sockets that it listens on.
const (
	linkAt     = 3
	listenerAt = 4
)

// LastDescriptor is the last one that a process with so many sockets is given.
func LastDescriptor(sockets int) int { return listenerAt + sockets - 1 }

// Link is the scheduler as the network process sees it.
type Link struct {
	conn  net.Conn
	lines *bufio.Reader
	room  chan struct{} // an element per request without an answer, but for a beat
	stop  chan struct{} // closed when the process must stop
	gone  chan struct{} // closed when the scheduler is gone

	mu      sync.Mutex // of the rest, and of writing
	last    uint64
	waiting map[uint64]waiting
}

// waiting is a request without an answer.
type waiting struct {
	answers chan answer
	room    bool // it has taken an element of room
}

// Inherited is the link that the Keeper gave this process. It reads the setup into a value. It is called once.
func Inherited(setup any) (*Link, error) {
	if _, err := unix.GetsockoptInt(linkAt, unix.SOL_SOCKET, unix.SO_TYPE); err != nil {
		return nil, errors.New("this verb is for `fleetlake serve`, which starts it")
	}
	f := inheritedFile(linkAt)
	conn, err := net.FileConn(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("open the link: %w", err)
	}
	return newLink(conn, setup)
}

// newLink reads the setup, and then answers until the connection ends.
func newLink(conn net.Conn, setup any) (*Link, error) {
	l := &Link{conn: conn, lines: bufio.NewReader(conn), room: make(chan struct{}, maxPending),
		stop: make(chan struct{}), gone: make(chan struct{}), waiting: map[uint64]waiting{}}
	line, err := l.line()
	if err == nil {
		err = json.Unmarshal(line, setup)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the setup: %w", err), conn.Close())
	}
	go l.read()
	go l.beat()
	return l, nil
}

// Listener is a socket that the Keeper gave this process, by its place in Config.Listeners. Each is opened once.
func Listener(i int) (net.Listener, error) {
	f := inheritedFile(listenerAt + i)
	l, err := net.FileListener(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("listen on an inherited socket: %w", err)
	}
	return l, nil
}

// inheritedFile is a descriptor that was given, and which the processes that this one starts do not inherit.
func inheritedFile(at int) *os.File {
	unix.CloseOnExec(at)
	return os.NewFile(uintptr(at), "inherited")
}

// Stop is closed when the process must stop in order: the scheduler asks for it, or is gone.
func (l *Link) Stop() <-chan struct{} { return l.stop }

// Ask sends a request, and reads the answer into value, which may be nil. Its errors are the scheduler's, in its
// words, and ErrSilent if no answer comes as long as ctx allows.
func (l *Link) Ask(ctx context.Context, q Request, value any) error {
	select {
	case l.room <- struct{}{}:
	case <-ctx.Done():
		return ErrSilent
	case <-l.gone:
		return ErrSilent
	}
	return l.ask(ctx, q, value, true)
}

// ask is Ask of a request that has taken room. The answer makes room again, also if nobody waits for it.
func (l *Link) ask(ctx context.Context, q Request, value any, room bool) error {
	answers := make(chan answer, 1)
	if err := l.send(q, waiting{answers, room}); err != nil {
		return fmt.Errorf("%w: %w", ErrSilent, err)
	}
	select {
	case a := <-answers:
		return a.into(value)
	case <-ctx.Done():
		return ErrSilent
	case <-l.gone:
		return ErrSilent
	}
}

func (a answer) into(value any) error {
	if a.Error != "" {
		return errors.New(a.Error)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(a.Value, value)
}

func (l *Link) send(q Request, w waiting) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	q.ID = l.last
	line, err := json.Marshal(q)
	if err != nil {
		return err
	}
	l.waiting[q.ID] = w
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err = l.conn.Write(append(line, '\n'))
	return err
}

// beat says that the process lives, until the scheduler is gone.
func (l *Link) beat() {
	tick := time.NewTicker(beatInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = l.ask(context.Background(), Request{Verb: verbBeat}, nil, false) // the end of the connection is noticed by read
		case <-l.gone:
			return
		}
	}
}

// read passes the answers on until the connection ends.
func (l *Link) read() {
	var once sync.Once
	stop := func() { once.Do(func() { close(l.stop) }) }
	defer close(l.gone)
	defer stop()
	for {
		line, err := l.line()
		var a answer
		if err != nil || json.Unmarshal(line, &a) != nil {
			return
		}
		if a.Stop {
			stop()
			continue
		}
		l.pass(a)
	}
}

// pass gives an answer to who waits for it.
func (l *Link) pass(a answer) {
	l.mu.Lock()
	w, ok := l.waiting[a.ID]
	delete(l.waiting, a.ID)
	l.mu.Unlock()
	if !ok {
		return
	}
	w.answers <- a
	if w.room {
		<-l.room
	}
}

// line reads a line without its end.
func (l *Link) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.lines.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxAnswer {
			return nil, fmt.Errorf("a line of more than %d bytes", maxAnswer)
		}
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}
