package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/extract/simulator"
)

// TestANightStaysPublishedWhenItsExportFails has a target that is a file, and repairs it.
func TestANightStaysPublishedWhenItsExportFails(t *testing.T) {
	notified := make(chan string, 10)
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("secret", "planted-secret")
	w.configure(1_000_000, smallJob+fmt.Sprintf("\nexport: {target: lake}\nnotify: {webhook: {url: %s/planted-path, secret_file: secret}}\n", newReceiver(t, notified)))
	w.write("lake", "a file of others")
	o := w.must(exitExport, "run", "nightly")
	if !strings.Contains(o.stdout, "done") || strings.Contains(o.stdout, "exported") || !strings.Contains(o.stderr, "export failed") || strings.Contains(o.stderr, "planted") {
		t.Errorf("the run says:\n%s\n%s", o.stdout, o.stderr)
	}
	if n := w.number("SELECT count(*) FROM runs"); n != 1 {
		t.Errorf("%d runs are published", n)
	}
	if text := <-notified; !strings.Contains(text, `"export_failed"`) || !strings.Contains(text, "the export failed") {
		t.Errorf("notification: %s", text)
	}
	if o := w.must(exitExport, "check"); !strings.Contains(o.stdout, "WRONG: the export failed") {
		t.Errorf("check: %s", o.stdout)
	}
	if o := w.must(exitExport, "doctor"); !strings.Contains(o.stdout, "FAIL  export") || !strings.Contains(o.stdout, "not a directory") {
		t.Errorf("doctor: %s", o.stdout)
	}
	if o := w.must(exitDone, "status"); !strings.Contains(o.stdout, "never") || !strings.Contains(o.stdout, "1 times since") {
		t.Errorf("status: %s", o.stdout)
	}
	if o := w.must(exitExport, "run", "nightly"); len(notified) != 0 {
		t.Errorf("the same failure is notified twice: %s\n%s", <-notified, o.stderr)
	}
	if err := os.Remove(filepath.Join(w.dir, "lake")); err != nil {
		t.Fatal(err)
	}
	if o := w.must(exitDone, "run", "nightly"); !strings.Contains(o.stdout, "exported") { // it has nothing left to ask
		t.Errorf("the next run: %s\n%s", o.stdout, o.stderr)
	}
	if text := <-notified; !strings.Contains(text, `"export_recovered"`) || len(notified) != 0 {
		t.Errorf("notification: %s", text)
	}
	w.must(exitDone, "check")
	if o := w.must(exitDone, "doctor"); !strings.Contains(o.stdout, "ok    export") {
		t.Errorf("doctor: %s", o.stdout)
	}
	if o := w.must(exitDone, "status"); !strings.Contains(o.stdout, "new files") || strings.Contains(o.stdout, "times since") {
		t.Errorf("status: %s", o.stdout)
	}
	for name, args := range map[string][]string{"the phase": {"export"}, "once, with a flag": {"export", "--tables", "facts"}, "a dry run": {"export", "--dry-run"}} {
		if o := w.must(exitDone, args...); !strings.Contains(o.stdout, "in lake: 0 ") {
			t.Errorf("%s: %s", name, o.stdout)
		}
	}
	if err := os.RemoveAll(filepath.Join(w.dir, "lake")); err != nil {
		t.Fatal(err)
	}
	w.write("lake", "a file of others")
	w.must(exitExport, "export")
	w.must(exitExport, "check")
	if err := os.Remove(filepath.Join(w.dir, "lake")); err != nil {
		t.Fatal(err)
	}
	w.must(exitDone, "export")
	w.must(exitDone, "check")
}

func TestExportWithoutATargetSaysWhereToSetIt(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.configure(1_000_000, smallJob)
	if o := w.must(exitUsage, "export"); !strings.Contains(o.stderr, "export.target") {
		t.Errorf("says: %s", o.stderr)
	}
}

// TestEveryFlagOfExportIsAnotherExportOrNone checks that a new flag is among those which make an export
// another than that of the configuration, or is known not to.
func TestEveryFlagOfExportIsAnotherExportOrNone(t *testing.T) {
	var flags []string
	for line := range strings.Lines((&app{}).exportCommand().LocalFlags().FlagUsages()) {
		_, name, _ := strings.Cut(line, "--")
		name, _, _ = strings.Cut(name, " ")
		flags = append(flags, strings.TrimSpace(name))
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(append([]string{"bandwidth", "json"}, narrowing...))), flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

// program writes a program for Iceberg tables.
func (w *world) program(script string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "iceberg"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		w.t.Fatal(err)
	}
}

