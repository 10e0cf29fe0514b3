package config

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules"
)

// jobNamePattern matches the name of a job, which is an argument and a value in reports.
var jobNamePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// parse reads the text of a configuration over the defaults and returns everything that
// is wrong with it, in the order of the text.
func parse(file string, text []byte) (Config, []string) {
	c := defaults()
	c.File = file
	d := &decoder{file: file}
	root := d.document(text)
	if root == nil || isNull(root) {
		return c, d.problems
	}
	d.mapping(root, "", keyTable{
		"api":         func(n *yaml.Node) { d.api(n, &c) },
		"data_dir":    setting(d, "data_dir", "a directory", parseDataDir, func(s string) { c.DataDir = s }),
		"queries_dir": d.path("queries_dir", "a directory", &c.QueriesDir),
		"memory":      setting(d, "memory", "an amount of memory", orAuto(mebibytes(LeastMemoryMiB)), func(v int) { c.MemoryMiB = v }),
		"threads":     setting(d, "threads", "a number", orAuto(Number(1, 256)), func(v int) { c.Threads = v }),
		"budget":      func(n *yaml.Node) { d.budget(n, &c.Budget) },
		"jobs":        func(n *yaml.Node) { c.Jobs = d.jobs(n) },
		"operations":  func(n *yaml.Node) { d.operations(n, &c) },
		"serve":       func(n *yaml.Node) { d.serve(n, &c.Serve) },
		"notify":      func(n *yaml.Node) { d.notify(n, &c.Notify) },
		"export":      func(n *yaml.Node) { d.export(n, &c.Export) },
		"flight":      func(n *yaml.Node) { d.flight(n, &c.Flight) },
		"queries":     func(n *yaml.Node) { d.queries(n, &c.Queries) },
	})
	d.resolveAsks(&c)
	return c, d.problems
}

func (d *decoder) api(n *yaml.Node, c *Config) {
	c.baseURLAt, c.keyFileAt = d.at(n)+": api.base_url", d.at(n)+": api.key_file"
	number := Number(1, 64)
	d.mapping(n, "api", keyTable{
		"base_url": func(n *yaml.Node) {
			c.baseURLAt = d.at(n) + ": api.base_url"
			setting(d, "api.base_url", "an address", parseBaseURL, func(s string) { c.BaseURL = s })(n)
		},
		"key_file": func(n *yaml.Node) {
			c.keyFileAt = d.at(n) + ": api.key_file"
			d.path("api.key_file", "a file", &c.KeyFile)(n)
		},
		"limits":        func(n *yaml.Node) { d.limits(n, c.Limits) },
		"max_in_flight": setting(d, "api.max_in_flight", "a number", number, func(v int) { c.MaxInFlight = v }),
		"patience":      setting(d, "api.patience", "a duration", Duration(1), func(v time.Duration) { c.Patience = v }),
		"settle_after":  setting(d, "api.settle_after", "a duration", Duration(1), func(v time.Duration) { c.SettleAfter = v }),
		"timeout":       setting(d, "api.timeout", "a duration", Duration(1), func(v time.Duration) { c.Timeout = v }),
	})
}

func (d *decoder) limits(n *yaml.Node, limits map[string]int) {
	table := keyTable{}
	for _, o := range api.Operations {
		table[o.Name] = setting(d, "api.limits."+o.Name, "a number", Number(1, math.MaxInt32), func(v int) { limits[o.Name] = v })
	}
	d.mapping(n, "api.limits", table)
}

func (d *decoder) budget(n *yaml.Node, b *Budget) {
	credits := Number(0, math.MaxInt)
	d.mapping(n, "budget", keyTable{
		"per_run":   setting(d, "budget.per_run", "a number", credits, func(v int) { b.PerRun = v }),
		"per_day":   setting(d, "budget.per_day", "a number", credits, func(v int) { b.PerDay = v }),
		"per_month": setting(d, "budget.per_month", "a number", credits, func(v int) { b.PerMonth = v }),
		"floor":     setting(d, "budget.floor", "a number", credits, func(v int) { b.Floor = v }),
	})
}

// jobs reads the jobs of the file, which replace the built-in one.
func (d *decoder) jobs(n *yaml.Node) []JobConfig {
	var jobs []JobConfig
	d.pairs(n, "jobs", func(key, value *yaml.Node) {
		if !jobNamePattern.MatchString(key.Value) {
			d.report(key, "jobs: %q, expected a name of letters, digits, - and _", key.Value)
			return
		}
		j := DefaultJob(key.Value)
		if !isNull(value) {
			d.job(value, &j)
		}
		jobs = append(jobs, j)
	})
	return jobs
}

func (d *decoder) job(n *yaml.Node, j *JobConfig) {
	path := "jobs." + j.Job.Name
	missed := configWord([]string{schedules.MissedOnce, schedules.MissedSkip})
	d.mapping(n, path, keyTable{
		"schedule": setting(d, path+".schedule", "a cron expression", parseCron, func(s string) { j.Spec.Cron = s }),
		"timezone": setting(d, path+".timezone", "a time zone", parseZone,
			func(l *time.Location) { j.Spec.Location, j.Job.Location = l, l }),
		"deadline":     setting(d, path+".deadline", "a duration", Duration(1), func(v time.Duration) { j.Job.Deadline = v }),
		"missed":       setting(d, path+".missed", "once or skip", missed, func(s string) { j.Spec.Missed = s }),
		"min_coverage": setting(d, path+".min_coverage", "a number", Number(0, 100), func(v int) { j.MinCoverage = v }),
		"list":         func(n *yaml.Node) { d.listing(n, path+".list", &j.Job.List) },
		"sweep":        func(n *yaml.Node) { d.sweep(n, path+".sweep", &j.Job.Sweep) },
		"lookup":       func(n *yaml.Node) { d.lookup(n, path+".lookup", &j.Job.Lookup) },
		"ask":          func(n *yaml.Node) { d.asks(n, path+".ask", &j.Job) },
	})
}

