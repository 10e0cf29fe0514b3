//go:build !no_network

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/assistant"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/history"
	"github.com/fleetlake/fleetlake/warehouse/worker"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

// maxMessage is more bytes than a message of an assistant has: a statement with each of its bytes escaped.
const maxMessage = 1 << 20

// idleWorker is how long a process waits for the next statement of an assistant.
const idleWorker = time.Minute

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Let an AI assistant ask the published warehouse (Model Context Protocol over stdio)",
		Long: `Answer an AI assistant that starts this command and speaks the Model Context Protocol on its standard input
and output. It gets tools: the worked queries, the data dictionary, one SQL statement that reads, the history of a
vessel, and which nights can be trusted. Each answer carries the newest night and its verdict.

Each statement runs in a process of its own, within the limits under "queries" in the configuration: it can use
the warehouse only, as those of Flight SQL. Nothing is written, no request is sent, no key is needed.

An assistant is configured with the command and its arguments, mostly as JSON:

  {"mcpServers": {"fleetlake": {"command": "fleetlake", "args": ["mcp", "--data", "/var/lib/fleetlake"]}}}`,
		Example: `  fleetlake mcp --data fleetlake-demo`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.logs = true // standard output is the assistant's
			cfg, err := a.config()
			if err == nil {
				err = requireLake(cfg.DataDir)
			}
			if err != nil {
				return err
			}
			return a.mcp(cmd.Context(), cfg, io.NopCloser(cmd.InOrStdin()))
		},
	}
}

// mcp answers one assistant.
func (a *app) mcp(ctx context.Context, cfg config.Config, from io.ReadCloser) (err error) {
	program, err := worker.Program()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	temporary, remove, err := load.Scratch(os.TempDir(), "fleetlake-mcp-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	q, log := cfg.Queries, a.log()
	q.MemoryMiB = min(q.MemoryMiB, a.capacity(cfg, 0).duckdbMiB())
	pool, err := worker.New(worker.Config{Dir: cfg.DataDir, Command: []string{program, workerVerb}, Temp: temporary, Limits: q.Limits,
		Concurrent: q.Concurrent, Queue: q.Queue, Wait: q.Wait, Idle: idleWorker, Log: log})
	if err != nil {
		return err
	}
	defer pool.Close()
	s, err := assistant.New(assistant.Config{Dir: cfg.DataDir, Pool: pool, Version: version(), Log: log, Explain: writeHistory})
	if err != nil {
		return err
	}
	return s.Serve(ctx, &mcp.IOTransport{Reader: from, Writer: unclosed{a.stdout}, MaxLineLength: maxMessage})
}

// unclosed is a writer that the transport does not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// writeHistory writes what is known of a vessel for people.
func writeHistory(ctx context.Context, w *warehouse.Warehouse, vessel string, to io.Writer) error {
	v, err := history.Of(ctx, w, vessel)
	if err != nil {
		return err
	}
	return console.WriteExplanation(to, wording.Explanation{Vessel: v})
}
