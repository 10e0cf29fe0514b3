package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fleetlake/fleetlake/pipeline/plan"
	"github.com/fleetlake/fleetlake/schedules"
)

// noEnvironment is an environment in which nothing is set.
func noEnvironment(string) string { return "" }

// sameConfig compares the values of configurations, not their positions.
var sameConfig = cmp.Options{
	cmpopts.IgnoreFields(Config{}, "File"),
	cmpopts.IgnoreUnexported(Config{}),
	cmpopts.IgnoreFields(Serve{}, "ListenGiven"),
	cmpopts.IgnoreUnexported(Serve{}, Notify{}, Export{}, Flight{}),
	cmp.Comparer(func(a, b secretKey) bool { return a.reveal() == b.reveal() }),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }),
	cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() }),
}

// configFile writes a configuration and returns its path.
func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fleetlake.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheDefaultFileSaysTheDefaults(t *testing.T) {
	got, problems := parse("fleetlake.yaml", []byte(DefaultText))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if diff := cmp.Diff(defaults(), got, sameConfig); diff != "" {
		t.Errorf("the file that init writes is not the default (-default +file):\n%s", diff)
	}
}

func TestTheDefaultFileNamesEveryVariable(t *testing.T) {
	names := []string{"FLEETLAKE_CONFIG"}
	for _, v := range variables(&Config{}) {
		names = append(names, v.name)
	}
	for _, name := range names {
		if !strings.Contains(DefaultText, name) {
			t.Errorf("%s is not explained", name)
		}
	}
}

func TestConfigValues(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		edit func(*Config)
	}{
		"an empty file":              {"", func(*Config) {}},
		"a file of comments":         {"# nothing yet\n", func(*Config) {}},
		"a key without a value":      {"api:\nbudget: {per_run: ~}\n", func(*Config) {}},
		"memory and threads":         {"memory: 1GiB\nthreads: 3\n", func(c *Config) { c.MemoryMiB, c.Threads = 1024, 3 }},
		"the least memory":           {"memory: 256MiB", func(c *Config) { c.MemoryMiB = 256 }},
		"memory that is chosen":      {"memory: auto\nthreads: auto\n", func(*Config) {}},
		"a slash after the address":  {"api: {base_url: https://example.org/api/vessels_operations/}", func(c *Config) { c.BaseURL = "https://example.org/api/vessels_operations" }},
		"http to this machine":       {"api: {base_url: 'http://127.0.0.1:8080/x'}", func(c *Config) { c.BaseURL = "http://127.0.0.1:8080/x" }},
		"http to this machine, IPv6": {"api: {base_url: 'http://[::1]:8080/x'}", func(c *Config) { c.BaseURL = "http://[::1]:8080/x" }},
		"http to localhost":          {"api: {base_url: 'http://localhost/x'}", func(c *Config) { c.BaseURL = "http://localhost/x" }},
		"one limit keeps the others": {"api: {limits: {by-type: 7}}", func(c *Config) { c.Limits["by-type"] = 7 }},
		"numbers and paths": {"api: {max_in_flight: 64, timeout: 2m, key_file: k}\ndata_dir: /srv/fleet\nbudget: {per_run: 0}", func(c *Config) {
			c.MaxInFlight, c.Timeout, c.KeyFile, c.DataDir, c.Budget.PerRun = 64, 2*time.Minute, "k", "/srv/fleet", 0
		}},
		"every cap":                  {"budget: {per_run: 1, per_day: 2, per_month: 3, floor: 4}", func(c *Config) { c.Budget = Budget{1, 2, 3, 4} }},
		"a job takes the defaults":   {"jobs: {weekly: }", func(c *Config) { c.Jobs = []JobConfig{DefaultJob("weekly")} }},
		"no jobs":                    {"jobs: {}", func(c *Config) { c.Jobs = nil }},
		"JSON":                       {"{\n\t\"budget\": {\n\t\t\"per_run\": 12\n\t}\n}", func(c *Config) { c.Budget.PerRun = 12 }},
		"an anchor and its alias":    {"budget: {per_run: &n 7}\napi: {max_in_flight: *n}", func(c *Config) { c.Budget.PerRun, c.MaxInFlight = 7, 7 }},
		"jobs keep the file's order": {"jobs: {b: {}, a: {}, c: {}}", func(c *Config) { c.Jobs = []JobConfig{DefaultJob("b"), DefaultJob("a"), DefaultJob("c")} }},
		"the schedule of a job": {"jobs: {nightly: {schedule: '30 2 * * *', timezone: Europe/Berlin, deadline: 90m, missed: SKIP}}", func(c *Config) {
			j := &c.Jobs[0]
			j.Spec = schedules.Spec{Job: "nightly", Cron: "30 2 * * *", Location: berlin, Missed: "skip", MaxLateness: 24 * time.Hour}
			j.Job.Location, j.Job.Deadline = berlin, 90*time.Minute
		}},
		"a listing in any spelling": {"jobs: {nightly: {list: {by: type, types: [bulk carrier], countries: [norway, PANAMA], max_age: 30d}}}", func(c *Config) {
			c.Jobs[0].Job.List = plan.List{By: "type", Types: []string{"Bulk Carrier"}, Countries: []string{"Norway", "Panama"}, MaxAge: 30 * 24 * time.Hour}
		}},
		"all types are no filter": {"jobs: {nightly: {list: {types: [all]}}}", func(*Config) {}},
		"a sweep": {"jobs: {nightly: {sweep: {statuses: [moored], zones: [north-sea], vessel_types: [tankers], laden: [all], for_order: [true]}}}", func(c *Config) {
			c.Jobs[0].Job.Sweep = plan.Sweep{
				Statuses: []string{"moored"}, Zones: []string{"north-sea"}, VesselTypes: []string{"tankers"},
				Laden: []string{"ballast", "partial", "laden"}, ForOrder: []string{"true"},
			}
		}},
		"sweeps as the plan chooses":  {"jobs: {nightly: {sweep: {every: Auto}}}", func(c *Config) { c.Jobs[0].Job.Sweep.Auto = true }},
		"sweeps every two days":       {"jobs: {nightly: {sweep: {every: 2d}}}", func(c *Config) { c.Jobs[0].Job.Sweep.Every = 48 * time.Hour }},
		"no sweep":                    {"jobs: {nightly: {sweep: {statuses: []}}}", func(c *Config) { c.Jobs[0].Job.Sweep.Statuses = nil }},
		"no zones for worldwide ones": {"jobs: {nightly: {sweep: {statuses: [drifting], zones: []}}}", func(c *Config) { c.Jobs[0].Job.Sweep.Statuses, c.Jobs[0].Job.Sweep.Zones = []string{"drifting"}, nil }},
		"lookups": {"jobs: {nightly: {lookup: {want: [engine, position], max_age: 0s, watch: [9218301, '002345678'], watched_only: true, max_requests: 5}}}", func(c *Config) {
			c.Jobs[0].Job.Lookup = plan.Lookup{Want: []string{"engine", "position"}, Watch: []string{"9218301", "002345678"}, WatchedOnly: true, MaxRequests: 5}
		}},
		"no lookups": {"jobs: {nightly: {lookup: {want: []}}}", func(c *Config) { c.Jobs[0].Job.Lookup.Want = nil }},
	} {
		t.Run(name, func(t *testing.T) { changes(t, c.text, c.edit) })
	}
}

