package main

import (
	"fmt"

	"github.com/fleetlake/fleetlake/load"
	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "export DIR",
		Short: "Bring the published lake files to a directory, whole or not at all",
		Long: `Copy the Parquet files of every published run, with their manifests, to a directory, in Hive
layout (table/snapshot_date=YYYY-MM-DD/run_id.parquet). Each file is checked against the SHA-256
of its manifest. An earlier export in DIR is replaced whole; any other content is left alone.`,
		Example: "  fleetlake export /mnt/lake/fleet",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.data()
			if err != nil {
				return err
			}
			done, err := load.Export(cmd.Context(), dir, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d files of %d runs, %.1f MB, in %s\n", done.Files, done.Runs, float64(done.Bytes)/1e6, args[0])
			return nil
		},
	}
}
