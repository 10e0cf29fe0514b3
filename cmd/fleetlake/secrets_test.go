package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestCredentialsOfTheServiceManager are files that systemd hands to a service whose user owns no
// other: they are used where nothing else is given, and make an open address one with a token.
func TestCredentialsOfTheServiceManager(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{config.KeyCredential: "handed-key", config.TokenCredential: "handed-token-handed", config.SecretCredential: "handed-secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o440); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		environment        map[string]string
		key, token, secret string
	}{
		"nothing else": {map[string]string{"CREDENTIALS_DIRECTORY": dir}, "handed-key", "handed-token-handed", "handed-secret"},
		"the environment goes before": {map[string]string{"CREDENTIALS_DIRECTORY": dir, "FLEETLAKE_API_KEY": "k", "FLEETLAKE_SERVE_TOKEN": "0123456789abcdef", "FLEETLAKE_WEBHOOK_SECRET": "s"},
			"k", "0123456789abcdef", "s"},
		"the environment alone": {map[string]string{"FLEETLAKE_API_KEY": "k", "FLEETLAKE_SERVE_TOKEN": "0123456789abcdef", "FLEETLAKE_WEBHOOK_SECRET": "s"},
			"k", "0123456789abcdef", "s"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Load(configFileWith(t, "serve: {listen: '0.0.0.0:8080', hosts: [fleet.example.org]}"), true, func(name string) string { return c.environment[name] })
			if err != nil {
				t.Fatal(err)
			}
			key, keyErr := cfg.ReadKey()
			token, tokenErr := cfg.Serve.Token()
			to, toErr := cfg.Notify.Recipients()
			if key != c.key || token != c.token || to.Secret != c.secret || keyErr != nil || tokenErr != nil || toErr != nil {
				t.Errorf("got %q %q %q, %v %v %v", key, token, to.Secret, keyErr, tokenErr, toErr)
			}
		})
	}
}

// TestWhatHasNoEndIsNotRead gives a device and a FIFO where a file belongs: each is refused at once.
func TestWhatHasNoEndIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	if err := syscall.Mkfifo(filepath.Join(w.dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("fifo.yaml", "api: {key_file: fifo}")
	w.env = append(w.env, "FLEETLAKE_API_KEY=")
	start := time.Now()
	for cfg, want := range map[string]string{"/dev/zero": "/dev/zero: not a regular file", "fifo": "fifo: not a regular file", "fifo.yaml": "the key file is not a regular file"} {
		if o := w.must(exitUsage, "run", "nightly", "--config", cfg); !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %s", cfg, o.stderr)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestDoctorSeesHostsWithoutAToken as serve would: there is one check of both.
func TestDoctorSeesHostsWithoutAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("fleetlake.yaml", "serve: {hosts: [fleet.example.org]}")
	for _, verb := range []string{"doctor", "serve"} {
		if o := w.must(exitUsage, verb); !strings.Contains(o.stdout+o.stderr, "serve.hosts") {
			t.Errorf("%s: %s%s", verb, o.stdout, o.stderr)
		}
	}
}

// configFileWith writes a configuration and returns its path.
func configFileWith(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fleetlake.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// carelessly makes a process start with what a careless user has: files that everybody may write, and core
// files of any size.
func carelessly(p *process) *process {
	p.cmd.Args = append([]string{"sh", "-c", `umask 0; ulimit -c unlimited; exec "$0" "$@"`, p.cmd.Path}, p.cmd.Args[1:]...)
	p.cmd.Path = "/bin/sh"
	return p
}

// TestNobodyElseMayWrite looks at the modes of all that a night, a rebuild, a rollback and an export write
// where the umask allows everything. The data directory is closed to others; an export is for them to read.
func TestNobodyElseMayWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	for _, args := range [][]string{{"run", "nightly"}, {"rebuild"}, {"rollback"}, {"rollback", "--undo"}, {"export", "--warehouse", "out"}} {
		p := carelessly(w.prepare(args...))
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if o, err := p.wait(); err != nil || o.code != exitDone {
			t.Fatalf("fleetlake %v: %v, exit code %d\n%s", args, err, o.code, o.stderr)
		}
	}
	seen := 0
	for _, dir := range []string{"fleetlake-data", "out"} {
		err := filepath.WalkDir(filepath.Join(w.dir, dir), func(path string, e os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil && info.Mode().Perm()&0o022 != 0 {
				t.Errorf("%s: others may write it: %v", strings.TrimPrefix(path, w.dir), info.Mode())
			}
			seen++
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(filepath.Join(w.dir, "fleetlake-data")); err != nil || info.Mode().Perm()&0o007 != 0 || seen < 30 {
		t.Errorf("the data directory is open to others: %v, %v; %d files", info.Mode(), err, seen)
	}
}

// TestThereIsNoCoreFile ends a daemon as a defect of it would, with core files allowed and asked for.
func TestThereIsNoCoreFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob+"\n    schedule: '0 0 1 1 *'\nserve: {listen: '127.0.0.1:0'}\n")
	w.env = append(w.env, "GOTRACEBACK=crash")
	d := w.daemonOf(carelessly(w.prepare("serve", "--verbose")))
	d.page()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", d.cmd.Process.Pid))
	if err != nil {
		t.Skip("no /proc to read the limits of a process from: ", err)
	}
	for line := range strings.Lines(string(limits)) {
		if words, ok := strings.CutPrefix(line, "Max core file size"); ok && strings.Fields(words)[0] != "1" {
			t.Errorf("core files: %s", words)
		}
	}
	d.cmd.Process.Signal(syscall.SIGABRT)
	d.ends()
	if cores, err := filepath.Glob(filepath.Join(w.dir, "*core*")); err != nil || len(cores) > 0 {
		t.Errorf("%v, %v", cores, err)
	}
	if found := filesWith(w.dir, []string{"planted-key"}); len(found) > 0 {
		t.Errorf("%v", found)
	}
}
