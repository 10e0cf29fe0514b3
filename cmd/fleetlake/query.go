package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/console"
	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

func (a *app) queryCommand() *cobra.Command {
	o := queryOptions{memoryMiB: queryMemoryMiB, spillMiB: querySpillMiB}
	c := &cobra.Command{
		Use:   "query [SQL | NAME]",
		Short: "Run SQL or a worked query on the published warehouse, read-only",
		Long: `Run one statement that reads the published warehouse, and print the result. This works at any
time, also while a run publishes: the result is of the previous night or of the complete new one.

The statement is SQL, the NAME of a worked query (--list lists them, --show prints the SQL of one, to
be copied), or comes from --file; "-" is the standard input. --param NAME=VALUE sets a parameter: of a
worked query, and in SQL of your own $name and getvariable('name'). A value is a text: write
$name::INTEGER to calculate with it. A PIVOT takes getvariable('name') only.

The files NAME.sql of the directory that queries_dir names in the configuration are worked queries, too.

The format is the one of --format, else that of the extension of --out (.csv .json .ndjson .jsonl .md
.parquet .txt), else a table. On a terminal a result that is longer than the screen is displayed by
$PAGER (default: less -S).

  NULL      is empty in CSV, where "" is an empty text (as PostgreSQL and DuckDB write them)
  instants  are in UTC with their zone, 2026-11-20T02:00:00Z, or in that of --timezone, with its offset,
            and with its name in the header of a table; Parquet has them in UTC
  numbers   have all their digits, in JSON, too: readers with 64-bit floats (JavaScript, jq) round
            them above 2^53; cast to VARCHAR for these. NaN and infinity are null in JSON
  HUGEINT   (a sum of whole numbers) is DECIMAL(38,0) in Parquet
  others    (DECIMAL, LIST, STRUCT, MAP, BLOB, INTERVAL, UUID, BIT ...) are as DuckDB writes them

A statement can use the warehouse only: no file, no network, no extension, no setting. One that needs
more memory or time than --memory and --timeout allow is stopped. Exit code 2 is an error in the SQL;
the message marks its line.`,
		Example: `  fleetlake query "SELECT flag, count(*) FROM vessels WHERE listed AND is_vessel GROUP BY flag ORDER BY 2 DESC LIMIT 5"
  fleetlake query --list
  fleetlake query --show ` + exampleQuery + `
  fleetlake query ` + exampleQuery + ` --param zone=red-sea --out gone.csv
  fleetlake query --param flag=PA 'SELECT name, imo FROM vessels WHERE flag = $flag'
  fleetlake query --file fleet.sql --param night=2026-11-20 --out fleet.parquet
  fleetlake query --format ndjson "FROM runs ORDER BY run_id" | tail -n 1`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.queryVerb(cmd, args, o) },
	}
	c.Flags().StringVarP(&o.format, "format", "f", "", "table, csv, json, ndjson, markdown or parquet (default: by the extension of --out, else table)")
	c.Flags().StringVarP(&o.out, "out", "o", "", `file to write to; required for parquet; "-" is the standard output (default)`)
	c.Flags().StringVar(&o.file, "file", "", `read the SQL from a file; "-" is the standard input`)
	c.Flags().StringArrayVarP(&o.params, "param", "p", nil, "set a parameter, as NAME=VALUE; can be given several times")
	c.Flags().BoolVar(&o.listed, "list", false, "list the worked queries")
	c.Flags().BoolVar(&o.show, "show", false, "print the SQL of the worked query NAME, and do not run it")
	c.Flags().BoolVar(&o.noPager, "no-pager", false, "print the whole result at once on a terminal")
	c.Flags().Var(&numberFlag{&o.memoryMiB, 32, maxMiB}, "memory", "memory of the query, in MiB, or less without this flag if the machine has less; what does not fit is spilled to disk")
	c.Flags().Var(&numberFlag{&o.spillMiB, 0, maxMiB}, "spill", "disk space of the query, in MiB, in a directory of temporary files")
	c.Flags().StringVar(&o.timezone, "timezone", "", "write instants in this time zone, such as Europe/Oslo (default: UTC)")
	c.Flags().Var(&durationFlag{&o.timeout, 1}, "timeout", "stop the query after this time, such as 90s or 2h (default: never)")
	c.Flags().BoolVar(&o.unsafeFiles, "unsafe-files", false, "let the statement use files and the network with your rights")
	return c
}

// exampleQuery is the worked query of the help.
const exampleQuery = "gone_dark"

// Default limits of a query, in MiB.
const queryMemoryMiB, querySpillMiB = 1024, 10240

// maxMiB is more than any machine has.
const maxMiB = 1 << 30

// queryOptions are the flags of query.
type queryOptions struct {
	format, out, file   string
	timezone            string // empty is UTC
	params              []string
	listed, show        bool
	noPager             bool
	memoryMiB, spillMiB int
	threads             int // 0 is warehouse.DefaultThreads
	timeout             time.Duration
	unsafeFiles         bool

	worked   []warehouse.WorkedQuery // those of the program, and of a person's own
	ownWrong error                   // of files that are no queries
}

// parquet is the one format that DuckDB itself writes.
const parquet = "parquet"

// queryFormats are the values of --format.
var queryFormats = append(slices.Clone(console.Formats), parquet)

// extensions are the formats of files by the end of their names.
var extensions = map[string]string{
	".txt": "table", ".csv": "csv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".md": "markdown", ".markdown": "markdown", ".parquet": parquet,
}

