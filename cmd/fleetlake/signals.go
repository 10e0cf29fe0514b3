package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/machine"
	"github.com/fleetlake/fleetlake/extract"
)

// drainTimeout is how long the process waits after a second signal for the disk to store answers that
// have arrived.
const drainTimeout = 3 * time.Second

// underSignals is the program with signal handling. The first SIGINT or SIGTERM stops it in order. The
// second ends it at once with exitInterrupted: the answers that had arrived are on disk then, and the
// requests without an answer count as spent until the balance settles them.
func underSignals(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	a := &app{getenv: getenv, environment: os.Environ(), stdout: stdout, stderr: stderr, inFlight: &extract.InFlight{}}
	if err := machine.WithoutCore(); err != nil {
		fmt.Fprintf(stderr, "fleetlake: %v\n", err)
		return exitUnexpected
	}
	signals := make(chan os.Signal, 2) // room for both: a second signal right after the first counts
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		<-signals
		stop()
		<-signals
		a.inFlight.Drain(drainTimeout)
		os.Exit(exitInterrupted)
	}()
	return a.run(ctx, args)
}
