package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // job time zones must not depend on the machine

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/credits"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules"
)

// DefaultMaxAge is a day and two hours, because a night may take longer than the one before.
const DefaultMaxAge = 26 * time.Hour

// DefaultPath is the file that is read unless another is named; it need not exist.
const DefaultPath = "fleetlake.yaml"

// LeastMemoryMiB is the least memory in which a night of a million vessels can be published.
const LeastMemoryMiB = 256

// maxConfigBytes keeps a wrong path from being read into memory whole.
const maxConfigBytes = 1 << 20

// DefaultText is the file that `fleetlake init` writes. Parsed, it equals defaults.
//
//go:embed fleetlake.yaml
var DefaultText string

// Config is a checked configuration: all values are valid, but the address and the key may be
// missing, because only some verbs need them (see RequireService).
type Config struct {
	File        string // "" without a file
	Installed   bool   // the files of the installed program are used, since there are none in the working directory
	BaseURL     string // no slash at its end; "" until given
	KeyFile     string
	Limits      map[string]int // by operation name
	MaxInFlight int
	Timeout     time.Duration
	Patience    time.Duration // how long the service may give no answer
	SettleAfter time.Duration // how long the service may bill late, and how old its balance may be
	DataDir     string
	QueriesDir  string // of worked queries of a person's own; "" is none
	Budget      Budget
	Jobs        []JobConfig        // in the order of the file
	Operations  []api.RawOperation // of the service, whose answers are kept whole
	Serve       Serve
	Notify      Notify `json:"-"` // has secrets
	Export      Export
	Flight      Flight
	Queries     Queries
	MemoryMiB   int // of a process that harvests or builds; 0 is chosen by what the machine has left
	Threads     int // of DuckDB in such a process; 0 is chosen

	key         secretKey // from the environment
	credentials string    // the directory of the service manager's credentials; "" is none

	baseURLAt string // where these two values are in the file, or should be
	keyFileAt string
	unread    error // of the file of the installed program, which this user may not read
}

// Budget is the caps and the floor, in credits. 0 is no cap.
type Budget struct {
	PerRun, PerDay, PerMonth, Floor int
}

// ForNetwork is what the process needs of a configuration that strangers reach: neither secrets nor the names of files
// with secrets, but for the key of TLS. It can be sent as JSON, but for the time zones of the jobs.
func (c Config) ForNetwork() Config {
	c.key, c.credentials, c.BaseURL, c.KeyFile = secretKey{}, "", "", ""
	c.Notify, c.Export = Notify{}, Export{Target: c.Export.Target}
	c.Serve.environment, c.Serve.credentials, c.Serve.TokenFile = secretKey{}, "", ""
	c.Flight.credentials, c.Flight.TokensFile = "", ""
	return c
}

// JobConfig is a job and when it runs.
type JobConfig struct {
	Job  plan.Job
	Spec schedules.Spec

	// MinCoverage is the percentage of the planned partitions below which a run counts as unanswered
	// by the service; 0 is no minimum.
	MinCoverage int
}

// Error lists everything that is wrong with a configuration, one line each.
type Error struct{ Problems []string }

// mostProblems is how many problems are printed. A file that is no configuration has one on every line.
const mostProblems = 20

func (e *Error) Error() string {
	shown := e.Problems[:min(len(e.Problems), mostProblems)]
	text := strings.Join(shown, "\n")
	if more := len(e.Problems) - len(shown); more > 0 {
		text += fmt.Sprintf("\nand %d more problems", more)
	}
	return text
}

// defaults is the configuration without a file and without an environment.
func defaults() Config {
	limits := map[string]int{}
	for _, o := range api.Operations {
		limits[o.Name] = o.PerMinute
	}
	return Config{
		Limits:      limits,
		MaxInFlight: 8,
		Timeout:     time.Minute,
		Patience:    30 * time.Minute,
		SettleAfter: credits.DefaultSettleAfter,
		DataDir:     "fleetlake-data",
		Budget:      Budget{PerRun: 5000},
		Jobs:        []JobConfig{DefaultJob("nightly")},
		Serve:       Serve{Listen: defaultListen},
		Notify:      Notify{MaxAge: DefaultMaxAge},
		Export:      Export{Within: 2 * time.Hour},
		Queries:     defaultQueries(),
		baseURLAt:   "api.base_url",
		keyFileAt:   "api.key_file",
	}
}

// DefaultJob is a job of the given name with all defaults.
func DefaultJob(name string) JobConfig {
	return JobConfig{
		Job: plan.Job{
			Name:     name,
			Location: time.UTC,
			Deadline: 4 * time.Hour,
			List:     plan.List{By: "cheapest", MaxAge: 20 * time.Hour},
			Sweep:    plan.Sweep{Statuses: statusNames(), Zones: slices.Clone(api.Zones)},
			Lookup:   plan.Lookup{Want: []string{"particulars"}, MaxAge: 720 * time.Hour},
		},
		Spec: schedules.Spec{Job: name, Cron: "0 2 * * *", Location: time.UTC, Missed: schedules.MissedOnce,
			MaxLateness: 24 * time.Hour},
		MinCoverage: 50,
	}
}