// withFormat returns the options with the format that holds, and without an --out of "-".
func (o queryOptions) withFormat(stdout io.Writer) (queryOptions, error) {
	piped := o.out == "-"
	if piped {
		o.out = ""
	}
	if o.format == "" && o.out == "" {
		o.format = "table"
	} else if o.format == "" {
		extension := strings.ToLower(filepath.Ext(o.out))
		if o.format = extensions[extension]; o.format == "" {
			return o, fmt.Errorf("--out %s: the extension %q says no format; give --format %s: %w", o.out, extension, strings.Join(queryFormats, ", "), errUsage)
		}
	}
	if o.format == "md" {
		o.format = "markdown"
	}
	switch {
	case !slices.Contains(queryFormats, o.format):
		return o, fmt.Errorf("--format %q: want %s: %w", o.format, strings.Join(queryFormats, ", "), errUsage)
	case o.format == parquet && o.out == "" && !piped:
		return o, fmt.Errorf("--format parquet needs --out FILE, or --out - for the standard output: %w", errUsage)
	case o.format == parquet && piped && console.TerminalWidth(stdout) > 0:
		return o, fmt.Errorf("--out -: a Parquet file is not for a terminal: %w", errUsage)
	}
	return o, nil
}

// queryVerb lists or prints the worked queries, or runs the statement.
func (a *app) queryVerb(cmd *cobra.Command, args []string, o queryOptions) error {
	o.worked = warehouse.Queries()
	if cfg, err := a.configAsIs(); err == nil { // what is wrong with it is said where it is needed
		o.worked, o.ownWrong = warehouse.AllQueries(cfg.QueriesDir)
	}
	if o.show {
		return o.printSQL(a.stdout, args)
	}
	o, err := o.withFormat(a.stdout)
	if err != nil {
		return err
	}
	if o.listed {
		if len(args) > 0 || o.out != "" || o.format == parquet {
			return fmt.Errorf("--list goes with --format %s only: %w", strings.Join(console.Formats, ", "), errUsage)
		}
		return o.list(a.stdout)
	}
	q, err := o.question(args, cmd.InOrStdin())
	if err != nil {
		return err
	}
	cfg, err := a.config()
	if err == nil {
		err = requireLake(cfg.DataDir)
	}
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("memory") {
		o.memoryMiB = min(o.memoryMiB, a.capacity(cfg, 0).duckdbMiB())
	}
	o.threads = cfg.Threads
	return a.answer(cmd.Context(), cfg.DataDir, q, o)
}

// query prints the result of a statement of ours, without a pager.
func (a *app) query(ctx context.Context, dir, sql string, o queryOptions) error {
	o.noPager = true
	return a.answer(ctx, dir, question{Statement: warehouse.Statement{Text: sql}}, o)
}

// answer prints the result of a statement, or writes it to a file.
func (a *app) answer(ctx context.Context, dir string, q question, o queryOptions) (err error) {
	spill, remove, err := load.Scratch(os.TempDir(), "fleetlake-query-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := o.checkParams(ctx, dir, spill, q); err != nil {
		return err
	}
	if o.timezone != "" {
		if _, err := time.LoadLocation(o.timezone); err != nil || o.timezone == "Local" {
			return fmt.Errorf("--timezone %q: want the name of a time zone, such as Europe/Oslo: %w", o.timezone, errUsage)
		}
	}
	write := a.queryToScreen
	switch {
	case o.out != "":
		write = a.queryToFile
	case o.format == parquet:
		write = a.parquetToStdout
	}
	err = write(ctx, dir, q.Statement, spill, o)
	switch {
	case errors.Is(err, warehouse.ErrRoom):
		return fmt.Errorf("%w\nThe limits are %d MiB of memory and %d MiB on disk: raise them with --memory and --spill", err, o.memoryMiB, o.spillMiB)
	case errors.Is(err, warehouse.ErrFiles):
		return &sqlError{q.placed(err) + "\nA query can use the warehouse only; --unsafe-files lets it use files and the network", err}
	case errors.Is(err, warehouse.ErrStatement):
		words := q.placed(err)
		if isOlder(ctx, dir) { // which may be why there is no table or column of that name
			words += "\n" + warehouse.ErrOlder.Error()
		}
		return &sqlError{words, err}
	}
	return err
}

// isOlder reports whether an older program made the published file; false if it cannot be read.
func isOlder(ctx context.Context, dir string) bool {
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{})
	if err != nil {
		return false
	}
	defer w.Close() // of a file that was only read
	return errors.Is(w.CheckCurrent(ctx), warehouse.ErrOlder)
}

// checkParams refuses a value that a parameter of a worked query cannot have.
func (o queryOptions) checkParams(ctx context.Context, dir, spill string, q question) error {
	if q.worked == nil || len(q.Params) == 0 {
		return nil
	}
	return o.bounded(ctx, func(ctx context.Context) error {
		w, err := o.open(ctx, dir, spill, []string{})
		if err != nil {
			return err
		}
		defer w.Close()
		if err = w.CheckParams(ctx, *q.worked, q.Params); errors.Is(err, warehouse.ErrStatement) {
			return fmt.Errorf("--param %w: %w", err, errUsage)
		}
		return err
	})
}

// sqlError is an error in the SQL of a person's own.
type sqlError struct {
	text string
	err  error
}

func (e *sqlError) Error() string { return e.text }
func (e *sqlError) Unwrap() error { return e.err }

// errorLine matches the line that DuckDB marks in an error.
var errorLine = regexp.MustCompile(`(?m)^LINE (\d+): `)

// placed is the text of an error, after the file and the line that it is about: editors jump to it.
func (q question) placed(err error) string {
	text := err.Error()
	if q.from == "" {
		return text
	}
	if found := errorLine.FindStringSubmatch(text); found != nil {
		return q.from + ":" + found[1] + ": " + text
	}
	return q.from + ": " + text
}
