package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/spf13/cobra"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented fleetlake.yaml",
		Long: `Write the default configuration, with a comment on every key. An existing file is not changed. The last line
says what its cap brings: how much the first night covers, when every vessel is listed, and what a complete
first night costs. It is simulated from assumed sizes, without a key and without a network.`,
		Example: "  fleetlake init",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := config.DefaultPath
			if len(args) == 1 {
				path = args[0]
			}
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // addresses under notify contain secrets
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists and was not changed; name another file: %w", path, errUsage)
			}
			if err != nil {
				return fmt.Errorf("write configuration: %w", err)
			}
			_, err = f.WriteString(config.DefaultText)
			if err := errors.Join(err, f.Close()); err != nil {
				return errors.Join(fmt.Errorf("write configuration: %w", err), os.Remove(path))
			}
			fmt.Fprintf(a.stdout, "wrote %s; set api.base_url in it, put the key into FLEETLAKE_API_KEY or a file of mode 0600 or 0440, and try `fleetlake doctor`\n", path)
			return writeOutlook(cmd.Context(), a.stdout, path)
		},
	}
}

// writeOutlook says what the cap of a new configuration brings. The environment changes nothing of it.
func writeOutlook(ctx context.Context, w io.Writer, path string) error {
	cfg, err := config.Load(path, true, func(string) string { return "" })
	if err != nil {
		return err
	}
	job, err := jobOf(cfg, nil)
	if err != nil {
		return err
	}
	o, err := outlook(ctx, cfg, job, time.Now())
	if err != nil || o == nil {
		return err
	}
	_, err = fmt.Fprintf(w, "cap       %s\n", console.OutlookWords(job, *o))
	return err
}
