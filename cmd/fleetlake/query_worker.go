package main

import (
	"context"
	"os"

	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/spf13/cobra"
)

// workerVerb runs a process for queries.
const workerVerb = "query-worker"

// workerCommand is for `fleetlake serve`, which starts it.
func (a *app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerVerb,
		Short:  "Run queries for `fleetlake serve`, which starts this verb",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return worker.Serve(context.WithoutCancel(cmd.Context()), os.Stdin, worker.Answers()) // a signal is for the server, which closes the pipe
		},
	}
}
