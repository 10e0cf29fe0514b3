package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigPrecedence(t *testing.T) {
	file := configFile(t, "data_dir: from-file\nbudget: {per_run: 1}\napi: {base_url: 'https://file.example/', max_in_flight: 2}\n")
	other := configFile(t, "data_dir: from-other\n")
	for name, c := range map[string]struct {
		path     string
		explicit bool
		env      map[string]string
		want     func(*Config)
	}{
		"the file over the defaults": {file, false, nil, func(c *Config) {
			c.DataDir, c.Budget.PerRun, c.BaseURL, c.MaxInFlight = "from-file", 1, "https://file.example", 2
		}},
		"the environment over the file": {file, false, map[string]string{
			"FLEETLAKE_DATA": "from-env", "FLEETLAKE_BUDGET": "7", "FLEETLAKE_BASE_URL": "https://env.example/", "FLEETLAKE_MAX_IN_FLIGHT": "9",
		}, func(c *Config) {
			c.DataDir, c.Budget.PerRun, c.BaseURL, c.MaxInFlight = "from-env", 7, "https://env.example", 9
		}},
		"the environment names the file":  {"absent.yaml", false, map[string]string{"FLEETLAKE_CONFIG": other}, func(c *Config) { c.DataDir = "from-other" }},
		"a flag names it over that":       {other, true, map[string]string{"FLEETLAKE_CONFIG": file}, func(c *Config) { c.DataDir = "from-other" }},
		"without a file the defaults":     {"absent.yaml", false, nil, func(*Config) {}},
		"a budget of 0 takes the cap off": {other, true, map[string]string{"FLEETLAKE_BUDGET": "0"}, func(c *Config) { c.DataDir, c.Budget.PerRun = "from-other", 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaults()
			c.want(&want)
			got, err := Load(c.path, c.explicit, func(name string) string { return c.env[name] })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, sameConfig); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigFileThatIsNotThere(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent.yaml")
	for name, load := range map[string]func() (Config, error){
		"named by a flag":            func() (Config, error) { return Load(absent, true, noEnvironment) },
		"named by the environment":   func() (Config, error) { return Load("", false, func(string) string { return absent }) },
		"a directory instead of one": func() (Config, error) { return Load(filepath.Dir(absent), false, noEnvironment) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load()
			if err == nil || !strings.Contains(err.Error(), "read configuration:") {
				t.Errorf("got %v, want an error that names the file", err)
			}
		})
	}
}

func TestConfigJob(t *testing.T) {
	c, err := Load(configFile(t, "budget: {per_run: 77}\njobs: {b: {}, a: {schedule: '@daily'}}"), true, noEnvironment)
	if err != nil {
		t.Fatal(err)
	}
	job, spec, err := c.Job("a")
	if err != nil || job.Name != "a" || job.Budget != 77 || spec.Job != "a" || spec.Cron != "@daily" {
		t.Errorf("got %+v, %+v, %v", job, spec, err)
	}
	if _, _, err := c.Job("nightly"); err == nil || err.Error() != `unknown job "nightly", expected one of: b, a` {
		t.Errorf("got %v, want the known jobs", err)
	}
}