func statusNames() []string {
	var names []string
	for _, s := range api.Statuses {
		names = append(names, s.Name)
	}
	return names
}

// Places are where the files of an installed program are.
type Places struct {
	Settings string // the directory of fleetlake.yaml and of the secrets, which have the names of the credentials
	Data     string // the data directory
}

// Installed is what the packages and the unit of systemd use. Tests have other places, whatever is installed beside
// them.
var Installed = Places{Settings: "/etc/fleetlake", Data: "/var/lib/fleetlake"}

func (p Places) file() string { return filepath.Join(p.Settings, DefaultPath) }

// used reports whether the program is installed, and nothing in the working directory is meant instead.
func (p Places) used() bool {
	_, local := os.Stat(defaults().DataDir)
	_, err := os.Stat(p.file())
	return errors.Is(local, fs.ErrNotExist) && err == nil
}

// apply completes a configuration that was read from these places. A relative path of data starts at the data
// directory.
func (p Places) apply(c *Config) {
	c.Installed = true
	c.credentialsIn(p.Settings)
	switch {
	case c.DataDir == defaults().DataDir:
		c.DataDir = p.Data
	case !filepath.IsAbs(c.DataDir):
		c.DataDir = filepath.Join(p.Data, c.DataDir)
	}
}

// Load reads the configuration from a file and the environment. Unless the path is explicit, FLEETLAKE_CONFIG
// overrides it, and without that the file may be absent: then it is the one of the installed program, if there is
// one, and its data directory that of the service. Its error is an *Error.
func Load(path string, explicit bool, getenv func(string) string) (Config, error) {
	return Installed.load(path, explicit, getenv)
}

func (p Places) load(path string, explicit bool, getenv func(string) string) (Config, error) {
	if named := getenv("FLEETLAKE_CONFIG"); named != "" && !explicit {
		path, explicit = named, true
	}
	if path == "" {
		path = DefaultPath
	}
	text, err := readConfig(path)
	var unread error
	local := explicit || !errors.Is(err, fs.ErrNotExist)
	switch {
	case local:
	case p.used():
		path = p.file()
		if text, err = readConfig(path); errors.Is(err, fs.ErrPermission) { // who only reads data needs none of it
			path, unread, err = "", err, nil
		}
	default:
		path, text, err = "", nil, nil
	}
	if err != nil {
		return Config{}, &Error{[]string{fmt.Sprintf("read configuration: %v", err)}}
	}
	c, problems := parse(path, text)
	if c.unread = unread; !local && (path != "" || unread != nil) {
		p.apply(&c)
	}
	problems = append(problems, applyEnvironment(&c, getenv)...)
	problems = append(problems, c.Serve.check()...)
	problems = append(problems, c.Flight.check()...)
	problems = append(problems, c.checkAddresses()...)
	if len(problems) > 0 {
		return Config{}, &Error{problems}
	}
	return c, nil
}

func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a device has no end, and a FIFO waits for a writer
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(text) > maxConfigBytes {
		return nil, fmt.Errorf("%s: more than %d bytes, which no configuration has", path, maxConfigBytes)
	}
	return text, nil
}

// Job returns a job by its name, with the caps, and its schedule. It returns an error for an unknown
// name.
func (c Config) Job(name string) (plan.Job, schedules.Spec, error) {
	for _, j := range c.Jobs {
		if j.Job.Name == name {
			return c.withCaps(j.Job), j.Spec, nil
		}
	}
	known := strings.Join(c.JobNames(), ", ")
	if known == "" {
		known = "none: the configuration has no jobs"
	}
	return plan.Job{}, schedules.Spec{}, fmt.Errorf("unknown job %q, expected one of: %s", name, known)
}

// MinCoverage is the min_coverage of a job, in per cent; the default for an unknown job.
func (c Config) MinCoverage(name string) int {
	for _, j := range c.Jobs {
		if j.Job.Name == name {
			return j.MinCoverage
		}
	}
	return DefaultJob(name).MinCoverage
}

// JobNames lists the jobs in the order of the file.
func (c Config) JobNames() []string {
	var names []string
	for _, j := range c.Jobs {
		names = append(names, j.Job.Name)
	}
	return names
}

// PlanJobs returns the jobs with their caps, in the order of the file.
func (c Config) PlanJobs() []plan.Job {
	var jobs []plan.Job
	for _, j := range c.Jobs {
		jobs = append(jobs, c.withCaps(j.Job))
	}
	return jobs
}

// withCaps returns a job with the caps, which are those of all jobs.
func (c Config) withCaps(job plan.Job) plan.Job {
	job.Budget, job.PerDay, job.PerMonth, job.Floor = c.Budget.PerRun, c.Budget.PerDay, c.Budget.PerMonth, c.Budget.Floor
	return job
}

// Watched lists the vessels on the watch lists of all jobs, each once, by their IMO numbers or MMSIs.
func (c Config) Watched() []string {
	var all []string
	for _, j := range c.Jobs {
		all = append(all, j.Job.Lookup.Watch...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
