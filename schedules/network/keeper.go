package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Times of the Keeper.
const (
	lookInterval = 250 * time.Millisecond // at which it looks at the memory
	firstPause   = 100 * time.Millisecond // before a process is started again
	longestPause = 10 * time.Second
	longLife     = time.Minute // after which a process counts as one that works

	// defaultSilence is far more than a process needs that waits for the CPU beside a harvest.
	defaultSilence = 30 * time.Second
)

// errRenewed says that another process takes the place of one.
var errRenewed = errors.New("another one takes its place")

// errClosed says that a process lives, and can do nothing more.
var errClosed = errors.New("it closed its connection to the scheduler")

// Config is what a Keeper needs.
type Config struct {
	Command   []string
	Env       []string   // of the process
	Setup     func() any // what each process is sent when it starts, as JSON
	Listeners []*os.File // sockets that the process accepts connections on; the caller closes them after Stop
	MemoryMiB int        // above which the process is ended
	Resident  func(pid int) (mib int)
	Grace     time.Duration // that a process has to stop in order
	Silence   time.Duration // after which a process that says nothing is ended; 0 is 30 s
	Log       *slog.Logger

	// Answer answers a request of the process, and ends with its context. Several may be asked at the same time.
	// The value is sent as JSON, the error in words; ErrVerb ends the process.
	Answer func(ctx context.Context, q Request) (any, error)

	// Confine takes rights from the thread that it is called on, which the process is started from and inherits them from;
	// nil takes none. Without the rights that it cannot take, the process is started, and that is logged.
	Confine func() error

	Restarted func() // called for each process that ended unasked; nil is nothing
}

// Keeper starts the network process, watches it, and starts it again when it ended.
type Keeper struct {
	config Config
	stop   chan struct{}
	renew  chan struct{} // an element if a process with the present setup is to take the place of the one that runs
	once   sync.Once
	ended  chan struct{}
	pid    atomic.Int64 // of the process; 0 without one
}

// Keep starts the process, and keeps it until Stop. It does not wait for it: a process that cannot be started is
// tried again, and logged.
func Keep(c Config) (*Keeper, error) {
	if len(c.Command) == 0 || c.MemoryMiB < 1 || c.Resident == nil || c.Grace <= 0 || c.Log == nil || c.Answer == nil {
		return nil, errors.New("a network process without a command, a limit of memory, a log or answers")
	}
	if c.Silence == 0 {
		c.Silence = defaultSilence
	}
	if c.Restarted == nil {
		c.Restarted = func() {}
	}
	if c.Confine == nil {
		c.Confine = func() error { return nil }
	}
	k := &Keeper{config: c, stop: make(chan struct{}), renew: make(chan struct{}, 1), ended: make(chan struct{})}
	go k.keep()
	return k, nil
}

// Stop asks the process to stop in order, kills it after Grace, and returns when it is gone.
func (k *Keeper) Stop() {
	k.once.Do(func() { close(k.stop) })
	<-k.ended
}

// Renew has another process, with the present setup, take the place of the one that runs. It does not wait: clients that
// connect meanwhile do.
func (k *Keeper) Renew() {
	select {
	case k.renew <- struct{}{}:
	default: // it is about to be
	}
}

// ResidentMiB is the memory of the process; 0 without one, or if the system does not report it.
func (k *Keeper) ResidentMiB() int {
	if pid := k.pid.Load(); pid > 0 {
		return k.config.Resident(int(pid))
	}
	return 0
}

// keep runs one process after the other. It has a thread of its own, which ends with it: on Linux the process ends
// with the thread that started it.
func (k *Keeper) keep() {
	defer close(k.ended)
	runtime.LockOSThread() // never unlocked, so that nothing else runs on a thread with fewer rights
	if err := k.config.Confine(); err != nil {
		k.config.Log.Warn("the network process may write wherever this user may: the system cannot keep it from that",
			"error", err)
	}
	pause := time.Duration(0)
	for {
		began := time.Now()
		why := k.keepOne()
		if k.stopped() {
			return
		}
		if errors.Is(why, errRenewed) {
			pause = 0
			continue
		}
		pause = nextPause(pause, time.Since(began))
		k.config.Restarted()
		k.config.Log.Error("the network process ended, and is started again: page and Flight SQL are away until then",
			"reason", why.Error(), "in", pause.Seconds())
		select {
		case <-k.stop:
			return
		case <-time.After(pause):
		}
	}
}

func (k *Keeper) stopped() bool {
	select {
	case <-k.stop:
		return true
	default:
		return false
	}
}

// nextPause is how long to wait before another process is started: twice as long as before the one that ended,
// unless that lived long.
func nextPause(before, lived time.Duration) time.Duration {
	if before == 0 || lived >= longLife {
		return firstPause
	}
	return min(2*before, longestPause)
}

// keepOne runs a process, and returns why it ended.
func (k *Keeper) keepOne() error {
	p, err := start(k.config)
	if err != nil {
		return fmt.Errorf("start the network process: %w", err)
	}
	k.pid.Store(int64(p.cmd.Process.Pid))
	defer k.pid.Store(0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	desk := newDesk(k.config, p.conn)
	served, answered := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(answered)
		served <- desk.serve(ctx)
		desk.answering.Wait()
	}()
	why := k.watch(p, desk, served)
	cancel()
	p.end()
	select {
	case <-answered:
	case <-time.After(k.config.Grace): // of a disk that hangs
	}
	return why
}

// watch waits until the process ends, must be ended or must stop. It returns why.
func (k *Keeper) watch(p *process, desk *desk, served <-chan error) error {
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		select {
		case <-p.gone:
			return p.ending()
		case err := <-served:
			if err == nil && p.endsWithin(time.Second) {
				return p.ending()
			}
			return cmp.Or(err, errClosed)
		case <-look.C:
			if used := k.config.Resident(p.cmd.Process.Pid); used > k.config.MemoryMiB {
				return fmt.Errorf("it took %d MiB, of at most %d", used, k.config.MemoryMiB)
			}
			if silent := desk.silent(); silent > k.config.Silence {
				return fmt.Errorf("it has said nothing for %v", silent.Round(time.Second))
			}
		case <-k.stop:
			k.end(p, desk)
			return nil
		case <-k.renew:
			k.end(p, desk)
			return errRenewed
		}
	}
}

// end has a process stop in order.
func (k *Keeper) end(p *process, desk *desk) {
	desk.stop(p.sent)
	p.endsWithin(k.config.Grace)
}
