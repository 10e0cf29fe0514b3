package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/news"
	"github.com/spf13/cobra"
)

func (a *app) changesCommand() *cobra.Command {
	var since string
	c := &cobra.Command{
		Use:   "changes --since NIGHT",
		Short: "Print what nights changed, as NDJSON for programs",
		Long: `Print what the nights since NIGHT brought about, a line of JSON each: for every published night a line with its
verdict, and after it a line for each change: aground, gone dark, identity in doubt, left the list,
reflagged, new owner, new manager, renamed, new mmsi. The lines are in the order of nights.

The last line has the kind "end". Give its id to --since the next time: the feed then has all that was published
after it, and nothing else. A night that is published late, because it was held back, is in the feed after its
publishing. A night that got another run comes again whole, and all nights do after a rollback: a change that
comes again has the id that it had. Only a feed with an "end" is complete.`,
		Example: `  fleetlake changes --since 2026-11-20
  fleetlake changes --since 20261121T020000.000Z-7f3a.2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if since == "" {
				return fmt.Errorf("--since is missing: %w: %w", news.ErrSince, errUsage)
			}
			dir, err := a.lake()
			if err != nil {
				return err
			}
			w, err := warehouse.Open(cmd.Context(), warehouse.Path(dir), warehouse.Options{})
			if err != nil {
				return err
			}
			out := bufio.NewWriter(a.stdout)
			lines := json.NewEncoder(out)
			err = news.Feed(cmd.Context(), w, since, func(l news.Line) error { return lines.Encode(l) })
			if errors.Is(err, news.ErrSince) {
				err = fmt.Errorf("--since %w: %w", err, errUsage)
			}
			return errors.Join(err, out.Flush(), w.Close())
		},
	}
	c.Flags().StringVar(&since, "since", "", "a night, or the id of the last line of an earlier feed")
	return c
}