// changes fails the test unless the configuration of a text is the default one with an edit.
func changes(t *testing.T, text string, edit func(*Config)) {
	t.Helper()
	want := defaults()
	edit(&want)
	got, err := Load(configFile(t, text), true, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, sameConfig); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfigRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":               {"api:\n  base_ulr: x", `:2:3: unknown key "base_ulr" in api, expected one of: base_url, key_file, limits, max_in_flight, patience, settle_after, timeout; did you mean "base_url"?`},
		"a tag of another program":     {"api: {key_file: !secret api_key}", `:1:17: tag !secret, expected a value without a tag`},
		"a tag on a mapping":           {"api: !include {max_in_flight: 4}", `:1:6: tag !include, expected a value without a tag`},
		"a variable in a path":         {"data_dir: $DATA/fleet", `:1:11: data_dir: "$DATA/fleet", expected a path without variables: only ~ and $HOME`},
		"a variable after the home":    {"api: {key_file: '~/${SECRETS}/key'}", `:1:17: api.key_file: "~/${SECRETS}/key", expected a path without variables`},
		"another user's home":          {"export: {target: ~lake/export}", `:1:18: export.target: "~lake/export", expected a whole path: of the home directories only your own`},
		"page and Flight at one place": {"serve: {listen: '127.0.0.1:8080'}\nflight: {listen: 'localhost:8080'}", `:2:18: flight.listen: localhost:8080 is where the page listens (serve.listen: 127.0.0.1:8080), expected another address`},
		"an unknown section":           {"scheduler: {}", `:1:1: unknown key "scheduler", expected one of: api, budget, data_dir, export, flight, jobs, memory, notify, operations, queries, queries_dir, serve, threads`},
		"a merge key":                  {"<<: {data_dir: x}", `:1:1: unknown key "<<"`},
		"a list for keys":              {"[1, 2]", `:1:1: a list, expected keys with values`},
		"a word for keys":              {"api: yes", `:1:6: api: "yes", expected keys with values`},
		"a key given twice":            {"data_dir: a\ndata_dir: b", `:2:1: key "data_dir" given twice`},
		"a key that is a list":         {"? [a]\n: b", `:1:3: key that is a list, expected a word`},
		"broken YAML":                  {"api: {base_url: x", `expected YAML`},
		"a tab":                        {"api:\n\tbase_url: x", `:2:1: found character that cannot start any token, expected YAML`},
		"bytes that are no text":       {"a: \xff\xfe", `invalid leading UTF-8 octet`},
		"two documents":                {"data_dir: a\n---\ndata_dir: b", `expected single document`},
		"a relative address":           {"api: {base_url: example.org/api}", `:1:17: api.base_url: not an absolute address, expected https://`},
		"another protocol":             {"api: {base_url: 'ftp://example.org/api'}", `not an absolute address`},
		"http to elsewhere":            {"api: {base_url: 'http://example.org/api'}", `the key would travel unencrypted, expected https://`},
		"http to a lookalike":          {"api: {base_url: 'http://127.0.0.1.example.org/api'}", `the key would travel unencrypted`},
		"an address with a question":   {"api: {base_url: 'https://example.org/api?x=1'}", `address with ? or #`},
		"an unknown operation":         {"api: {limits: {by-typ: 4}}", `unknown key "by-typ" in api.limits, expected one of: by-status, by-type, credits, info, location, particulars; did you mean "by-type"?`},
		"a limit of nothing":           {"api: {limits: {info: 0}}", `:1:22: api.limits.info: "0", expected a whole number from 1 to`},
		"too many in flight":           {"api: {max_in_flight: 65}", `api.max_in_flight: "65", expected a whole number from 1 to 64`},
		"a fraction":                   {"api: {max_in_flight: 1.5}", `api.max_in_flight: "1.5", expected a whole number`},
		"a list for a number":          {"api: {max_in_flight: [1]}", `api.max_in_flight: a list, expected a number`},
		"no timeout":                   {"api: {timeout: 0s}", `api.timeout: "0s", expected a duration such as 90s, 20h or 30d, longer than 0`},
		"a number for a duration":      {"api: {timeout: 60}", `api.timeout: "60", expected a duration`},
		"memory without a unit":        {"memory: 512", `:1:9: memory: "512", expected 256 MiB or more, such as 512MiB or 2GB, or auto`},
		"too little memory":            {"memory: 255MiB", `memory: "255MiB", expected 256 MiB or more`},
		"a share of the memory":        {"memory: 50%", `memory: "50%", expected 256 MiB or more`},
		"no thread":                    {"threads: 0", `:1:10: threads: "0", expected a whole number from 1 to 256, or auto`},
		"an empty data directory":      {"data_dir: ''", `data_dir: "", expected a directory`},
		"a negative budget":            {"budget: {per_run: -1}", `budget.per_run: "-1", expected a whole number of 0 or more`},
		"a job name with a slash":      {"jobs: {a/b: {}}", `:1:8: jobs: "a/b", expected a name of letters`},
		"a job given twice":            {"jobs: {a: {}, a: {}}", `key "a" given twice`},
		"an impossible schedule":       {"jobs: {a: {schedule: '0 2 30 2 *'}}", `jobs.a.schedule: cron "0 2 30 2 *": never fires, expected minute, hour, day, month and weekday`},
		"a zone in the schedule":       {"jobs: {a: {schedule: 'TZ=UTC'}}", `time zone inside`},
		"an unknown time zone":         {"jobs: {a: {timezone: Europe/Belin}}", `jobs.a.timezone: "Europe/Belin", expected a name of the time-zone database`},
		"the machine's time zone":      {"jobs: {a: {timezone: Local}}", `jobs.a.timezone: "Local", expected`},
		"no deadline":                  {"jobs: {a: {deadline: 0s}}", `jobs.a.deadline: "0s", expected a duration`},
		"another word for missed":      {"jobs: {a: {missed: never}}", `jobs.a.missed: "never", expected one of: once, skip`},
		"an unknown way to list":       {"jobs: {a: {list: {by: contry}}}", `jobs.a.list.by: "contry", expected one of: cheapest, type, country, none; did you mean "country"?`},
		"a mistyped type":              {"jobs: {a: {list: {types: [Bulk Carier]}}}", `:1:27: jobs.a.list.types: "Bulk Carier", expected one of 361 known values; did you mean "Bulk Carrier"?`},
		"a mistyped country":           {"jobs: {a: {list: {countries: [Norwai]}}}", `"Norwai", expected one of 273 known values; did you mean "Norway"?`},
		"a word for a list":            {"jobs: {a: {list: {types: Tug}}}", `jobs.a.list.types: "Tug", expected a list such as [] or [a, b]`},
		"a list in a list":             {"jobs: {a: {list: {types: [[Tug]]}}}", `jobs.a.list.types: a list, expected a word`},
		"a value given twice":          {"jobs: {a: {sweep: {statuses: [moored, MOORED]}}}", `jobs.a.sweep.statuses: "moored" twice, expected it once`},
		"all and one":                  {"jobs: {a: {sweep: {laden: [all, laden]}}}", `"laden" twice`},
		"a sweep of no interval":       {"jobs: {a: {sweep: {every: nightly}}}", `jobs.a.sweep.every: "nightly", expected auto, or a duration such as 48h`},
		"a sweep into the past":        {"jobs: {a: {sweep: {every: -1h}}}", `jobs.a.sweep.every: "-1h", expected auto, or a duration such as 48h`},
		"an unknown zone":              {"jobs: {a: {sweep: {zones: [north-see]}}}", `jobs.a.sweep.zones: "north-see", expected one of: north-canada`},
		"zoned statuses, no zone":      {"jobs: {a: {sweep: {zones: []}}}", `jobs.a.sweep.zones: empty, expected a zone because under-way is searched by zone`},
		"an unknown dataset":           {"jobs: {a: {lookup: {want: [engines]}}}", `jobs.a.lookup.want: "engines", expected one of: particulars, engine, management, position; did you mean "engine"?`},
		"watched_only without a watch": {"jobs: {a: {lookup: {watched_only: true}}}", `jobs.a.lookup.watched_only: true, expected vessels in jobs.a.lookup.watch`},
		"a watch that is no number":    {"jobs: {a: {lookup: {watch: [EVER GIVEN]}}}", `jobs.a.lookup.watch: "EVER GIVEN", expected an IMO number of 7 digits or an MMSI of 9`},
		"a watch of eight digits":      {"jobs: {a: {lookup: {watch: [12345678]}}}", `"12345678", expected an IMO`},
		"a negative age":               {"jobs: {a: {lookup: {max_age: -1h}}}", `jobs.a.lookup.max_age: "-1h", expected a duration`},
		"an age beyond all":            {"jobs: {a: {lookup: {max_age: 999999d}}}", `"999999d", expected a duration`},
	} {
		t.Run(name, func(t *testing.T) {
			path := configFile(t, c.text)
			_, err := Load(path, true, noEnvironment)
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("got %v, want a configError", err)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path+":") {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
			if lines := strings.Count(err.Error(), "\n"); lines > 0 {
				t.Errorf("%d problems, want one:\n%v", lines+1, err)
			}
		})
	}
}

