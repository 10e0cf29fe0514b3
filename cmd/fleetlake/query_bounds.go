package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// DuckDB cannot interrupt a function or the parsing of a statement, and does not count their memory:
// repeat('x', 4000000000) takes 8 GB and minutes, whatever the limits are. So the memory of the process
// is checked every queryLook, and a query that does not end within queryGrace is given up: the process
// ends next, and DuckDB with it.
const (
	queryLook  = 20 * time.Millisecond
	queryGrace = time.Second
)

// queryOwnMiB is the memory of the program beside what --memory bounds. DuckDB takes up to half as
// much again for what its allocator does not return at once.
const queryOwnMiB = 256

// bounded runs a query within the time and the memory of the flags.
func (o queryOptions) bounded(ctx context.Context, run func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if o.timeout > 0 {
		defer time.AfterFunc(o.timeout, func() { cancel(fmt.Errorf("the query took longer than --timeout %s", o.timeout)) }).Stop()
	}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	look := time.NewTicker(queryLook)
	defer look.Stop()
	over := ctx.Done()
	var givenUp <-chan time.Time
	for {
		select {
		case err := <-ended:
			if err != nil && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		case <-look.C:
			if used := memoryMiB(); used > o.memoryMiB+o.memoryMiB/2+queryOwnMiB {
				cancel(fmt.Errorf("the query took %d MiB: %w", used, warehouse.ErrRoom))
			}
		case <-over:
			over, givenUp = nil, time.After(queryGrace)
		case <-givenUp:
			return context.Cause(ctx)
		}
	}
}

// memoryMiB is the resident memory of this process without mapped files; 0 where the system does not
// report it.
func memoryMiB() int {
	b, err := os.ReadFile("/proc/self/statm") // pages: in all, resident, of these shared
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	shared, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return 0
	}
	return (resident - shared) * os.Getpagesize() >> 20
}