// TestServeExports exports beside the scheduler: a failure is on the page and in the metrics, a stop in
// the middle ends the process in time, and the next start makes up for it although no slot is due.
func TestServeExports(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.program("exit 3")
	w.due(1_000_000, smallJob, "export: {target: lake, warehouse: true, iceberg: {program: ./iceberg}}\n")
	d := w.serve()
	url := d.page()
	d.hears("export failed")
	d.hears("slot done")
	for path, want := range map[string]string{"/": "The export failed", "/metrics": "fleetlake_export_failures ", "/readyz": "ok"} {
		if code, text := get(t, url+path); code != http.StatusOK || !strings.Contains(text, want) || strings.Contains(text, w.dir) {
			t.Errorf("%s: status %d, want %q:\n%s", path, code, want, text)
		}
	}
	w.program("touch started\nexec sleep 60")
	w.runNow(d, url) // a night that is done, so that it asks nothing
	w.appears("started")
	w.pageSays(url, "An export is under way")
	d.cmd.Process.Signal(syscall.SIGTERM)
	if code, took := d.ends(); code != exitDone || took > 10*time.Second {
		t.Errorf("exit code %d after %v:\n%s", code, took, d.said())
	}
	w.program("exit 0")
	d = w.serve()
	url = d.page()
	d.hears("export done")
	page := w.pageSays(url, "Last export:")
	_, metrics := get(t, url+"/metrics")
	if strings.Contains(page, "The export failed") || !strings.Contains(metrics, "fleetlake_export_failures 0") || !strings.Contains(metrics, "fleetlake_export_last_success_timestamp_seconds 1.") {
		t.Errorf("after the export:\n%s\n%s", page, metrics)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.ends()
}

// TestAStopEndsTheExportOfARun stops a run whose night is published, in the middle of its export.
func TestAStopEndsTheExportOfARun(t *testing.T) {
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.program("touch started\nexec sleep 60")
	w.configure(1_000_000, smallJob+"\nexport: {target: lake, iceberg: {program: ./iceberg}}\n")
	p := w.start("run", "nightly")
	w.appears("started")
	p.cmd.Process.Signal(syscall.SIGTERM)
	began := time.Now()
	if o, err := p.wait(); err != nil || o.code != exitInterrupted || time.Since(began) > 10*time.Second || !strings.Contains(o.stderr, "export interrupted") {
		t.Errorf("exit code %d after %v, %v:\n%s", o.code, time.Since(began), err, o.stderr)
	}
	w.must(exitDone, "check") // that is no failure
	w.program("exit 0")
	if o := w.must(exitDone, "run", "nightly"); !strings.Contains(o.stdout, "exported  0 new files") {
		t.Errorf("the next run:\n%s", o.stdout)
	}
}

// pageSays waits until the page has words, and returns it.
func (w *world) pageSays(url, words string) (page string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) { // it is rendered once a second
		if _, page = get(w.t, url+"/"); strings.Contains(page, words) {
			return page
		}
	}
	w.t.Fatalf("the page does not say %q:\n%s", words, page)
	return ""
}

// appears waits for a file that another process makes.
func (w *world) appears(name string) {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) { // no event says it
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			return
		}
	}
	w.t.Fatalf("no file %s within a minute", name)
}

// TestNoSecretOfTheExportIsRepeated has a store that refuses the credentials and repeats them in its
// answer. All of them contain planted-key, which ends looks for in the log.
func TestNoSecretOfTheExportIsRepeated(t *testing.T) {
	var asked string
	store := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Authorization")
		rw.Header().Set("Content-Type", "application/xml")
		rw.WriteHeader(http.StatusForbidden)
		io.WriteString(rw, "<Error><Code>InvalidAccessKeyId</Code><Message>planted-key-access and planted-key-secret are wrong</Message><AWSAccessKeyId>planted-key-access</AWSAccessKeyId></Error>")
	}))
	defer store.Close()
	notified := make(chan string, 10)
	w := newWorld(t, simulator.Config{Vessels: 400})
	w.write("secret", "planted-key-webhook")
	w.write("s3", "[default]\naws_access_key_id = planted-key-access\naws_secret_access_key = planted-key-secret\naws_session_token = planted-key-token\n")
	w.due(1_000_000, smallJob, fmt.Sprintf("export: {target: 's3://lake/fleet', endpoint: '%s', path_style: true, credentials_file: s3}\nnotify: {webhook: {url: %s/x, secret_file: secret}}\n", store.URL, newReceiver(t, notified)))
	d := w.serve()
	url := d.page()
	d.hears("export failed")
	if !strings.Contains(asked, "planted-key-access") {
		t.Fatalf("the store was not asked with the credentials: %q", asked)
	}
	all := map[string]string{"notification": <-notified}
	for _, path := range []string{"/", "/metrics", "/live", "/readyz"} {
		_, all[path] = get(t, url+path)
	}
	d.cmd.Process.Signal(syscall.SIGTERM)
	d.ends()
	state, err := os.ReadFile(filepath.Join(w.dir, "fleetlake-data", "export.json"))
	if err != nil {
		t.Fatal(err)
	}
	all["export.json"] = string(state)
	for _, verb := range []string{"status", "doctor", "check", "export", "run"} {
		o := w.fleetlake(verb)
		all[verb] = o.stdout + o.stderr
	}
	for name, text := range all {
		if strings.Contains(text, "planted") {
			t.Errorf("%s has a secret:\n%s", name, text)
		}
	}
	if !strings.Contains(all["notification"], "export_failed") || !strings.Contains(all["doctor"], "FAIL  export") {
		t.Errorf("the failure is not reported: %s\n%s", all["notification"], all["doctor"])
	}
}
