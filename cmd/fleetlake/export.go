package main

import (
	"errors"
	"fmt"

	"github.com/fleetlake/fleetlake/load"
	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var allowEmpty bool
	c := &cobra.Command{
		Use:   "export DIR",
		Short: "Copy the published lake files to a directory, all or none",
		Long: `Copy the Parquet files of every published run, with their manifests, to a directory, in Hive
layout (table/snapshot_date=YYYY-MM-DD/run_id.parquet). Each file is checked against the SHA-256
of its manifest. An earlier export in DIR is replaced; files in it that no export wrote stay, and are
reported. A DIR with other files and no export is refused.`,
		Example: "  fleetlake export /mnt/lake/fleet",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.lake()
			if err != nil {
				return err
			}
			done, err := load.Export(cmd.Context(), dir, args[0], allowEmpty)
			if errors.Is(err, load.ErrEmpty) {
				return fmt.Errorf("%w (data directory %s) --allow-empty replaces them nevertheless; %w", err, dir, errUsage)
			}
			for _, line := range done.Notices() {
				fmt.Fprintf(a.stderr, "fleetlake: %s\n", line)
			}
			if words, _ := writer(dir); err != nil && words != "" {
				return fmt.Errorf("%w; %s writes into the data directory: try again when it has ended", err, words)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d files of %d runs, %.1f MB, in %s\n", done.Files, done.Runs, float64(done.Bytes)/1e6, args[0])
			return nil
		},
	}
	c.Flags().BoolVar(&allowEmpty, "allow-empty", false, "replace an earlier export even if there is nothing to export")
	return c
}
