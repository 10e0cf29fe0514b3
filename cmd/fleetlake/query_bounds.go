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

// DuckDB leaves neither a function nor the reading of a statement that it is in the middle of,
// and does not count what they take: repeat('x', 4000000000) is 8 GB and minutes, whatever its
// own limits are. So the process is looked at, this often, and a query that does not end is
// given up after this long: the process ends next, and DuckDB with it.
const (
	queryLook  = 20 * time.Millisecond
	queryGrace = time.Second
)

// queryOwnMiB is what the program takes beside the memory that --memory bounds; DuckDB takes up to
// half as much again for what its allocator does not give back at once.
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

// memoryMiB is the memory of this process that is no file's; 0 where the system does not tell.
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