func (d *decoder) listing(n *yaml.Node, path string, l *plan.List) {
	by := configWord([]string{"cheapest", "type", "country", "none"})
	d.mapping(n, path, keyTable{
		"by":        setting(d, path+".by", "a word", by, func(s string) { l.By = s }),
		"types":     d.words(path+".types", api.Types, func(v []string) { l.Types = unlessAll(v, api.Types) }),
		"countries": d.words(path+".countries", api.Countries, func(v []string) { l.Countries = unlessAll(v, api.Countries) }),
		"max_age":   setting(d, path+".max_age", "a duration", Duration(0), func(v time.Duration) { l.MaxAge = v }),
	})
}

// unlessAll returns nil, which means all, for a list that names all.
func unlessAll(values, vocabulary []string) []string {
	if len(values) == len(vocabulary) {
		return nil
	}
	return values
}

func (d *decoder) sweep(n *yaml.Node, path string, s *plan.Sweep) {
	before := len(d.problems)
	d.mapping(n, path, keyTable{
		"statuses":     d.words(path+".statuses", statusNames(), func(v []string) { s.Statuses = v }),
		"zones":        d.words(path+".zones", api.Zones, func(v []string) { s.Zones = v }),
		"vessel_types": d.words(path+".vessel_types", api.VesselTypes, func(v []string) { s.VesselTypes = v }),
		"laden":        d.words(path+".laden", api.Laden, func(v []string) { s.Laden = v }),
		"for_order":    d.words(path+".for_order", api.ForOrder, func(v []string) { s.ForOrder = v }),
		"every": setting(d, path+".every", "auto or a duration", parseEvery, func(v time.Duration) {
			s.Every, s.Auto = max(0, v), v == everyAuto
		}),
	})
	if len(s.Zones) > 0 || len(d.problems) > before {
		return
	}
	for _, name := range s.Statuses {
		if status, ok := api.StatusNamed(name); ok && status.Zoned {
			d.report(resolveAlias(n), "%s.zones: empty, expected a zone because %s is searched by zone", path, name)
			return
		}
	}
}

// everyAuto stands for an interval that the plan chooses.
const everyAuto = time.Duration(-1)

// parseEvery reads how often a status search is made: auto, or a duration.
func parseEvery(s string) (time.Duration, error) {
	if strings.EqualFold(strings.TrimSpace(s), "auto") {
		return everyAuto, nil
	}
	every, err := Duration(0)(s)
	if err != nil {
		return 0, fmt.Errorf("%q, expected auto, or a duration such as 48h", s)
	}
	return every, nil
}

func (d *decoder) lookup(n *yaml.Node, path string, l *plan.Lookup) {
	requests := Number(0, math.MaxInt)
	d.mapping(n, path, keyTable{
		"want":         d.words(path+".want", plan.Datasets, func(v []string) { l.Want = v }),
		"max_age":      setting(d, path+".max_age", "a duration", Duration(0), func(v time.Duration) { l.MaxAge = v }),
		"watch":        d.list(path+".watch", configVessel, func(v []string) { l.Watch = v }),
		"max_requests": setting(d, path+".max_requests", "a number", requests, func(v int) { l.MaxRequests = v }),
		"watched_only": setting(d, path+".watched_only", "true or false", parseTruth, func(v bool) { l.WatchedOnly = v }),
	})
	if l.WatchedOnly && len(l.Watch) == 0 {
		d.report(resolveAlias(n), "%s.watched_only: true, expected vessels in %s.watch: without any the job would "+
			"look up none", path, path)
	}
}

func parseDataDir(s string) (string, error) {
	if strings.TrimSpace(s) == "" {
		return "", fmt.Errorf("%q, expected a directory", s)
	}
	return parsePath(s)
}

// orAuto returns a parser that also accepts auto, as 0.
func orAuto(parse func(string) (int, error)) func(string) (int, error) {
	return func(s string) (int, error) {
		if s == "auto" {
			return 0, nil
		}
		n, err := parse(s)
		if err != nil {
			err = fmt.Errorf("%w, or auto", err)
		}
		return n, err
	}
}

func parseCron(s string) (string, error) {
	if _, err := schedules.Parse(s, time.UTC); err != nil {
		return "", fmt.Errorf("%w, expected minute, hour, day, month and weekday, such as \"0 2 * * *\"", err)
	}
	return s, nil
}

// parseZone finds a time zone by its name. "Local" is refused: the snapshot dates
// would depend on the machine.
func parseZone(s string) (*time.Location, error) {
	loc, err := time.LoadLocation(s)
	if err != nil || s == "" || loc == time.Local {
		return nil, fmt.Errorf("%q, expected a name of the time-zone database such as UTC or Europe/Berlin", s)
	}
	return loc, nil
}
