package config

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheInstalledProgram is used where the working directory has no files of its own.
func TestTheInstalledProgram(t *testing.T) {
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		here, there string // the configurations of the working directory and of the program
		data        bool   // the working directory has data
		env         map[string]string
		installed   bool
		want        string // the data directory; /d is that of the program
	}{
		"nothing is installed":                  {want: "fleetlake-data"},
		"the default":                           {there: "budget: {per_run: 7}\n", installed: true, want: "/d"},
		"a relative path":                       {there: "data_dir: sub\n", installed: true, want: "/d/sub"},
		"an absolute path":                      {there: "data_dir: /srv/fleet\n", installed: true, want: "/srv/fleet"},
		"the environment names the data":        {there: "{}\n", env: map[string]string{"FLEETLAKE_DATA": "x"}, installed: true, want: "x"},
		"a configuration here goes before":      {here: "data_dir: own\n", there: "{}\n", want: "own"},
		"data here go before":                   {there: "{}\n", data: true, want: "fleetlake-data"},
		"the environment names a configuration": {there: "{}\n", env: map[string]string{"FLEETLAKE_CONFIG": "named.yaml"}, want: "of-named"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Chdir(t.TempDir())
			p := Places{Settings: filepath.Join(root, "etc"), Data: "/d"}
			write("named.yaml", "data_dir: of-named\n")
			if c.here != "" {
				write(DefaultPath, c.here)
			}
			if c.there != "" {
				write(p.file(), c.there)
				write(filepath.Join(p.Settings, KeyCredential), "the-key-of-the-service")
			}
			if c.data {
				write("fleetlake-data/journal/x", "")
			}
			got, err := p.load("", false, func(name string) string { return c.env[name] })
			if err != nil || got.DataDir != c.want || got.Installed != c.installed {
				t.Errorf("data in %q, installed: %v, %v; want %q", got.DataDir, got.Installed, err, c.want)
			}
			if key, _ := got.ReadKey(); (key != "") != c.installed {
				t.Errorf("the key is %q", key)
			}
		})
	}
}
