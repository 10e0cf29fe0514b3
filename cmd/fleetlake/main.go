// Command fleetlake harvests a credit-metered vessel-data API into a DuckDB warehouse and a
// Parquet lake.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/report"
	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/health"
	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Exit codes.
const (
	exitDone        = 0
	exitUnexpected  = 1
	exitSQL         = 2 // an error in the SQL of a query, which no supervisor runs
	exitPartial     = 3 // published, but something that was planned was left out
	exitLocked      = 4
	exitCredits     = 5 // the balance or a cap is used up
	exitKey         = 6 // the service refuses the key
	exitDisk        = 7
	exitInterrupted = 8  // stopped by request; the same command resumes
	exitUnanswered  = 9  // the service answered nothing, or too little
	exitExport      = 10 // published, but the export of the configuration failed

	// exitUsage is an error in the command line or the configuration: another try is useless. It is
	// not 2, with which Go's runtime ends after a panic or a SIGABRT, because a supervisor restarts
	// after those. sysexits.h calls it EX_USAGE.
	exitUsage = 64
)

func main() { os.Exit(underSignals(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

// run is the program without signals. It returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	return (&app{getenv: getenv, stdout: stdout, stderr: stderr}).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	if f, ok := a.stdout.(*os.File); ok {
		a.stdout = console.ForTerminal(f)
	}
	stdout, stderr := a.stdout, a.stderr
	root := a.root()
	root.SetArgs(sqlLast(args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.code
	}
	a.reportError(err)
	if !a.started {
		fmt.Fprintln(stderr, "fleetlake: see `fleetlake --help`")
		return exitUsage
	}
	return exitCode(err)
}

// reportError reports why the program ends: as a line of the log, if the verb writes one for machines.
func (a *app) reportError(err error) {
	if !a.logs || a.terminal() {
		fmt.Fprintf(a.stderr, "fleetlake: %s\n", wording.PrintableLines(err.Error()))
		return
	}
	log := a.log()
	if a.runID != "" {
		log = log.With("run", a.runID)
	}
	log.Error("fleetlake ends with an error", "error", err.Error(), "exit_code", exitCode(err))
}

// app is what the verbs share.
type app struct {
	getenv         func(string) string
	environment    []string // all of it, as NAME=VALUE; nil in tests
	stdout, stderr io.Writer
	configPath     string
	dataDir        string
	loaded         *config.Config // what config has loaded
	verbose        bool
	inFlight       *extract.InFlight // of the requests in flight; nil without signals
	acceptIssues   bool              // of run: see pipeline.Pipeline
	mustExist      bool              // likewise
	started        bool              // the command line was understood
	logs           bool              // the verb writes a log to stderr, and nothing else
	runID          string            // of the run whose error ends the verb
	code           int               // of a verb that ends without an error
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "fleetlake",
		Short: "Harvest a credit-metered vessel-data API into DuckDB and Parquet",
		Long: `fleetlake pages through a credit-metered vessel-data API within its rate limits, keeps every
paid answer for ever, and turns the answers into a DuckDB warehouse and a Parquet lake.

Try it, without a key or a network:  fleetlake demo

Exit codes: 0 done, 1 unexpected, 2 error in the SQL of a query, 3 partial (published, something planned
was left out), 4 locked, 5 credits or cap, 6 key refused, 7 disk, 8 interrupted (the same command
resumes), 9 the service answered too little, 10 published but not exported, 64 usage or configuration.`,
		Version:           version(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: func(*cobra.Command, []string) error { a.started = true; return nil },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.configPath, "config", "", "configuration file (default fleetlake.yaml, if there is one)")
	flags.StringVar(&a.dataDir, "data", "", "data directory (default fleetlake-data)")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "log each request")
	root.AddCommand(a.demoCommand(), a.initCommand(), a.planCommand(), a.forecastCommand(), a.runCommand(), a.serveCommand(), a.simulateCommand(),
		a.creditsCommand(), a.explainCommand(), a.changesCommand(), a.queryCommand(), a.runsCommand(), a.schemaCommand(), a.exportCommand(), a.doctorCommand(),
		a.statusCommand(), a.checkCommand(), a.rebuildCommand(), a.verifyCommand(), a.rollbackCommand(), a.versionCommand(), a.probeCommand())
	root.AddCommand(a.networkCommands()...)
	a.completeWords(root)
	return root
}

// config loads the configuration, once: the flags win over it. It says which files are used if they are those of the
// installed program, and lets the process go on as the owner of the data directory if root started it.
func (a *app) config() (config.Config, error) {
	if a.loaded != nil {
		return *a.loaded, nil
	}
	c, err := a.configAsIs()
	if err != nil {
		return c, err
	}
	if c.Installed {
		from := cmp.Or(c.File, "no configuration, since this user may not read it,")
		a.say("the installed program: " + from + " and the data in " + c.DataDir)
	}
	if err := a.goOnAsOwner(&c); err != nil {
		return c, err
	}
	a.loaded = &c
	return c, nil
}

// configAsIs loads the configuration and does nothing else.
func (a *app) configAsIs() (config.Config, error) {
	if err := config.Misspelt(a.environment); err != nil {
		return config.Config{}, err
	}
	c, err := config.Load(a.configPath, a.configPath != "", a.getenv)
	if a.dataDir != "" {
		c.DataDir = a.dataDir
	}
	return c, err
}

// say tells people in a line of its own, and machines in a line of the log.
func (a *app) say(words string) {
	if !a.logs || a.terminal() {
		fmt.Fprintf(a.stderr, "fleetlake: %s\n", wording.Printable(words))
		return
	}
	a.log().Info(words)
}

// data returns the data directory.
func (a *app) data() (string, error) {
	c, err := a.config()
	return c.DataDir, err
}

// lake returns the data directory for a verb that reads it. It refuses one that no run has written
// into: a mistyped --data looks like an empty lake.
func (a *app) lake() (string, error) {
	dir, err := a.data()
	if err != nil {
		return "", err
	}
	return dir, requireLake(dir)
}

// requireLake refuses a directory that no run has written into.
func requireLake(dir string) error {
	for _, part := range []string{"journal", "lake", "warehouse"} {
		if _, err := os.Stat(filepath.Join(dir, part)); !errors.Is(err, fs.ErrNotExist) {
			return nil // it exists, or the verb reports what is wrong with it
		}
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		whole = dir
	}
	return fmt.Errorf("no data in %s: it has no journal, no lake and no warehouse. Is --data (FLEETLAKE_DATA, data_dir) right? `fleetlake run JOB` creates them, `fleetlake demo` creates an example: %w", whole, errUsage)
}

// pipeline returns what runs jobs, after a check that the service can be called, and limits the memory of
// this process. Processes of other tasks take up to othersMiB beside it.
func (a *app) pipeline(c config.Config, othersMiB int) (*pipeline.Pipeline, error) {
	if err := c.RequireService(); err != nil {
		return nil, err
	}
	return a.pipelineOf(c, othersMiB), nil
}

// pipelineOf is pipeline without the check.
func (a *app) pipelineOf(c config.Config, othersMiB int) *pipeline.Pipeline {
	service := c.Service()
	service.InFlight = a.inFlight
	room := a.capacity(c, othersMiB)
	a.bound(room)
	return &pipeline.Pipeline{Dir: c.DataDir, Service: service, Log: a.log(), Version: version(), SettleAfter: c.SettleAfter, AcceptIssues: a.acceptIssues, MustExist: a.mustExist, Room: room.attributes()}
}

// log writes text for people on a terminal, and JSON lines for machines elsewhere.
func (a *app) log() *slog.Logger {
	level := slog.LevelInfo
	if a.verbose {
		level = slog.LevelDebug
	}
	if a.terminal() {
		return slog.New(tint.NewTextHandler(a.stderr, &tint.Options{Level: level, TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewJSONHandler(a.stderr, &slog.HandlerOptions{Level: level, ReplaceAttr: console.InSeconds}))
}

// terminal reports whether stderr is a terminal.
func (a *app) terminal() bool {
	f, ok := a.stderr.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// exitCode is the code of an error.
func exitCode(err error) int {
	var service *extract.Error
	var bad *config.Error
	var sql *sqlError
	switch {
	case errors.As(err, &sql):
		return exitSQL
	case errors.As(err, &bad), errors.Is(err, errUsage):
		return exitUsage
	case errors.Is(err, datadir.ErrGone), errors.Is(err, journal.ErrGone):
		return exitDisk
	case errors.Is(err, datadir.ErrLocked):
		return exitLocked
	case errors.As(err, &service) && service.Outcome == extract.OutcomeUnauthorized:
		return exitKey
	case errors.As(err, &service) && service.Outcome == extract.OutcomeNoCredits:
		return exitCredits
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EDQUOT),
		errors.Is(err, syscall.EIO), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return exitDisk
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, pipeline.ErrNoBalance):
		return exitUnanswered
	}
	return exitUnexpected
}

// exitCodes are the exit codes of problems, and of how runs end.
var exitCodes = map[health.Kind]int{health.Done: exitDone, health.Unexpected: exitUnexpected, health.Disk: exitDisk,
	health.Export: exitExport, health.Unanswered: exitUnanswered, health.Interrupted: exitInterrupted,
	health.Key: exitKey, health.Credits: exitCredits, health.Partial: exitPartial}

// codeOf is the exit code of a run that published; see health.EndOf.
func codeOf(r report.Report, minCoverage int) int { return exitCodes[health.EndOf(r, minCoverage)] }

// healthOf is what is looked at to say what is wrong.
func healthOf(c config.Config) health.Setup {
	s := health.Setup{Dir: c.DataDir, Exports: c.Export.Target != ""}
	for _, j := range c.Jobs {
		s.Jobs = append(s.Jobs, health.Job{Name: j.Job.Name, MinCoverage: j.MinCoverage})
	}
	return s
}

// errUsage marks errors in the command line.
var errUsage = errors.New("see `fleetlake --help`")

// progress returns a function that reports progress and one that ends the reports. Errors of the
// writer are dropped: they are no reason to end a paid harvest.
func (a *app) progress(log *slog.Logger) (report func(pipeline.Progress), stop func()) {
	if !a.terminal() {
		return console.LoggedProgress(log)
	}
	return console.DrawnProgress(a.stderr)
}
