package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inProcess runs a verb that needs no service in a directory of its own, without a process.
func inProcess(t *testing.T, environment []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	a := &app{getenv: func(string) string { return "" }, environment: environment, stdout: &out, stderr: &errs}
	return a.run(t.Context(), args), out.String(), errs.String()
}

func TestTheDoctorMakesNoDirectory(t *testing.T) {
	_, stdout, _ := inProcess(t, nil, "doctor", "--data", "some/where")
	if !strings.Contains(stdout, "ok    data directory   some/where does not exist: the first run makes it") {
		t.Errorf("doctor: %s", stdout)
	}
	if _, err := os.Stat("some"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory: %v", err)
	}
}

func TestTheDoctorAsJSON(t *testing.T) {
	code, stdout, stderr := inProcess(t, nil, "doctor", "--json")
	var found []finding
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	states := map[string]string{}
	for _, f := range found {
		states[f.Check] = f.State
	}
	if code != exitUsage || states["configuration"] != "ok" || states["disk"] == "" || states["key and address"] != "FAIL" {
		t.Errorf("exit code %d, %v", code, states)
	}
}

func TestTheDoctorReadsTheNamesOfVariables(t *testing.T) {
	code, stdout, _ := inProcess(t, []string{"FLEETLAKE_BUGDET=planted"}, "doctor")
	if code != exitUsage || !strings.Contains(stdout, "FAIL  configuration    FLEETLAKE_BUGDET: unknown variable of the environment; did you mean FLEETLAKE_BUDGET?") || strings.Contains(stdout, "planted") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

func TestATargetInsideTheDataDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("data/export", 0o750), os.Symlink("data", "link"), os.MkdirAll("data-2", 0o750)); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"data/export": true, "data": true, "data/new/deep": true, "link/export": true, filepath.Join(here, "data/x"): true,
		"data-2": false, "export": false, "../data": false, "/nowhere/at/all": false,
	} {
		if got := within(path, "data"); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestVersionVerb(t *testing.T) {
	code, stdout, stderr := inProcess(t, nil, "version", "--json")
	var b build
	if err := json.Unmarshal([]byte(stdout), &b); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if b.Version == "" || !strings.HasPrefix(b.DuckDB, "v1.") || len(b.Schema) != 4 || b.Rules == 0 {
		t.Errorf("%+v", b)
	}
}
