package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fleetlake/fleetlake/cmd/fleetlake/config"
	"github.com/fleetlake/fleetlake/extract/simulator"
	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/fleetlake/fleetlake/warehouse"
)

func deployFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "schedules", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestUnitFile compares the unit with what the program does.
func TestUnitFile(t *testing.T) {
	unit := string(deployFile(t, "fleetlake.service"))
	for _, line := range []string{"Type=notify", "WatchdogSec=3min", "RestartPreventExitStatus=64", "User=fleetlake", "Group=fleetlake", "StateDirectoryMode=0750", "UMask=0027", "StateDirectory=fleetlake",
		"RuntimeDirectory=fleetlake-secrets", "RuntimeDirectoryMode=0700", "Environment=CREDENTIALS_DIRECTORY=/run/fleetlake-secrets", "ExecReload=/bin/kill -HUP $MAINPID", "ProtectSystem=strict", "NoNewPrivileges=yes", "MemoryMax=2G", "OOMPolicy=continue", "TimeoutStopSec=3min",
		"ExecStart=/usr/local/bin/fleetlake serve --config ${CREDENTIALS_DIRECTORY}/fleetlake.yaml --data /var/lib/fleetlake"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not here: the unit is not verified by systemd itself")
	}
	path := filepath.Join(t.TempDir(), "fleetlake.service")
	text := strings.Replace(unit, "/usr/local/bin/fleetlake", os.Args[0], 1) // a program that exists
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", path).CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestTheUnitHandsOverSecrets runs the commands by which a start and a reload of the unit hand the files of root to the
// service: the second brings a new key.
func TestTheUnitHandsOverSecrets(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("/etc/fleetlake", from, "/run/fleetlake-secrets", to, "-o fleetlake -g fleetlake", "-o "+who.Uid+" -g "+who.Gid)
	unit := string(deployFile(t, "fleetlake.service"))
	for _, key := range []string{"first", "second"} {
		for name, text := range map[string]string{"api-key": key, "fleetlake.yaml": "jobs: {}"} {
			if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		verb := map[string]string{"first": "\nExecStartPre=+", "second": "\nExecReload=+"}[key]
		_, rest, found := strings.Cut(unit, verb)
		command, _, _ := strings.Cut(rest, "\n")
		words := strings.Fields(here.Replace(command))
		if !found {
			t.Fatalf("no %q", verb)
		}
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", command, err, out)
		}
		cfg, err := config.Load(filepath.Join(to, "fleetlake.yaml"), true, func(name string) string {
			return map[string]string{"CREDENTIALS_DIRECTORY": to}[name]
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cfg.ReadKey(); got != key || err != nil {
			t.Errorf("the service gets the key %q, want %q: %v", got, key, err)
		}
		if info, err := os.Stat(filepath.Join(to, "api-key")); err != nil || info.Mode().Perm() != 0o400 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

// TestTheWatchdogRestartsTheDaemon ends a daemon as systemd's watchdog does, and checks that the
// unit restarts it: Go's runtime ends a SIGABRT with exit code 2.
func TestTheWatchdogRestartsTheDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, "    schedule: '0 0 1 1 *'\nserve: {listen: ''}\n")
	d := w.serve()
	d.hears("scheduled")
	d.cmd.Process.Signal(syscall.SIGABRT)
	code, _ := d.ends()
	unit := string(deployFile(t, "fleetlake.service"))
	_, rest, _ := strings.Cut(unit, "\nRestartPreventExitStatus=")
	line, _, _ := strings.Cut(rest, "\n")
	if prevented := strings.Fields(line); slices.Contains(prevented, fmt.Sprint(code)) || !slices.Equal(prevented, []string{fmt.Sprint(exitUsage)}) {
		t.Errorf("a daemon that hung ends with %d, and the unit does not restart after %v", code, prevented)
	}
	if !strings.Contains(unit, "\nRestart=on-failure\n") || code == exitDone || strings.Contains(unit, "SuccessExitStatus") {
		t.Errorf("exit code %d is no failure to the unit", code)
	}
}

// TestNoImageIsATagThatMoves checks that the manifest pins its images.
func TestNoImageIsATagThatMoves(t *testing.T) {
	for line := range strings.Lines(string(deployFile(t, "cronjob.yaml"))) {
		if image, ok := strings.CutPrefix(strings.TrimSpace(line), "image:"); ok && !strings.Contains(image, "@sha256:") {
			t.Errorf("image %s", image)
		}
	}
}

// cronJob is the part of the manifest that the tests check.
type cronJob struct {
	Kind string
	Spec struct {
		ConcurrencyPolicy string `yaml:"concurrencyPolicy"`
		JobTemplate       struct {
			Spec struct {
				PodFailurePolicy struct {
					Rules []struct {
						Action      string
						OnExitCodes struct{ Values []int } `yaml:"onExitCodes"`
					}
				} `yaml:"podFailurePolicy"`
				Template struct {
					Spec struct {
						RestartPolicy string `yaml:"restartPolicy"`
						Containers    []struct{ Command, Args []string }
					}
				}
			}
		} `yaml:"jobTemplate"`
	}
}

func readCronJob(t *testing.T) cronJob {
	t.Helper()
	for _, document := range bytes.Split(deployFile(t, "cronjob.yaml"), []byte("\n---\n")) {
		var job cronJob
		if err := yaml.Unmarshal(document, &job); err != nil {
			t.Fatal(err)
		}
		if job.Kind == "CronJob" {
			return job
		}
	}
	t.Fatal("no CronJob in the manifest")
	return cronJob{}
}

func TestCronJob(t *testing.T) {
	job := readCronJob(t)
	template := job.Spec.JobTemplate.Spec
	if job.Spec.ConcurrencyPolicy != "Forbid" || template.Template.Spec.RestartPolicy != "Never" {
		t.Errorf("policies %q and %q", job.Spec.ConcurrencyPolicy, template.Template.Spec.RestartPolicy)
	}
	if got, want := template.PodFailurePolicy.Rules[0].OnExitCodes.Values, []int{exitUsage, exitKey}; !slices.Equal(got, want) || template.PodFailurePolicy.Rules[0].Action != "FailJob" {
		t.Errorf("fails at once with %v, want %v", got, want)
	}
	for _, code := range []int{exitDone, exitUnexpected, exitUsage, exitPartial, exitLocked, exitCredits, exitKey, exitDisk, exitInterrupted, exitUnanswered} {
		want := code
		if code == exitPartial || code == exitCredits {
			want = exitDone
		}
		if got := cronScript(t, fmt.Sprintf("[ \"$*\" = 'run nightly' ] || exit 99; exit %d", code), false); got != want {
			t.Errorf("exit code %d of fleetlake is %d of the pod, want %d", code, got, want)
		}
	}
	if got := cronScript(t, "trap 'sleep 0.1; exit 8' TERM; : > started; while :; do sleep 0.01; done", true); got != exitInterrupted {
		t.Errorf("a pod that is stopped ends with %d, want %d: the signal must reach fleetlake, and be waited for", got, exitInterrupted)
	}
}

// cronScript runs the container's command with a script in fleetlake's place, and stops it if
// wanted, once the script says that it has started. It returns the exit code.
func cronScript(t *testing.T, script string, stop bool) int {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fleetlake"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	container := readCronJob(t).Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	line := slices.Concat(container.Command, container.Args)
	c := exec.Command(line[0], line[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
	defer timer.Stop()
	for stop {
		if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
			c.Process.Signal(syscall.SIGTERM)
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

// TestRestore keeps nothing but a copy of the journal, as the notes on backup say, and gets
// every table back.
func TestRestore(t *testing.T) {
	t.Parallel()
	w := worldOf(t, "2026-11-20", "2026-11-21")
	spent := w.sim.Bill().Spent
	restored := filepath.Join(w.dir, "restored")
	if err := os.CopyFS(filepath.Join(restored, "journal"), os.DirFS(filepath.Join(w.dir, "fleetlake-data", "journal"))); err != nil {
		t.Fatal(err)
	}
	p := &pipeline.Pipeline{Dir: restored}
	if reports, err := p.Recover(t.Context()); err != nil || len(reports) != 2 {
		t.Fatalf("%d runs came back, %v; want 2", len(reports), err)
	}
	tables, err := warehouse.Compare(t.Context(), warehouse.Path(filepath.Join(w.dir, "fleetlake-data")), warehouse.Path(restored), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if !table.Same() {
			t.Errorf("differs from before: %+v", table)
		}
	}
	if len(tables) < 10 || w.sim.Bill().Spent != spent {
		t.Errorf("%d tables, %d credits spent", len(tables), w.sim.Bill().Spent-spent)
	}
}
