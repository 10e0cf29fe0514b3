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
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed && len(p.idle) > 0 && !again {
		one := p.idle[0]
		p.idle = p.idle[1:]
		if one.alive() {
			return one, nil
		}
		p.config.Log.Warn("a process for queries ended while it was idle", "state", one.ending(), "words", one.words.String())
		delete(p.all, one)
		one.end()
	}
	if p.closed {
		return nil, ErrClosed
	}
	return p.start()
}

// start starts a process. The caller has the lock.
func (p *Pool) start() (*process, error) {
	one, err := startProcess(p.config, p.starter)
	if err != nil {
		return nil, err
	}
	p.started.Add(1)
	p.all[one] = true
	return one, nil
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

// prepareOne starts a process for a later query, and reports whether another one is missing.
func (p *Pool) prepareOne() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := min(prepared, p.config.Concurrent)
	if !p.closed && len(p.idle) < most {
		one, err := p.start()
		if err == nil {
			p.idle = append(p.idle, one)
		} else {
			p.config.Log.Warn("no process for the next query", "error", err)
			most = 0 // the query will say so
		}
	}
	if p.ageing == nil {
		p.ageing = time.AfterFunc(p.config.Idle, p.endIdle)
	}
	p.ageing.Reset(p.config.Idle)
	p.filling = !p.closed && len(p.idle) < most
	return p.filling
}

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
