package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/turns"
)

// Limits are those of one query. All but Rows and Bytes, where 0 is none, are more than 0.
type Limits struct {
	MemoryMiB int
	SpillMiB  int // for what does not fit into memory; 0 is none
	Threads   int
	Time      time.Duration // until the first row, and between two
	Stall     time.Duration // that a client may take for a part of the answer
	Rows      int64
	Bytes     int64 // of the answer in Arrow's memory
}

// Config is what a pool needs.
type Config struct {
	Dir     string   // the data directory
	Command []string // the program that calls Serve, and its arguments
	Temp    string   // a directory for temporary files; the caller removes it after Close
	Limits  Limits

	Concurrent int           // queries at the same time, of which one client has half; see package turns
	Queue      int           // queries that wait for their turn; likewise
	Wait       time.Duration // that a query waits
	Idle       time.Duration // after the last query, the processes that wait for the next one end

	Log   *slog.Logger
	Ended func(outcome string, took time.Duration) // called for each query with one of Outcomes; nil is nothing
}

// prepared is how many processes wait for queries, if as many may run: each has the file open and waits for its one
// statement, so that a query does not wait for a process to start, which would double what a small one takes. One has
// some 16 MiB of its own, besides the program, which all share (BenchmarkSmallQuery).
const prepared = 2

// Pool runs queries in processes, each in one of its own.
type Pool struct {
	config  Config
	turns   *turns.Turns // a place per query that runs
	started atomic.Int64
	closing context.Context
	close   context.CancelFunc

	mu       sync.Mutex
	idle     []*process // that have run nothing, the oldest first
	all      map[*process]bool
	closed   bool
	filling  bool
	ageing   *time.Timer // ends idle processes; nil is none
	running  sync.WaitGroup
	starter  *starter
	ending   sync.Once // of the starter
	unlimits sync.Once // says that processes could not limit themselves
}

// New returns a pool, which starts its first processes with its first query.
func New(c Config) (*Pool, error) {
	l := c.Limits
	if c.Dir == "" || c.Temp == "" || len(c.Command) == 0 || c.Log == nil || c.Concurrent < 1 || l.MemoryMiB < 1 || l.Threads < 1 || l.Time <= 0 || l.Stall <= 0 {
		return nil, errors.New("a pool of processes without a directory, a command, a log or limits")
	}
	closing, cancel := context.WithCancel(context.Background())
	return &Pool{config: c, starter: newStarter(c.Temp), turns: turns.New(c.Concurrent, c.Queue), all: map[*process]bool{}, closing: closing, close: cancel}, nil
}

// Stall is how long a client may take for a part of an answer.
func (p *Pool) Stall() time.Duration { return p.config.Limits.Stall }

// Stats are counts of a pool.
type Stats struct {
	Running, Waiting int // queries
	Started          int // processes, since the beginning
}

// Stats returns the counts of now.
func (p *Pool) Stats() Stats {
	running, waiting := p.turns.Counts()
	return Stats{Running: running, Waiting: waiting, Started: int(p.started.Load())}
}

// Close ends all queries and processes, and returns when they are gone.
func (p *Pool) Close() {
	p.close()
	p.mu.Lock()
	p.closed = true
	for one := range p.all {
		one.kill()
	}
	idle := p.idle
	p.idle = nil
	if p.ageing != nil {
		p.ageing.Stop()
	}
	p.mu.Unlock()
	for _, one := range idle {
		p.discard(one)
	}
	p.running.Wait()
	p.ending.Do(p.starter.close)
}

// turn waits until the query may run, as its client's share allows; the returned function ends its turn.
func (p *Pool) turn(ctx context.Context, tell func(before int)) (done func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.closing, func() { cancel(ErrClosed) })()
	done, err = p.turns.TakeAndTell(ctx, p.config.Wait, tell)
	running, waiting := p.turns.Counts()
	switch {
	case errors.Is(err, turns.ErrFull):
		return nil, fmt.Errorf("%w (%d run, %d wait; one client has a part of the places)", ErrBusy, running, waiting)
	case errors.Is(err, turns.ErrLate):
		return nil, fmt.Errorf("%w (%d run; waited for %s)", ErrBusy, running, p.config.Wait)
	}
	return done, err
}

// take returns a process that has run nothing: one that waits, or a new one; only a new one for a query that lost one
// already.
func (p *Pool) take(again bool) (*process, error) {
	for !again {
		one := p.oldest()
		if one == nil {
			break
		}
		if one.alive() {
			return one, nil
		}
		p.config.Log.Warn("a process for queries ended while it was idle", "state", one.ending(), "words", one.words.String())
		p.discard(one)
	}
	return p.start()
}

// oldest takes the oldest of the processes that have run nothing; nil if there is none.
func (p *Pool) oldest() (one *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) > 0 {
		one, p.idle = p.idle[0], p.idle[1:]
	}
	return one
}

// start starts a process, without the lock, so that nobody waits for that but the query that needs it. A pool that is
// closed meanwhile ends it.
func (p *Pool) start() (*process, error) {
	if p.closing.Err() != nil {
		return nil, ErrClosed
	}
	one, err := startProcess(p.config, p.starter)
	if err != nil {
		return nil, err
	}
	p.started.Add(1)
	if !p.keep(one) {
		one.end()
		return nil, ErrClosed
	}
	return one, nil
}

// keep notes that a process is there, for Close to end; false if the pool is closed.
func (p *Pool) keep(one *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.all[one] = true
	}
	return !p.closed
}

// prepare starts processes for the next queries in the background.
func (p *Pool) prepare() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.filling {
		return
	}
	p.filling = true
	p.running.Go(func() {
		for p.prepareOne() {
		}
	})
}

// prepareOne starts a process for a later query, and reports whether another one is missing. The pool is filled by one
// goroutine at a time, so that it does not get too many.
func (p *Pool) prepareOne() bool {
	one, err := p.startMissing()
	if err != nil && !errors.Is(err, ErrClosed) {
		p.config.Log.Warn("no process for the next query", "error", err) // which will say so
	}
	more, closed := p.addIdle(one, err == nil)
	if closed && one != nil {
		p.discard(one)
	}
	return more
}

// addIdle lets a process wait for a query, if it is one, and reports whether another one is missing, or the pool closed.
func (p *Pool) addIdle(one *process, fill bool) (more, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false, true
	}
	if one != nil {
		p.idle = append(p.idle, one)
	}
	if p.ageing == nil {
		p.ageing = time.AfterFunc(p.config.Idle, p.endIdle)
	}
	p.ageing.Reset(p.config.Idle)
	p.filling = fill && len(p.idle) < p.mostIdle()
	return p.filling, false
}

// startMissing starts a process if one is missing.
func (p *Pool) startMissing() (*process, error) {
	p.mu.Lock()
	missing := len(p.idle) < p.mostIdle()
	p.mu.Unlock()
	if !missing {
		return nil, nil
	}
	return p.start()
}

// mostIdle is how many processes wait for queries.
func (p *Pool) mostIdle() int { return min(prepared, p.config.Concurrent) }

// discard ends a process.
func (p *Pool) discard(one *process) {
	one.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, one)
}

// endIdle ends the processes that wait for a query.
func (p *Pool) endIdle() {
	p.mu.Lock()
	old := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, one := range old {
		p.discard(one)
	}
}