func TestConfigTellsAllProblemsAtOnce(t *testing.T) {
	text := "api:\n  max_in_flight: 0\n  tiemout: 1s\nbudget:\n  per_run: lots\njobs:\n  nightly:\n    missed: maybe\n    lookup: {want: [all, engine], watch: [x, y]}\n"
	env := map[string]string{"FLEETLAKE_BUDGET": "more", "FLEETLAKE_BASE_URL": "nowhere"}
	_, err := Load(configFile(t, text), true, func(name string) string { return env[name] })
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got %v, want a configError", err)
	}
	for i, want := range []string{":2:18:", ":3:3:", ":5:12:", ":8:13:", ":9:26:", ":9:43:", ":9:46:", "FLEETLAKE_BASE_URL:", "FLEETLAKE_BUDGET:"} {
		if i >= len(e.Problems) || !strings.Contains(e.Problems[i], want) {
			t.Fatalf("problem %d is not at %s:\n%v", i+1, want, err)
		}
	}
}

// TestManyProblems has a file that is no configuration: each line is a problem, and a screen of them is enough.
func TestManyProblems(t *testing.T) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "key%d: x\n", i)
	}
	_, err := Load(configFile(t, text.String()), true, noEnvironment)
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != mostProblems+1 || lines[mostProblems] != "and 9980 more problems" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestPathsFromHome(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	for written, want := range map[string]string{
		"'~'":            "/home/ada",
		"~/lake":         "/home/ada/lake",
		"$HOME/lake":     "/home/ada/lake",
		"'${HOME}/lake'": "/home/ada/lake",
		"/srv/lake":      "/srv/lake",
		"lake~":          "lake~",
		"price$":         "price$",
	} {
		c, err := Load(configFile(t, "data_dir: "+written), true, noEnvironment)
		if err != nil || c.DataDir != want {
			t.Errorf("%s: %q, %v; want %q", written, c.DataDir, err, want)
		}
	}
	env := map[string]string{"FLEETLAKE_DATA": "~/other"}
	if c, err := Load(configFile(t, ""), true, func(name string) string { return env[name] }); err != nil || c.DataDir != "/home/ada/other" {
		t.Errorf("from the environment: %q, %v", c.DataDir, err)
	}
}

func TestAddressesThatOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want bool
	}{
		"the same":                {"127.0.0.1:8080", "127.0.0.1:8080", true},
		"by another name":         {"LOCALHOST:8080", "127.0.0.1:8080", true},
		"every address and one":   {":8080", "127.0.0.1:8080", true},
		"every address of IPv6":   {"10.0.0.1:8080", "[::]:8080", true},
		"other ports":             {":8080", ":8815", false},
		"other hosts":             {"10.0.0.1:8080", "127.0.0.1:8080", false},
		"any free port":           {"127.0.0.1:0", "127.0.0.1:0", false},
		"one socket":              {"unix:/run/a", "unix:/run/a", true},
		"two sockets":             {"unix:/run/a", "unix:/run/b", false},
		"a socket and an address": {"unix:/run/a", ":8080", false},
	} {
		if got := overlap(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := overlap(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way round: %v", name, got)
		}
	}
}

func TestMisspeltVariables(t *testing.T) {
	for name, c := range map[string]struct{ variable, want string }{
		"two letters swapped":      {"FLEETLAKE_BUGDET=5", "FLEETLAKE_BUGDET: unknown variable of the environment; did you mean FLEETLAKE_BUDGET?"},
		"a letter too few":         {"FLEETLAKE_API_KE=secret", "FLEETLAKE_API_KE: unknown variable of the environment; did you mean FLEETLAKE_API_KEY?"},
		"a setting":                {"FLEETLAKE_BUDGET=5", ""},
		"of a verb":                {"FLEETLAKE_CONFIG=x", ""},
		"set by Kubernetes":        {"FLEETLAKE_SERVICE_HOST=10.0.0.1", ""},
		"set by Kubernetes, again": {"FLEETLAKE_PORT_8080_TCP=tcp://10.0.0.1:8080", ""},
		"another program's":        {"FLEET_BUDGET=5", ""},
	} {
		got := ""
		if err := Misspelt([]string{"PATH=/bin", c.variable}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want int
	}{
		"the same":           {"moored", "moored", 0},
		"nothing to many":    {"", "moored", 6},
		"one changed":        {"moored", "mooret", 1},
		"one dropped":        {"moored", "moord", 1},
		"swapped":            {"north", "nroth", 2},
		"letters, not bytes": {"Å", "A", 1},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(DefaultText))
	f.Add([]byte("jobs: {a: {list: {types: [Tug, tug]}}}"))
	f.Add([]byte("a: &a [*a]\n<<: *a"))
	f.Add([]byte("api: &x {limits: *x}"))
	lines := strings.SplitAfter(DefaultText, "\n")
	order := rand.New(rand.NewPCG(1, 2))
	for range 20 { // the default file with its lines mixed
		order.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		f.Add([]byte(strings.Join(lines, "")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, problems := parse("f.yaml", text)
		if len(problems) > 0 {
			if i := slices.IndexFunc(problems, func(p string) bool { return !strings.HasPrefix(p, "f.yaml:") }); i >= 0 {
				t.Errorf("a problem without a place: %s", problems[i])
			}
			return
		}
		if c.MaxInFlight < 1 || c.MaxInFlight > 64 || c.Timeout <= 0 || c.Budget.PerRun < 0 || c.DataDir == "" {
			t.Errorf("accepted values that cannot be used: %+v", c)
		}
		for _, j := range c.Jobs {
			if _, err := schedules.Parse(j.Spec.Cron, j.Spec.Location); err != nil || j.Job.Deadline <= 0 {
				t.Errorf("accepted job %+v: %v", j, err)
			}
		}
	})
}

// FuzzParseDuration checks that a duration with days is never below zero, and is that of Go's own reader
// where it has none.
func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"90s", "30d", "1d12h", "36500d", "1d-5h", "36500d2562047h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseDuration(s)
		if err == nil && got < 0 && !strings.HasPrefix(s, "-") {
			t.Errorf("%q is %v", s, got)
		}
		if want, wrong := time.ParseDuration(s); wrong == nil && (err != nil || got != want) {
			t.Errorf("%q is %v, %v; want %v", s, got, err, want)
		}
	})
}
