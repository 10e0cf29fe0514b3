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
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// desk answers the requests of one process.
type desk struct {
	config  Config
	conn    net.Conn
	pending chan struct{} // an element per request without an answer
	heard   atomic.Int64  // when the last line came, in nanoseconds since began
	began   time.Time
	pace    pace
	faults  chan error // of answers: why the process must be ended

	answering sync.WaitGroup // after serve, what is still being answered
	writing   sync.Mutex
}

func newDesk(c Config, conn net.Conn) *desk {
	const most = maxPending + 1
	return &desk{config: c, conn: conn, pending: make(chan struct{}, most), faults: make(chan error, most),
		began: time.Now()}
}

// silent is how long the process has said nothing.
func (d *desk) silent() time.Duration { return time.Since(d.began) - time.Duration(d.heard.Load()) }

// serve reads requests until the connection ends, and has them answered. The error says what the process did that
// our code does not; nil if the connection was closed. Answers may be under way when it returns.
func (d *desk) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = d.conn.SetReadDeadline(time.Now()) })()
	lines := bufio.NewReaderSize(d.conn, maxRequest)
	for {
		q, err := d.next(ctx, lines)
		if err != nil {
			return err
		}
		if q == nil {
			select {
			case err := <-d.faults:
				return err
			default:
				return nil
			}
		}
		select {
		case d.pending <- struct{}{}:
		case <-ctx.Done():
			continue // next says why
		}
		d.answering.Go(func() {
			defer func() { <-d.pending }()
			if err := d.answer(ctx, *q); err != nil {
				d.faults <- err
				cancel()
			}
		})
	}
}

// next reads a request; nil at the end of the connection.
func (d *desk) next(ctx context.Context, lines *bufio.Reader) (*Request, error) {
	line, err := lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("it sent a request of more than %d bytes", maxRequest)
	}
	if err != nil {
		return nil, nil // closed by either side, or by a fault that says why
	}
	d.heard.Store(int64(time.Since(d.began)))
	d.pace.wait(ctx)
	var q Request
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&q); err != nil {
		return nil, errors.New("it sent what is no request")
	}
	if _, err := strict.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it sent more than a request in a line")
	}
	return &q, nil
}

// answer answers a request. Its error is a reason to end the process.
func (d *desk) answer(ctx context.Context, q Request) error {
	a := answer{ID: q.ID}
	value, err := d.call(ctx, q)
	if errors.Is(err, ErrVerb) {
		return fmt.Errorf("it sent %w", err)
	}
	if err == nil {
		a.Value, err = json.Marshal(value)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return d.write(a)
}

// call lets the scheduler answer. A panic of it ends neither process.
func (d *desk) call(ctx context.Context, q Request) (value any, err error) {
	defer func() {
		if r := recover(); r != nil {
			d.config.Log.Error("a request of the network process caused a panic", "verb", q.Verb, "panic", fmt.Sprint(r),
				"stack", string(debug.Stack()))
			err = errors.New("the request could not be answered; the log says why")
		}
	}()
	if q.Verb == verbBeat {
		return nil, nil
	}
	return d.config.Answer(ctx, q)
}

// write sends an answer. A process that does not read is ended.
func (d *desk) write(a answer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	if err := d.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return nil // it is closed
	}
	if _, err := d.conn.Write(append(line, '\n')); errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("it does not read answers")
	}
	return nil
}

// stop asks the process to stop in order, after the setup. It does not wait for that.
func (d *desk) stop(sent <-chan struct{}) {
	go func() {
		<-sent
		_ = d.write(answer{Stop: true}) // it may be gone
	}()
}

// pace lets perSecond requests through in a second.
type pace struct {
	second time.Time
	n      int
}

// wait waits until another request may come.
func (p *pace) wait(ctx context.Context) {
	if p.n++; p.n <= perSecond {
		return
	}
	if left := time.Second - time.Since(p.second); left > 0 {
		late := time.NewTimer(left)
		defer late.Stop()
		select {
		case <-late.C:
		case <-ctx.Done():
		}
	}
	p.second, p.n = time.Now(), 1
}
