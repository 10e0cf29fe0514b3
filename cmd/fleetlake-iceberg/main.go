package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

const help = `fleetlake-iceberg keeps Iceberg tables over an export of fleetlake.

  fleetlake-iceberg register TARGET   bring the tables up to the export
  fleetlake-iceberg compact  TARGET   merge small files into files of up to 512 MB
  fleetlake-iceberg expire   TARGET   remove old snapshots, and files that nothing needs any longer
  fleetlake-iceberg status   TARGET   what the tables hold, and what register would do

TARGET is the directory or s3://bucket/prefix that "fleetlake export" wrote. "fleetlake-iceberg VERB --help"
lists the flags. Keys of an object store are read from FLEETLAKE_EXPORT_ACCESS_KEY, FLEETLAKE_EXPORT_SECRET_KEY
and FLEETLAKE_EXPORT_SESSION_TOKEN, the token of a REST catalog from FLEETLAKE_ICEBERG_TOKEN, or the client credentials
of OAuth2 (CLIENT_ID:CLIENT_SECRET) from FLEETLAKE_ICEBERG_CREDENTIAL.
`

// options are everything that a command line says.
type options struct {
	target  string
	catalog catalogOptions
	expire  expireOptions
	back    bool          // register takes tables that another engine changed back to their last snapshot of ours
	timeout time.Duration // the most that a verb takes
	least   int
	dryRun  bool
	json    bool
}

// verb is one of the four commands.
type verb struct {
	about   string
	example string
	writes  bool // it makes a catalog that is not there
	changes bool // it changes tables
	flags   func(*flag.FlagSet, *options)
	run     func(context.Context, lake, options) (report, error)
}

var verbs = map[string]verb{
	"register": {
		about:   "Bring the Iceberg tables up to the export: create tables, add new nights, replace nights that were derived anew,\nremove runs that left the export, add new columns. Without news it changes nothing. A table that another engine changed\nstays as it is and is named, the exit code is 1, and the others are brought up.",
		example: "fleetlake-iceberg register /srv/lake\n  fleetlake-iceberg register s3://lake/fleet --endpoint http://127.0.0.1:9000 --path-style --catalog-file catalog.db",
		writes:  true, changes: true,
		flags: func(f *flag.FlagSet, o *options) {
			dryRunFlag(f, o)
			f.BoolVar(&o.back, "roll-back", false, "first take tables that another engine changed back to their last snapshot of fleetlake; its rows leave them")
		},
		run: func(ctx context.Context, l lake, o options) (report, error) {
			l.back = o.back
			changes, err := l.register(ctx, o.dryRun)
			return registerReport{DryRun: o.dryRun, Export: l.manifest.Export, Tables: changes}, err
		},
	},
	"compact": {
		about:   "Merge the small files of the facts tables, in the order of their rows. The rows stay the same; the files of the\nexport stay where they are.",
		example: "fleetlake-iceberg compact /srv/lake --min-files 30",
		changes: true,
		flags: func(f *flag.FlagSet, o *options) {
			dryRunFlag(f, o)
			f.IntVar(&o.least, "min-files", 5, "merge only if so many small `files` come together")
		},
		run: func(ctx context.Context, l lake, o options) (report, error) {
			done, err := l.compact(ctx, o.least, o.dryRun)
			return compactReport{DryRun: o.dryRun, Tables: done}, err
		},
	},
	"expire": {
		about:   "Remove snapshots that have not been current for some time, and then files below _iceberg that this program wrote\nand that nothing has needed for a grace period. Files of the export are never deleted. Look at --dry-run first.",
		example: "fleetlake-iceberg expire /srv/lake --older-than 7d --dry-run",
		changes: true,
		flags: func(f *flag.FlagSet, o *options) {
			dryRunFlag(f, o)
			o.expire.olderThan, o.expire.grace = 7*24*time.Hour, 24*time.Hour
			f.Func("older-than", "expire snapshots that ceased to be current so long `ago`, for example 7d or 36h (default 7d)", duration(&o.expire.olderThan))
			f.Func("grace", "delete files that nothing has needed for so `long`; it must exceed the longest query and the longest register (default 1d)", duration(&o.expire.grace))
		},
		run: func(ctx context.Context, l lake, o options) (report, error) {
			o.expire.dryRun, o.expire.now = o.dryRun, time.Now()
			done, err := l.expire(ctx, o.expire)
			return expireReport{o.dryRun, done}, err
		},
	},
	"status": {
		about:   "Say what the tables hold, and what register would do to them.",
		example: "fleetlake-iceberg status /srv/lake --json",
		flags:   func(*flag.FlagSet, *options) {},
		run: func(ctx context.Context, l lake, o options) (report, error) {
			tables, err := l.status(ctx)
			return statusReport{l.target.uri, l.manifest.Export, tables}, err
		},
	},
}

func dryRunFlag(f *flag.FlagSet, o *options) {
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and change nothing")
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if os.Getenv(maxAttempts) == "" {
		os.Setenv(maxAttempts, strconv.Itoa(attempts)) // Iceberg's library takes it from there
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Each request to a store is tried as often as by an export, with growing delays.
const (
	maxAttempts = "AWS_MAX_ATTEMPTS"
	attempts    = 10
)

// run returns the exit code: 0 done, 1 an error, 2 a wrong command line.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(out, help)
		return 0
	}
	v, known := verbs[args[0]]
	if !known {
		fmt.Fprintf(errs, "fleetlake-iceberg: there is no verb %q: register, compact, expire and status are known\n", args[0])
		return 2
	}
	o, err := parse(args[0], v, args[1:], out)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(errs, "fleetlake-iceberg %s: %v\n", args[0], err)
		return 2
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("it did not end in %v (--timeout): what is committed stays, and the next one goes on", o.timeout))
	defer cancel()
	if err := v.execute(ctx, o, out, errs); err != nil {
		fmt.Fprintf(errs, "fleetlake-iceberg %s: %v\n", args[0], err)
		return 1
	}
	return 0
}

// execute opens the export and the catalog, runs the verb and prints what it did, also when an error ended it.
func (v verb) execute(ctx context.Context, o options, out, errs io.Writer) (err error) {
	t, err := openTarget(ctx, o.target, o.catalog.s3)
	if err != nil {
		return err
	}
	m, err := readManifest(ctx, t)
	if err != nil {
		return err
	}
	c, err := openCatalog(ctx, t, o.catalog, v.writes && !o.dryRun)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	l := lake{target: t, catalog: c.Catalog, manifest: m, publish: func(context.Context) error { return nil }, progress: progress(errs)}
	if c.publish != nil && !o.dryRun && v.changes {
		l.publish = c.publish
	}
	done, err := v.run(ctx, l, o)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return errors.Join(err, l.publish(context.WithoutCancel(ctx)), print(out, done, o.json))
}

// progressInterval is the least time between two lines of progress.
const progressInterval = 5 * time.Second

// progress returns a function that says on out where a verb is, if it takes long.
func progress(out io.Writer) func(format string, args ...any) {
	last := time.Now()
	return func(format string, args ...any) {
		if now := time.Now(); now.Sub(last) >= progressInterval {
			last = now
			fmt.Fprintf(out, format+"\n", args...)
		}
	}
}
