package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load/export"
	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/spf13/cobra"
)

func (a *app) compactCommand() *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "compact [TARGET]",
		Short: "Merge the files of closed months of an export",
		Long: `Merge the files of each month of facts into one for each table, once a later month has a night. The rows
come from the lake of the data directory. The files of the nights leave the list, and
` + "`export expire`" + ` removes them later. A night that is derived anew takes its month apart again.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTarget(cmd.Context(), &o, args, func(ctx context.Context, s store.Store) error {
				r, err := export.Compact(ctx, o.dir, s, o.export)
				if err != nil {
					return err
				}
				return a.reportCompact(r, o)
			})
		},
	}
	o.flags(c)
	o.dryRun(c)
	o.selection(c)
	return c
}

// reportCompact prints what a compaction did.
func (a *app) reportCompact(r export.Report, o exportOptions) error {
	a.notices(r.Notices)
	if o.json {
		return console.WriteJSON(a.stdout, r)
	}
	for _, u := range r.Uploads {
		fmt.Fprintf(a.stdout, "%12s  %s\n", wording.Bytes(u.Bytes), u.Path)
	}
	done := "merged"
	if r.DryRun {
		done = "to merge"
	}
	_, err := fmt.Fprintf(a.stdout, "%d months of tables %s in %s, %s; it lists %d files\n", r.Files, done, o.target, wording.Bytes(r.Bytes), r.Listed)
	return err
}

func (a *app) expireCommand() *cobra.Command {
	var o exportOptions
	x := export.ExpireOptions{Grace: export.DefaultGrace}
	c := &cobra.Command{
		Use:   "expire [TARGET]",
		Short: "Remove files of an export that a later one has replaced",
		Long: `Remove files that earlier manifests of TARGET list and current.json does not, once they have been
unlisted for a grace period, and old manifests. Files that an Iceberg table still needs stay, and so does
everything that no manifest ever listed. With --keep-facts, nights that are older than the latest by more
leave the list first; exports do not bring them back, unless --since names an earlier night. Facts of runs
that the export lists no longer, although nothing has replaced them and they are not that old, stay: they
may be the last copies. --unlisted removes them, too.`,
		Example: `  fleetlake export expire s3://lake/fleet --dry-run
  fleetlake export expire s3://lake/fleet --keep-facts 400d`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTarget(cmd.Context(), &o, args, func(ctx context.Context, s store.Store) error {
				if !cmd.Flags().Changed("grace") {
					x.Grace = cmp.Or(o.expire.After, x.Grace)
				}
				if !cmd.Flags().Changed("keep-facts") {
					x.KeepFacts = o.expire.KeepFacts
				}
				x.DryRun, x.Program, x.Progress = o.export.DryRun, o.export.Program, o.export.Progress
				done, err := export.Expire(ctx, s, x)
				if err != nil {
					return err
				}
				return a.reportExpired(done, o)
			})
		},
	}
	o.flags(c)
	o.dryRun(c)
	c.Flags().Var(&durationFlag{&x.Grace, time.Second}, "grace", "how long a file stays after it left the list")
	c.Flags().Var(&durationFlag{&x.KeepFacts, 24 * time.Hour}, "keep-facts", "nights older than the latest by more leave the list, as 400d (default keep all)")
	c.Flags().BoolVar(&x.Unlisted, "unlisted", false, "also remove facts of runs that the export lists no longer: they may be the last copies")
	return c
}

// reportExpired prints what an expiry did.
func (a *app) reportExpired(x export.Expired, o exportOptions) error {
	a.notices(x.Notices)
	if o.json {
		return console.WriteJSON(a.stdout, x)
	}
	done := "removed"
	if x.DryRun {
		done = "to remove"
		for _, u := range x.Removed {
			fmt.Fprintf(a.stdout, "%12s  %s\n", wording.Bytes(u.Bytes), u.Path)
		}
	}
	if x.Unlisted > 0 {
		fmt.Fprintf(a.stdout, "%d files of nights before %s leave the list\n", x.Unlisted, x.FactsSince)
	}
	_, err := fmt.Fprintf(a.stdout, "%d files and %d manifests %s in %s, %s; %d wait for the grace period, %d are pinned\n",
		x.Files, x.Manifests, done, o.target, wording.Bytes(x.Bytes), x.Waiting, x.Pinned)
	return err
}

func (a *app) verifyExportCommand() *cobra.Command {
	var o exportOptions
	var hash bool
	c := &cobra.Command{
		Use:   "verify [TARGET]",
		Short: "Check an export against its manifest",
		Long: `Check that every file which current.json lists is there with its size and is listed once. With --hash
read every file, and compare its SHA-256 and its rows. What is not of an export is listed. It changes nothing,
and ends with exit code 1 if something is wrong. ` + "`fleetlake verify`" + ` checks the data directory.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withTarget(cmd.Context(), &o, args, func(ctx context.Context, s store.Store) error {
				v, err := export.Verify(ctx, o.dir, s, export.VerifyOptions{Hash: hash, Progress: o.export.Progress})
				if err != nil {
					return err
				}
				if !v.OK {
					a.code = exitUnexpected
				}
				if o.json {
					return console.WriteJSON(a.stdout, v)
				}
				return renderVerified(a.stdout, v, o.target)
			})
		},
	}
	o.flags(c)
	c.Flags().BoolVar(&hash, "hash", false, "read every file, and compare its SHA-256 and its rows")
	return c
}

// renderVerified prints what a check found.
func renderVerified(w io.Writer, v export.Verified, target string) error {
	for _, line := range v.Wrong {
		fmt.Fprintf(w, "WRONG  %s\n", line)
	}
	for _, key := range v.Unlisted {
		fmt.Fprintf(w, "       %s is of an export that was interrupted; one that needs it uses it\n", key)
	}
	for _, key := range v.Strangers {
		fmt.Fprintf(w, "       %s is not of an export\n", key)
	}
	words := "ok     "
	if !v.OK {
		words = fmt.Sprintf("%d of them are wrong: ", len(v.Wrong))
	}
	_, err := fmt.Fprintf(w, "%s%s: %d files listed, %s; %d replaced ones wait for `fleetlake export expire`\n", words, target, v.Files, wording.Bytes(v.Bytes), v.Superseded)
	return err
}
